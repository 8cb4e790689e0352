/** The extensions of this call: those that come with Pith, the user's, and those of a folder that is trusted. Nothing is loaded where there are none. */

import { existsSync } from "node:fs";
import { assembledExtensions, type Extensions, type NamedExtension, nobodyThere } from "@pith/agent";
import { machine } from "@pith/context/node";
import { allTools } from "../home/settings/known/tool-names.ts";
import { trustedFiles } from "../home/trust/trusted-folder.ts";
import type { Place } from "../place.ts";
import { bundled } from "./bundled.ts";
import { extensionsFolder } from "./finding/extensions-folder.ts";
import { type FoundExtensions, nothingFound } from "./finding/found-extension.ts";
import type { Report } from "./loading/stray-faults.ts";

/** Null where there are none, or none are wanted. */
export async function extensionsHere(place: Place): Promise<Extensions | null> {
  if (place.choices.extensions === false) return null;
  const [own, { found, notes }] = await Promise.all([bundledHere(place), foundHere(place)]);
  if (own.length === 0 && found.length === 0 && notes.length === 0) return null;
  const report = reportingTo(place);
  const extensions = await assembled([...own, ...(await loadedOf(found, report))], { ...place, report });
  return notes.length === 0 ? extensions : { ...extensions, notes: [...notes, ...extensions.notes] };
}

/** Those of the user and of a folder that is trusted, before anything of them is run. */
export async function foundHere({ home, trusted }: Pick<Place, "home" | "trusted">): Promise<FoundExtensions> {
  const own = existsSync(extensionsFolder(home)) ? (await userFinding()).userExtensions(home) : nothingFound;
  const files = trusted ? trustedFiles(trusted, "extensions") : [];
  const there = files.length === 0 ? nothingFound : (await projectFinding()).projectExtensions(files);
  return { found: [...own.found, ...there.found], notes: [...own.notes, ...there.notes] };
}

const userFinding = () => import("./finding/user-extensions.ts");
const projectFinding = () => import("./finding/project-extensions.ts");

/** With all that their registering needs to know of the program. */
export async function assembled(
  named: readonly NamedExtension[],
  { cwd, ui, report }: Pick<Place, "cwd" | "ui"> & { readonly report: Report },
): Promise<Extensions> {
  const { commands } = await import("../commands/commands.ts");
  const ownCommands = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const early = { ui: ui ?? nobodyThere, hasUI: ui !== undefined, cwd };
  return await assembledExtensions(named, { ports: machine, report, early, ownTools: allTools, ownCommands });
}

/** Once for each event: it may happen with every letter that comes. */
function reportingTo({ note = () => {}, listen }: Pick<Place, "note" | "listen">): Report {
  const told = new Set<string>();
  return ({ extension, event, why }) => {
    const about = `${extension} ${event}`;
    if (told.has(about)) return;
    told.add(about);
    note(`the extension ${extension} failed at ${event}, and all went on without it: ${why}`);
    void listen?.({ type: "extension_error", extensionPath: extension, event, error: why });
  };
}

async function bundledHere(place: Place): Promise<readonly NamedExtension[]> {
  const wanted = await Promise.all(bundled.map(async (each) => ((await each.isWanted(place)) ? [each] : [])));
  return wanted.flat().map(({ name, load }) => ({ name, extension: async (pith) => (await load(place))(pith) }));
}

async function loadedOf(found: FoundExtensions["found"], report: Report): Promise<readonly NamedExtension[]> {
  if (found.length === 0) return [];
  const { loaded } = await import("./loading/load-extension.ts");
  return loaded(found, report);
}

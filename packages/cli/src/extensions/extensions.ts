/** Assembles the extensions of this run: bundled, the user's, and a trusted folder's. Loads nothing where there are none. */

import { existsSync } from "node:fs";
import {
  type AgentEventListener,
  createExtensions,
  type Extension,
  type ExtensionModule,
  type Extensions,
  type ExtensionUi,
  headlessUi,
} from "@pith/agent";
import { nodeRuntime } from "@pith/context/node";
import { type McpPlace, namesServers } from "../mcp/servers.ts";
import type { Policy } from "../policy/policy.ts";
import { allTools } from "../settings/definitions.ts";
import type { Settings } from "../settings/settings.ts";
import { areWantedHere, type SubAgentOptions } from "../sub-agents/sub-agent-options.ts";
import { type TrustedFolder, trustedFiles } from "../trust/trust.ts";
import type { Report } from "./errors.ts";
import { extensionsFolder, type FoundExtensions, nothingFound } from "./extension-files.ts";

/** What extensions need to know of the program. */
export interface ExtensionPlace extends McpPlace, SubAgentOptions {
  /** Receives the events of the agent and of extensions. */
  readonly listen?: AgentEventListener;
  /** Shows the questions and widgets of extensions; absent without a user. */
  readonly ui?: ExtensionUi;
}

export interface Bundled {
  readonly name: string;
  readonly isWanted: (place: ExtensionPlace) => Promise<boolean> | boolean;
  readonly load: (place: ExtensionPlace) => Promise<Extension>;
}

/** Each is loaded only where it is wanted, so that no start waits for it. */
export const bundled: readonly Bundled[] = [
  {
    name: "sub-agents",
    isWanted: areWantedHere,
    load: async (place) => (await import("../sub-agents/extension.ts")).subAgents(place),
  },
  {
    name: "mcp",
    isWanted: namesServers,
    load: async (place) => (await import("../mcp/mcp.ts")).mcp(place),
  },
];

/** Null where there are none, or none are wanted. */
export async function extensionsHere(place: ExtensionPlace): Promise<Extensions | null> {
  if (place.choices.extensions === false) return null;
  const [own, { found, notes }] = await Promise.all([bundledHere(place), foundHere(place)]);
  if (own.length === 0 && found.length === 0 && notes.length === 0) return null;
  const report = reportingTo(place);
  const extensions = await assembled([...own, ...(await loadedOf(found, report))], { ...place, report });
  return notes.length === 0 ? extensions : { ...extensions, notes: [...notes, ...extensions.notes] };
}

/** Those of the user and of a folder that is trusted, before anything of them is run. */
export async function foundHere(place: Pick<ExtensionPlace, "home" | "trusted" | "choices">): Promise<FoundExtensions> {
  const { home, trusted, choices } = place;
  const own = existsSync(extensionsFolder(home)) ? (await finding()).userExtensions(home) : nothingFound;
  const files = trusted ? trustedFiles(trusted, "extensions") : [];
  const there = files.length === 0 ? nothingFound : (await finding()).projectExtensions(files);
  const all = { found: [...own.found, ...there.found], notes: [...own.notes, ...there.notes] };
  return choices.policy && all.found.length > 0 ? await permitted(all, choices.policy) : all;
}

const finding = () => import("./find.ts");

/** Loaded where there are both a policy and extensions. */
async function permitted(found: FoundExtensions, policy: Policy): Promise<FoundExtensions> {
  const { permitExtensions } = await import("../policy/permitted-parts.ts");
  return permitExtensions(found, policy);
}

/** With all that their registering needs to know of the program. */
export async function assembled(
  modules: readonly ExtensionModule[],
  { cwd, ui, report }: Pick<ExtensionPlace, "cwd" | "ui"> & { readonly report: Report },
): Promise<Extensions> {
  const { builtInNames } = await import("../commands/commands.ts");
  const initialContext = { ui: ui ?? headlessUi, hasUI: ui !== undefined, cwd };
  return await createExtensions(modules, {
    runtime: nodeRuntime,
    report,
    initialContext,
    builtInTools: allTools,
    builtInCommands: builtInNames(),
  });
}

/** Once for each event: it may happen with every letter that comes. */
function reportingTo({ note = () => {}, listen }: Pick<ExtensionPlace, "note" | "listen">): Report {
  const told = new Set<string>();
  return ({ extension, event, why }) => {
    const about = `${extension} ${event}`;
    if (told.has(about)) return;
    told.add(about);
    note(`the extension ${extension} failed at ${event}, and all went on without it: ${why}`);
    void listen?.({ type: "extension_error", extensionPath: extension, event, error: why });
  };
}

async function bundledHere(place: ExtensionPlace): Promise<readonly ExtensionModule[]> {
  const wanted = await Promise.all(bundled.map(async (each) => ((await each.isWanted(place)) ? [each] : [])));
  return wanted.flat().map(({ name, load }) => ({ name, extension: async (pith) => (await load(place))(pith) }));
}

async function loadedOf(found: FoundExtensions["found"], report: Report): Promise<readonly ExtensionModule[]> {
  if (found.length === 0) return [];
  const { loaded } = await import("./load.ts");
  return loaded(found, report);
}

export interface Asking extends Pick<ExtensionPlace, "cwd" | "home" | "note"> {
  readonly trusted: TrustedFolder;
  readonly choices: Pick<Settings, "extensions" | "policy">;
}

/** Asks the user's extensions about an untrusted folder, before the user is asked. For this call alone. */
export async function trustedByExtensions({ trusted, choices, ...place }: Asking): Promise<boolean> {
  const { files } = trusted.holds;
  if (choices.extensions === false || trusted.type === "trusted" || files.length === 0) return false;
  if (!existsSync(extensionsFolder(place.home))) return false;
  const [{ found }, { loaded }] = await Promise.all([foundHere({ home: place.home, choices }), import("./load.ts")]);
  if (found.length === 0) return false;
  // What is wrong with one is said when the session is made ready.
  const report = (): void => {};
  const { dispatch } = await assembled(loaded(found, report), { cwd: place.cwd, report });
  const answers = await dispatch({ type: "project_trust", cwd: place.cwd, files: files.map(({ name }) => name) });
  return answers.some(({ trusted: isTrusted }) => isTrusted === true);
}

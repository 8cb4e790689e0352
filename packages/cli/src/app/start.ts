/** Prepares a run: resolves trust and settings, reads the first message, loads extensions and builds the agent. */

import { homedir } from "node:os";
import { type AgentEventListener, MAX_IMAGE_BYTES, type UserContent } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { Redaction } from "@pith/context";
import { pithHome } from "@pith/context/node";
import type { Wish } from "../args/args.ts";
import type { Desk } from "../commands/command.ts";
import { extensionsHere, trustedByExtensions } from "../extensions/extensions.ts";
import type { Arrival } from "../extensions/session.ts";
import { contentOf, piped, type Said } from "../resources/attachments.ts";
import { listedSettings } from "../settings/list.ts";
import { type CallPlaces, type Holding, type Sources, whatHolds } from "../settings/resolve.ts";
import { UNREDACTED, vaultHere } from "../settings/secrets.ts";
import type { Played } from "../sub-agents/definitions.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";
import type { Place } from "./app-options.ts";
import { type Built, build } from "./build.ts";
import { takeNotices } from "./notices.ts";
import type { SessionDamaged } from "./session-damage.ts";

export interface Ready {
  readonly type: "ready";
  readonly wish: Wish;
  readonly built: Extract<Built, { type: "built" }>;
  readonly place: Place;
  readonly sources: Sources;
  /** Null where the words may be a command, which is asked first. */
  readonly said: Exclude<Said, Mistake> | null;
  /** Extensions are told that the session begins, once; at the start of the program, unless said. Done, unless whoever calls wanted to say when. */
  readonly arrive: (arrival?: Arrival) => Promise<void>;
  /** The notice of a damaged session, for whoever shows the session: the first time it is asked for, and never again. */
  readonly takeDamage: () => SessionDamaged | null;
}

/** Nobody's mistake, and still nothing can be done. */
type Unready = Extract<Built, { type: "failed" }>;

export interface Telling extends Pick<Place, "ask" | "hooks" | "needsModel" | "mcpServers" | "ui"> {
  /** Where it works; where the program was started, unless said. */
  readonly cwd?: string;
  /** How one came to this session; at the start of the program, unless said. `later`: whoever calls says when, with `arrive`. */
  readonly arrival?: Arrival | "later";
  /** Told everything that happens. */
  readonly listen: AgentEventListener;
  /** For people. */
  readonly note: (line: string) => void;
  /** From now on nothing that it holds for a secret is told to anybody. */
  readonly conceal: (redaction: Redaction) => void;
}

export async function readied(asked: Wish, telling: Telling): Promise<Ready | Mistake | Unready> {
  const { note, conceal, ask, hooks, mcpServers, ui, arrival, cwd = process.cwd() } = telling;
  const places = { cwd, home: pithHome(), userHome: homedir(), environment: process.env };
  const { holds, called } = await heldHere(asked, places);
  if (holds.type === "mistake") return holds;
  const { sources, trusted } = holds;
  const part = await played(called, { ...places, trusted, choices: holds.choices });
  if (part.type === "mistake") return part;
  const { wish, choices } = part;
  const vault = await vaultHere({ ...places, choices, mcpServers });
  if (vault) conceal(vault);
  const isCall = wish.words.startsWith("/");
  // On a screen it is said once there is one, and others say it when they want.
  const isToldAtOnce = wish.output === "text" || wish.output === "json";
  const said = isCall || !isToldAtOnce ? null : await saidIn(wish, note, { cwd });
  if (said?.type === "mistake") return said;
  const bare: Place = {
    ...{ ...places, choices, trusted, vault, note, listen: telling.listen },
    ...{ needsModel: telling.needsModel ?? !isCall, ...(ask && { ask }), ...(hooks && { hooks }) },
    ...{ ...(mcpServers && { mcpServers }), ...(ui && { ui }) },
    held: { trusts: wish.trusts, choices: heldChoices(wish, choices), permissions: null, addressee: null },
  };
  const extensions = await extensionsHere(bare);
  const place: Place = extensions ? { ...bare, extensions } : bare;
  for (const text of await takeNotices({ ...places, keepsSession: wish.session.type !== "none" })) note(text);
  const built = await build(wish, place);
  if (built.type === "failed") return built.code === 1 ? built : mistake(built.message);
  for (const line of [...holds.notes, ...part.notes, ...(vault ? [] : [UNREDACTED]), ...built.notes]) note(line);
  const arrive = arrivingOnce(built, extensions);
  if (arrival !== "later") await arrive(arrival);
  return { type: "ready", wish, built, place, sources, said, arrive, takeDamage: takingOnce(built.damage) };
}

function takingOnce<Taken>(value: Taken | null): () => Taken | null {
  let left = value;
  return () => {
    const taken = left;
    left = null;
    return taken;
  };
}

/** Whoever is started has no tool that its starter has not, also where settings or a part name them. */
function heldChoices(wish: Wish, { tools }: Place["choices"]): Wish["choices"] {
  return tools ? { ...wish.choices, tools } : wish.choices;
}

/** An extension of the user may say that a folder is trusted. */
async function heldHere(wish: Wish, places: CallPlaces): Promise<{ readonly holds: Holding; readonly called: Wish }> {
  const holds = await whatHolds(wish, places);
  if (holds.type === "mistake" || holds.trusted.type === "trusted" || holds.trusted.holds.files.length === 0)
    return { holds, called: wish };
  const { trusted, choices } = holds;
  const isTrusted = await trustedByExtensions({ ...places, trusted, choices });
  if (!isTrusted) return { holds, called: wish };
  // Also where it is read anew.
  const called = { ...wish, trusts: true };
  return { holds: await whatHolds(called, places), called };
}

function arrivingOnce({ acts }: Ready["built"], extensions: Place["extensions"]): Ready["arrive"] {
  let isDone = false;
  return async (arrival) => {
    if (!extensions || !acts || isDone) return;
    isDone = true;
    const { arrive } = await import("../extensions/session.ts");
    await arrive({ extensions, acts, arrival });
  };
}

/** Loaded where a part is to be played. */
async function played(wish: Wish, places: Pick<Place, "home" | "trusted" | "choices">): Promise<Played> {
  const { agent } = wish;
  if (agent === undefined) return { type: "played", wish, choices: places.choices, notes: [] };
  const { playAgent } = await import("../sub-agents/definitions.ts");
  return await playAgent({ ...wish, agent }, places);
}

export interface SayingParts {
  readonly cwd?: string;
  /** In the place of the words of the wish, e.g. what a template says. */
  readonly said?: UserContent;
}

export function saidIn(
  wish: Wish,
  note: (line: string) => void,
  { cwd = process.cwd(), said }: SayingParts = {},
): Promise<Said> {
  const files = nodeFiles({ root: cwd, maxBytes: MAX_IMAGE_BYTES });
  return contentOf(wish, { files, piped: () => piped(note), said });
}

export interface DeskPlace extends Place {
  /** Who said what is set. */
  readonly sources: Sources;
  /** For people, while they wait. */
  readonly note: (line: string) => void;
}

export function openDesk(built: Extract<Built, { type: "built" }>, place: DeskPlace): Desk {
  const { agent, sessionPath, openModel, templates, reload, standing, permissions, setMode, acts } = built;
  const { cwd, home, choices, note, extensions } = place;
  const settings = () => listedSettings(standing().choices, standing().sources ?? place.sources);
  const mode = { now: () => permissions.mode, set: setMode };
  return {
    ...{ agent, sessionPath, cwd, home, choices, openModel, reload, note, templates, settings, mode },
    ...(extensions && { extensions, acts }),
  };
}

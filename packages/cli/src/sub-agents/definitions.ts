/** Reads agent definitions and applies `--agent`. A definition only takes tools away: no file grants a permission. */

import { readdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { decodeText } from "@pith/agent";
import type { ThinkingLevel } from "@pith/context";
import type { Wish } from "../args/args.ts";
import { frontMatter } from "../resources/front-matter.ts";
import { bytesAt } from "../resources/skills.ts";
import { whatIsWrong } from "../settings/fields.ts";
import type { Settings } from "../settings/settings.ts";
import { clipped, plain } from "../text/safe-text.ts";
import { type Mistake, mistake, nearest } from "../text/usage-error.ts";
import { type TrustedFolder, trustedFiles } from "../trust/trust.ts";

export interface AgentPart {
  readonly name: string;
  /** When it is to be called, in one line. */
  readonly description: string;
  /** Those of whoever calls, where it does not say. */
  readonly tools?: readonly string[];
  /** As `provider/model`. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** What it is told instead of who Pith is. */
  readonly text: string;
  readonly path: string;
}

export interface AgentFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface AgentIn {
  /** Null where it is none. */
  readonly agent: AgentPart | null;
  /** For people. */
  readonly notes: readonly string[];
}

export function agentIn({ path, bytes }: AgentFile): AgentIn {
  const written = decodeText(bytes);
  if (written === null) return unused(path, "is no text");
  const { fields, body, fault } = frontMatter(written);
  if (fault !== null) return unused(path, fault);
  const name = fields.get("name") ?? basename(path, ".md");
  if (!NAME.test(name)) return unused(path, `has no good name: take at most 40 of a-z, 0-9 and single dashes`);
  const description = clipped(plain(fields.get("description") ?? ""), LONGEST);
  if (description === "") return unused(path, "has no description; begin it with --- name: …, description: … and ---");
  const text = plain(body).trim();
  if (text === "") return unused(path, "says nothing behind its second line of ---");
  const chosen = choicesIn(fields);
  if (typeof chosen === "string") return unused(path, chosen);
  return { agent: { name, description, ...chosen, text, path }, notes: strangeIn(fields, path) };
}

/** It becomes a word of a command line, so that it is never taken for a flag. */
const NAME = /^(?=.{1,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST = 300;

const FIELDS = ["name", "description", "tools", "model", "thinking"];

/** Agents of other programs have others: they are told of, and do no harm. */
function strangeIn(fields: ReadonlyMap<string, string>, path: string): readonly string[] {
  const strange = [...fields.keys()].filter((field) => !FIELDS.includes(field));
  return strange.slice(0, MOST_TOLD).map((field) => {
    const near = nearest(field, FIELDS);
    const meant = near === null ? `there are: ${FIELDS.join(", ")}` : `did you mean ${near}?`;
    return `${path} has a field ${clipped(plain(field), 40)} that is not known; ${meant}`;
  });
}

const MOST_TOLD = 5;

type Chosen = Pick<AgentPart, "tools" | "model" | "thinking">;

/** Held to the same as settings are; the end of a sentence where they are not. */
function choicesIn(fields: ReadonlyMap<string, string>): Chosen | string {
  const said = { tools: listIn(fields.get("tools")), model: fields.get("model"), thinking: fields.get("thinking") };
  const given = Object.entries(said).filter(([, value]) => value !== undefined && value !== "");
  for (const [name, value] of given) {
    const fault = whatIsWrong([name], value);
    if (fault !== null) return `has a field ${name} that ${fault}`;
  }
  return Object.fromEntries(given) as Chosen;
}

/** With commas, in brackets, or each on a line of its own behind a dash. */
function listIn(written: string | undefined): readonly string[] | undefined {
  if (written === undefined) return undefined;
  const names = written.replace(/^\[|\]$/g, "").split(/,|(?:^|\s)-\s/);
  const list = names.map((name) => name.trim().replace(/^(["'])(.*)\1$/, "$2")).filter((name) => name !== "");
  return list.length === 0 ? undefined : list;
}

function unused(path: string, why: string): AgentIn {
  return { agent: null, notes: [`${path} ${why}, so it is no agent`] };
}

export interface AgentPlaces {
  /** Pith's home. */
  readonly home: string;
  /** Absent: nothing of the project counts. */
  readonly trusted?: TrustedFolder;
}

export interface FoundAgents {
  /** By name. */
  readonly agents: readonly AgentPart[];
  /** For people. */
  readonly notes: readonly string[];
}

/** Of two agents with one name the user's own counts: a project cannot replace it. */
export async function findAgents({ home, trusted }: AgentPlaces): Promise<FoundAgents> {
  const own = await ofUser(join(home, "agents"));
  const read = [...own.files, ...ofProject(trusted)].map(agentIn);
  const notes = [...own.notes, ...read.flatMap((each) => each.notes)];
  const byName = new Map<string, AgentPart>();
  for (const { agent } of read) {
    if (!agent) continue;
    const first = byName.get(agent.name);
    if (first) notes.push(`there are two agents ${agent.name}: ${first.path} counts, ${agent.path} does not`);
    else byName.set(agent.name, agent);
  }
  if (byName.size > MOST) notes.push(`there are more than ${MOST} agents; the others are left out`);
  const agents = [...byName.values()].slice(0, MOST).sort((one, other) => (one.name < other.name ? -1 : 1));
  return { agents, notes };
}

const MOST = 50;

interface AgentFiles {
  readonly files: readonly AgentFile[];
  readonly notes: readonly string[];
}

async function ofUser(folder: string): Promise<AgentFiles> {
  // Where it cannot be looked into, there is nothing.
  const names = (await readdir(folder).catch(() => [])).filter(isAgent).sort();
  const files: AgentFile[] = [];
  const notes: string[] = [];
  for (const path of names.slice(0, 2 * MOST).map((name) => join(folder, name))) {
    const read = await bytesAt(path);
    if (typeof read === "string") notes.push(read);
    else if (read) files.push({ path, bytes: read });
  }
  return { files, notes };
}

function ofProject(trusted: TrustedFolder | undefined): readonly AgentFile[] {
  if (!trusted) return [];
  return trustedFiles(trusted, "agents").filter(({ path, folder }) => {
    const [, , name = "", ...deeper] = relative(folder, path).split(sep);
    return deeper.length === 0 && isAgent(name);
  });
}

function isAgent(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".");
}

export type Played =
  | {
      readonly type: "played";
      readonly wish: Wish;
      readonly choices: Settings;
      /** For people. */
      readonly notes: readonly string[];
    }
  | Mistake;

/** Flags take precedence over the agent's tools, model and thinking level. */
export async function playAgent(
  wish: Wish & { readonly agent: string },
  { choices, ...places }: AgentPlaces & { readonly choices: Settings },
): Promise<Played> {
  const { agents, notes } = await findAgents(places);
  const agent = agents.find(({ name }) => name === wish.agent);
  if (!agent) return unknown(wish.agent, agents, places.trusted);
  const systemPrompt = wish.systemPrompt ?? agent.text;
  return { type: "played", wish: { ...wish, systemPrompt }, choices: chosen(agent, choices, wish.choices), notes };
}

function chosen({ tools, model, thinking }: AgentPart, choices: Settings, flags: Wish["choices"]): Settings {
  const own = {
    ...(tools && flags.tools === undefined && { tools }),
    ...(model !== undefined && flags.model === undefined && { model }),
    ...(thinking && flags.thinking === undefined && { thinking }),
  };
  // An address belongs to the model that is set beside it: the key of another must not be sent there.
  const isElsewhere = own.model !== undefined && own.model !== choices.model && flags.baseUrl === undefined;
  const { baseUrl: _, ...rest } = choices;
  return { ...(isElsewhere ? rest : choices), ...own };
}

function unknown(name: string, agents: readonly AgentPart[], folder: TrustedFolder | undefined): Mistake {
  const isHeld = folder?.type === "untrusted" && folder.holds.files.some(({ kind }) => kind === "agents");
  const held = isHeld ? `; ${HELD}` : "";
  const names = agents.map((agent) => agent.name);
  if (names.length === 0)
    return mistake(`there is no agent ${name}, nor any other; write one into ~/.pith/agents/${name}.md${held}`);
  const near = nearest(name, names);
  const meant = near === null ? "" : ` (did you mean ${near}?)`;
  return mistake(`there is no agent ${name}${meant}; there are: ${names.join(", ")}${held}`);
}

const HELD =
  "the agents of this folder do not count until it is trusted as it is now (look with: pith trust --show, then: pith trust)";

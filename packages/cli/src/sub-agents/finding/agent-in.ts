/** The bytes of an agent's file as an agent, or why they are none. What it says of tools only takes away: no file grants a permission. */

import { basename } from "node:path";
import { textOf } from "@pith/agent";
import type { ThinkingLevel } from "@pith/context";
import { nearest } from "../../asking/nearest.ts";
import { whatIsWrong } from "../../home/settings/what-is-wrong.ts";
import { clipped } from "../../printing/clipped.ts";
import { plain } from "../../printing/plain.ts";
import { frontMatter } from "../../prompting/front-matter.ts";

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
  const written = textOf(bytes);
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

/** Finds out what a question is about: for a change of a file, how that file would differ. Reads the file, and changes nothing. */

import type { Question } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { askedChange } from "../../../workplace/asked-change.ts";
import type { Matter } from "../../panels/permitting/matter.ts";

export interface MatterPlace {
  readonly cwd: string;
  /** What is shown has no secret in it; what is compared has. */
  readonly vault?: Vault | null;
}

export async function matterOf(question: Question, place: MatterPlace, signal: AbortSignal): Promise<Matter> {
  const { intent } = question;
  if (intent?.type === "command") return { kind: "command", command: intent.command };
  if (intent?.type === "fetch") return { kind: "address", url: intent.url };
  // Whatever goes wrong on the way, the question stands.
  const change = await changeOf(question, place, signal).catch(() => null);
  return change ?? { kind: "other", text: wordsOf(question.arguments) };
}

async function changeOf(question: Question, { cwd, vault }: MatterPlace, signal: AbortSignal): Promise<Matter | null> {
  const changed = await askedChange(question, { cwd, vault, mostBytes: MOST_BYTES, signal });
  if (!changed) return null;
  const { createTwoFilesPatch } = await import("diff");
  const { path, before, after } = changed;
  const patch = createTwoFilesPatch(path, path, before ?? "", after, "", "", { context: 3, timeout: LONGEST_MS });
  if (patch === undefined) return null;
  const lines = patch.split("\n").filter((line) => !line.startsWith("\\"));
  // Before it stand a ruler and two names.
  const diff = lines.slice(lines.findIndex((line) => line.startsWith("@@")));
  const clean = redactedBy(vault, { path, diff: diff.join("\n") });
  return { kind: "change", ...clean, isNew: before === null };
}

const MOST_BYTES = 4 * 1024 * 1024;
/** Two texts that have nothing in common could be compared for ever. */
const LONGEST_MS = 300;

function redactedBy<Value>(redaction: Redaction | null | undefined, value: Value): Value {
  return redaction ? redaction.redacted(value) : value;
}

/** One line for each, texts as they are. */
function wordsOf(asked: Question["arguments"]): string {
  return Object.entries(asked)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

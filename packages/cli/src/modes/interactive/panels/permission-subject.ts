/** Shows what a permission question is about: the diff, the whole command or the URL. It reads files and never changes them. */

import type { PermissionQuestion } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { askedChange } from "../../../app/permissions.ts";
import { counted } from "../../../text/format.ts";
import { shownText } from "../render/text.ts";
import type { Theme } from "../render/theme.ts";
import { wrapTextWithAnsi } from "../terminal/pi-tui.ts";

export type Matter =
  /** `diff` is unified, without its two lines of names. */
  | { readonly kind: "change"; readonly path: string; readonly isNew: boolean; readonly diff: string }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "address"; readonly url: string }
  /** Whatever it was called with. */
  | { readonly kind: "other"; readonly text: string };

export interface MatterSight {
  readonly width: number;
  readonly theme: Theme;
}

/** All of it, each line within the width. Drawn anew only for another width or other colours: it may be a file of megabytes. */
export function matterLines(matter: Matter, { width, theme }: MatterSight): readonly string[] {
  const look = `${width} ${theme.name}`;
  const known = drawn.get(matter);
  if (known?.look === look) return known.lines;
  const lines = linesOf(matter, { width, theme });
  drawn.set(matter, { look, lines });
  return lines;
}

const drawn = new WeakMap<Matter, { readonly look: string; readonly lines: readonly string[] }>();

function linesOf(matter: Matter, { width, theme }: MatterSight): readonly string[] {
  switch (matter.kind) {
    case "change":
      return changeLines(matter, { width, theme });
    case "command":
      return wrapped(shownText(matter.command), width).map((line, at) => ` ${theme.dim(at === 0 ? "$" : " ")} ${line}`);
    case "address":
      return wrapped(shownText(matter.url), width).map((line) => `   ${theme.link(line)}`);
    case "other":
      return wrapped(shownText(matter.text), width).map((line) => `   ${line}`);
  }
}

function changeLines({ diff, path, isNew }: Extract<Matter, { kind: "change" }>, sight: MatterSight) {
  const { theme, width } = sight;
  const lines = shownText(diff)
    .replace(/^@@.*\n/, "")
    .split("\n");
  const [added, removed] = [count(lines, "+"), count(lines, "-")];
  const amounts = isNew ? `new, ${counted(added, "line")}` : `+${added} −${removed}`;
  const head = wrapped(shownText(`${path}  ${amounts}`), width).map((line) => ` ${theme.strong(line)}`);
  return [...head, ...lines.flatMap((line) => diffLine(line, sight))];
}

function diffLine(line: string, { width, theme }: MatterSight): readonly string[] {
  if (line === "") return [];
  if (line.startsWith("@@")) return [theme.dim("   ⋯")];
  const sign = line.slice(0, 1);
  const ink = sign === "+" ? theme.added : sign === "-" ? theme.removed : theme.dim;
  return wrapped(line.slice(1), width - 2).map((part, at) => `   ${ink(`${at === 0 ? sign : " "} ${part}`)}`);
}

function count(lines: readonly string[], sign: string): number {
  return lines.filter((line) => line.startsWith(sign)).length;
}

/** With room for what stands before each line. */
function wrapped(text: string, width: number): readonly string[] {
  const room = Math.max(10, width - 4);
  return text.split("\n").flatMap((line) => broken(line, room));
}

/** None of it is left out; only between words it is broken where it is not too long for that. */
function broken(line: string, room: number): readonly string[] {
  // Its letters are its columns, as in nearly every line of code.
  const isNarrow = /^[ -~]*$/.test(line);
  if (isNarrow && line.length <= room) return [line];
  if (line.length <= LONG) return wrapTextWithAnsi(line, room);
  return line.match(isNarrow ? new RegExp(`.{1,${room}}`, "g") : new RegExp(`.{1,${room >> 1}}`, "gu")) ?? [];
}

const LONG = 2_000;

export interface MatterPlace {
  readonly cwd: string;
  /** What is shown has no secret in it; what is compared has. */
  readonly vault?: Vault | null;
}

export async function matterOf(question: PermissionQuestion, place: MatterPlace, signal: AbortSignal): Promise<Matter> {
  const { intent } = question;
  if (intent?.type === "command") return { kind: "command", command: intent.command };
  if (intent?.type === "network" && intent.command !== null) return { kind: "command", command: intent.command };
  if (intent?.type === "fetch") return { kind: "address", url: intent.url };
  // Whatever goes wrong on the way, the question stands.
  const change = await changeOf(question, place, signal).catch(() => null);
  return change ?? { kind: "other", text: wordsOf(question.arguments) };
}

async function changeOf(
  question: PermissionQuestion,
  { cwd, vault }: MatterPlace,
  signal: AbortSignal,
): Promise<Matter | null> {
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
  return redaction ? redaction.redact(value) : value;
}

/** One line for each, texts as they are. */
function wordsOf(asked: PermissionQuestion["arguments"]): string {
  return Object.entries(asked)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/** Translates the citations of a draft from the request it was written for to the request that the program sends now. */

import { messageText, type RecordedMessage, type Row } from "./recording.ts";

/** Which entry each handle of a request names: `e12` or `#12` by its id. */
export type Handles = ReadonlyMap<string, string>;

/**
 * Finds the entries of a request's blocks. Blocks and rows are in the same order, and a request shows a stretch of the rows: of all
 * places to begin, the last one from which most blocks are found. A block that no row gives is passed over.
 */
export function findHandles(request: string, rows: readonly Row[]): Handles {
  const blocks = [...request.matchAll(BLOCK)].map(([, label = "", handle = "", line = ""]) => ({
    label,
    handle,
    line,
  }));
  const starts = rows.map(blockStart);
  let best: Handles = new Map();
  for (let from = 0; from < rows.length; from += 1) {
    const handles = new Map<string, string>();
    let next = from;
    for (const { handle, ...block } of blocks) {
      const at = starts.findIndex((start, index) => index >= next && isBlockOf(start, block));
      if (at < 0) continue;
      handles.set(handle, rows[at]?.id ?? "");
      next = at + 1;
    }
    if (handles.size >= best.size) best = handles;
  }
  return best;
}

const BLOCK = /^\[([A-Z][^\]]*)\]: \[([e#]\d+)\] ?(.*)$/gm;

interface BlockLine {
  readonly label: string;
  readonly line: string;
}

function isBlockOf(start: BlockLine | null, { label, line }: BlockLine): boolean {
  if (start === null || start.label !== label) return false;
  return comparable(line).startsWith(comparable(start.line));
}

function comparable(line: string): string {
  return line.replace(/\s+/g, " ").trim().slice(0, COMPARED);
}

/** Characters of a block's first line; enough to tell neighbours apart, and before anything is left out. */
const COMPARED = 30;

/** How the block of a row begins; null for a row that has none. */
function blockStart({ type, message, summary = "" }: Row): BlockLine | null {
  if (type === "branch_summary") return { label: "Note", line: `(a branch that was left) ${firstLine(summary)}` };
  if (!message || message.role === "system") return null;
  const line = firstLine(messageText(message));
  if (message.role === "user") return { label: "User", line };
  if (message.role === "toolResult") return { label: "Tool result", line: line || "(no output)" };
  return line === "" ? callStart(message) : { label: "Assistant", line };
}

function callStart({ content }: RecordedMessage): BlockLine | null {
  const call = typeof content === "string" ? undefined : content.find(({ type }) => type === "toolCall");
  if (!call) return null;
  const [[key, value] = ["", ""]] = Object.entries(call.arguments ?? {});
  return { label: "Assistant tool calls", line: `${call.name}(${key}=${JSON.stringify(value)}` };
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

export interface Translation {
  readonly text: string;
  /** Citations that name nothing the live request or its summary shows; they are left out. */
  readonly untranslated: readonly string[];
}

export interface TranslationParts {
  /** Of the request that the draft was written for. */
  readonly written: Handles;
  /** Of the request that is answered with it. */
  readonly live: Handles;
  /** Entries that an earlier live request has shown: its summary names them by their long ids. */
  readonly shownBefore: ReadonlySet<string>;
}

export function translateDraft(draft: string, { written, live, shownBefore }: TranslationParts): Translation {
  const handleOf = new Map([...live].map(([handle, id]) => [id, handle]));
  const untranslated: string[] = [];
  const text = draft.replace(CITATION, (group: string) => {
    const references = group.match(REFERENCE) ?? [];
    const named = references.map((reference) => {
      const id = reference.startsWith("entry:") ? reference.slice(6) : written.get(reference);
      const handle = id === undefined ? undefined : handleOf.get(id);
      if (handle !== undefined) return handle;
      if (id !== undefined && (reference.startsWith("entry:") || shownBefore.has(id))) return `entry:${id}`;
      untranslated.push(reference);
      return "";
    });
    const short = named.filter((name) => name !== "" && !name.startsWith("entry:"));
    const long = named.filter((name) => name.startsWith("entry:"));
    return `${formatGroup("[", short, "]")}${formatGroup("(", long, ")")}`;
  });
  return { text, untranslated };
}

/** For a program that knows no citations. */
export function withoutCitations(draft: string): string {
  return draft.replace(CITATION, "");
}

function formatGroup(open: string, names: readonly string[], close: string): string {
  return names.length === 0 ? "" : ` ${open}${names.join(", ")}${close}`;
}

const REFERENCE = /[e#]\d+\b(?!-)|entry:[\w-]+/g;
const CITATION = / ?(?:\[[e#]\d+(?:, ?[e#]\d+)*\]|\(entry:[\w-]+(?:, ?entry:[\w-]+)*\))/g;

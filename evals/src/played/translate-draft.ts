/** Translates the citations of a draft from the request it was written for to the live request of the program. */

import { contentText, type RecordedMessage, type RecordedRow } from "./recording.ts";

/** The entry id of each handle of a request, such as `e12` or `#12`. */
export type HandleMap = ReadonlyMap<string, string>;

/**
 * Finds the entries of a request's blocks. Blocks and rows are in the same order, and a request contains consecutive rows. Of all
 * first rows, the last one with the most matching blocks is used. A block without a matching row is skipped.
 */
export function findHandles(request: string, rows: readonly RecordedRow[]): HandleMap {
  const blocks = [...request.matchAll(BLOCK_PATTERN)].map(([, label = "", handle = "", line = ""]) => ({
    label,
    handle,
    line,
  }));
  const starts = rows.map(firstBlockLine);
  let best: HandleMap = new Map();
  for (let firstRow = 0; firstRow < rows.length; firstRow += 1) {
    const handles = new Map<string, string>();
    let next = firstRow;
    for (const { handle, ...block } of blocks) {
      const position = starts.findIndex((start, index) => index >= next && isBlockOf(start, block));
      if (position < 0) continue;
      handles.set(handle, rows[position]?.id ?? "");
      next = position + 1;
    }
    if (handles.size >= best.size) best = handles;
  }
  return best;
}

const BLOCK_PATTERN = /^\[([A-Z][^\]]*)\]: \[([e#]\d+)\] ?(.*)$/gm;

interface BlockLine {
  readonly label: string;
  readonly line: string;
}

function isBlockOf(start: BlockLine | null, { label, line }: BlockLine): boolean {
  if (start === null || start.label !== label) return false;
  return normalizeLine(line).startsWith(normalizeLine(start.line));
}

function normalizeLine(line: string): string {
  return line.replace(/\s+/g, " ").trim().slice(0, COMPARED_CHARACTERS);
}

/** The number of characters of a first line that are compared: enough to distinguish blocks, and before any truncation. */
const COMPARED_CHARACTERS = 30;

/** The first line of a row's block, or null for a row without a block. */
function firstBlockLine({ type, message, summary = "" }: RecordedRow): BlockLine | null {
  if (type === "branch_summary") return { label: "Note", line: `(a branch that was left) ${firstLine(summary)}` };
  if (!message || message.role === "system") return null;
  const line = firstLine(contentText(message));
  if (message.role === "user") return { label: "User", line };
  if (message.role === "toolResult") return { label: "Tool result", line: line || "(no output)" };
  return line === "" ? firstCallLine(message) : { label: "Assistant", line };
}

function firstCallLine({ content }: RecordedMessage): BlockLine | null {
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
  /** Citations of entries that neither the live request nor its summary contains. They are removed. */
  readonly untranslated: readonly string[];
}

export interface TranslationOptions {
  /** The handles of the request that the draft was written for. */
  readonly written: HandleMap;
  /** The handles of the request that gets the draft as reply. */
  readonly live: HandleMap;
  /** Entries of earlier live requests, which the summary cites by their long ids. */
  readonly shownBefore: ReadonlySet<string>;
}

export function translateDraft(
  draft: string,
  { written: draftHandles, live: liveHandles, shownBefore }: TranslationOptions,
): Translation {
  const handleById = new Map([...liveHandles].map(([handle, id]) => [id, handle]));
  const untranslated: string[] = [];
  const text = draft.replace(CITATION_PATTERN, (group: string) => {
    const references = group.match(REFERENCE_PATTERN) ?? [];
    const translated = references.map((reference) => {
      const id = reference.startsWith("entry:") ? reference.slice(6) : draftHandles.get(reference);
      const handle = id === undefined ? undefined : handleById.get(id);
      if (handle !== undefined) return handle;
      if (id !== undefined && (reference.startsWith("entry:") || shownBefore.has(id))) return `entry:${id}`;
      untranslated.push(reference);
      return "";
    });
    const handles = translated.filter((name) => name !== "" && !name.startsWith("entry:"));
    const entryReferences = translated.filter((name) => name.startsWith("entry:"));
    return `${formatGroup("[", handles, "]")}${formatGroup("(", entryReferences, ")")}`;
  });
  return { text, untranslated };
}

/** Removes all citations, for a program that does not support them. */
export function removeCitations(draft: string): string {
  return draft.replace(CITATION_PATTERN, "");
}

function formatGroup(open: string, names: readonly string[], close: string): string {
  return names.length === 0 ? "" : ` ${open}${names.join(", ")}${close}`;
}

const REFERENCE_PATTERN = /[e#]\d+\b(?!-)|entry:[\w-]+/g;
const CITATION_PATTERN = / ?(?:\[[e#]\d+(?:, ?[e#]\d+)*\]|\(entry:[\w-]+(?:, ?entry:[\w-]+)*\))/g;

/** Defines the blocks of a transcript, in the order of the log, and splits Markdown text into paragraphs. Pure. */

import type { CompactionEntry, ImageBlock } from "@pith/context";

export type Block =
  | UserBlock
  | AssistantBlock
  | ThinkingBlock
  | ToolBlock
  | ShellBlock
  | CompactionBlock
  | BranchSummaryBlock
  | PinBlock
  | NoteBlock;

interface BlockBase {
  /** The id of the entry or tool call. A block that is not an entry yet has its own id. */
  readonly id: string;
  /** No empty line separates it from the block above. */
  readonly isAttached?: true;
}

/** A user message. */
export interface UserBlock extends BlockBase {
  readonly kind: "user";
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** Set if a program wrote the message, and not the user. */
  readonly from?: "program";
}

/** The model's answer, as Markdown. */
export interface AssistantBlock extends BlockBase {
  readonly kind: "assistant";
  readonly text: string;
  /** Whether it is still streaming. */
  readonly isOpen: boolean;
  /** The newest delta neither started nor ended a line, so no more of the text is finished than before. */
  readonly isWithinLine?: boolean;
  /** The number of characters that are already printed. */
  readonly printed: number;
  /** The code block that is open at `printed`. */
  readonly code?: FencedCode;
}

/** The model's thinking. */
export interface ThinkingBlock extends BlockBase {
  readonly kind: "thinking";
  readonly text: string;
  readonly isOpen: boolean;
  /** In milliseconds. Absent for a block read from the log. */
  readonly startedAt?: number;
  readonly durationMs?: number;
  /** Already printed. The block only keeps its place in a reply that is still streaming. */
  readonly isPrinted?: true;
}

/** A tool call and its result. */
export interface ToolBlock extends BlockBase {
  readonly kind: "tool";
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /**
   * `writing`: the arguments are still streaming. `waiting`: not started, for example because the user is asked first. `stopped`: the
   * user stopped it. `broken-off`: it has no result.
   */
  readonly state: "writing" | "waiting" | "running" | "done" | "failed" | "stopped" | "denied" | "broken-off";
  /** The output so far, or the final output. */
  readonly output: string;
  readonly images: readonly ImageBlock[];
  /** A unified diff, if the call changed a file. */
  readonly diff?: string;
  /** Of a command that ended. */
  readonly exitCode?: number;
  /** In milliseconds. Absent for a block read from the log. */
  readonly startedAt?: number;
  readonly durationMs?: number;
}

/** A shell line of the user. */
export interface ShellBlock extends BlockBase {
  readonly kind: "shell";
  readonly command: string;
  readonly output: string;
  readonly exitCode: number | null;
  readonly isCancelled: boolean;
  /** The model does not see it. */
  readonly isPrivate: boolean;
  readonly isOpen: boolean;
}

/** A compaction, shown as its receipt. */
export interface CompactionBlock extends BlockBase {
  readonly kind: "compaction";
  readonly entry: CompactionEntry;
  readonly warnings: readonly string[];
  /** The line about the files that were read again. */
  readonly rereadFiles?: string;
  readonly isUndone: boolean;
}

/** The summary of a branch that the user left. */
export interface BranchSummaryBlock extends BlockBase {
  readonly kind: "branch-summary";
  readonly summary: string;
}

export interface PinBlock extends BlockBase {
  readonly kind: "pin";
  readonly text: string;
}

/** A message from Pith. */
export interface NoteBlock extends BlockBase {
  readonly kind: "note";
  readonly tone: "plain" | "good" | "warning" | "bad";
  /** A line of its own above the text. */
  readonly title?: string;
  readonly text: string;
  /** Drawn as a line across the screen that separates the blocks above from those below. */
  readonly isDivider?: true;
}

/** Whether the block is not an entry yet. */
export function isDraft({ id }: Block): boolean {
  return id.startsWith(DRAFT_ID_PREFIX);
}

export const DRAFT_ID_PREFIX = "draft:";

/** Whether the block is folded by default. It stays in the live region, where it can be unfolded, until another block follows. */
export function isFoldable({ kind }: Block): boolean {
  return (
    kind === "tool" || kind === "compaction" || kind === "thinking" || kind === "shell" || kind === "branch-summary"
  );
}

/** Whether the block no longer changes by itself. */
export function isFinished(block: Block): boolean {
  switch (block.kind) {
    case "assistant":
    case "thinking":
    case "shell":
      return !block.isOpen;
    case "tool":
      return block.state !== "writing" && block.state !== "waiting" && block.state !== "running";
    default:
      return true;
  }
}

export interface Paragraph {
  readonly start: number;
  readonly end: number;
  /** Null if it is not fenced code. */
  readonly code: FencedCode | null;
  /** Whether its closing fence is there. */
  readonly isClosed: boolean;
}

export interface FencedCode {
  /** The opening fence. */
  readonly fence: string;
  readonly language: string;
  /** The offset of the first line after the opening fence. */
  readonly start: number;
}

/**
 * Splits text into paragraphs that can be parsed separately: later text never changes them. Starts at `offset`, where a paragraph begins,
 * or a line of the open code block `openCode`. The last paragraph may be empty.
 */
export function* splitParagraphs(
  text: string,
  offset: number,
  openCode: FencedCode | null = null,
): Generator<Paragraph> {
  let [start, code] = [offset, openCode];
  let [innerFence, isAfterBlank] = [null as string | null, false];
  for (const { lineStart, line, nextStart } of iterateLines(text, offset)) {
    if (code) {
      if (updateOpenFence(code.fence, line) !== null) continue;
      yield { start, end: nextStart, code, isClosed: true };
      [start, code, isAfterBlank] = [nextStart, null, false];
      continue;
    }
    const openedCode = innerFence === null ? parseOpeningFence(line, nextStart) : null;
    // An indented line belongs to the paragraph above.
    const isNew = openedCode !== null || (innerFence === null && isAfterBlank && /^\S/.test(line));
    if (isNew && lineStart > start) yield { start, end: lineStart, code: null, isClosed: false };
    if (isNew) start = lineStart;
    if (openedCode) code = openedCode;
    else innerFence = updateOpenFence(innerFence, line);
    isAfterBlank = innerFence === null && line.trim() === "";
  }
  yield { start, end: text.length, code, isClosed: false };
}

/** Returns the code block that is open at an offset. Null if there is none. */
export function findOpenCode(text: string, offset: number): FencedCode | null {
  for (const { start, end, code, isClosed } of splitParagraphs(text.slice(0, offset), 0))
    if (end >= offset) return code && !isClosed && offset >= code.start && start < offset ? code : null;
  return null;
}

interface SourceLine {
  readonly lineStart: number;
  /** The beginning of the line, long enough to recognise a fence. */
  readonly line: string;
  readonly nextStart: number;
}

function* iterateLines(text: string, offset: number): Generator<SourceLine> {
  for (let lineStart = offset; lineStart < text.length; ) {
    const end = text.indexOf("\n", lineStart);
    const nextStart = end === -1 ? text.length : end + 1;
    yield {
      lineStart,
      line: text.slice(lineStart, Math.min(end === -1 ? nextStart : end, lineStart + MAX_FENCE_LINE_CHARS)),
      nextStart,
    };
    lineStart = nextStart;
  }
}

/** No fence is longer. */
const MAX_FENCE_LINE_CHARS = 200;

/** An indented fence belongs to a list. */
function parseOpeningFence(line: string, start: number): FencedCode | null {
  const fence = line.startsWith(" ") ? null : updateOpenFence(null, line);
  return fence === null ? null : { fence, language: line.slice(fence.length).trim(), start };
}

/** Returns the fence that is open after a line. Null if there is none. */
function updateOpenFence(fence: string | null, line: string): string | null {
  const lineFence = FENCE_PATTERN.exec(line)?.[1];
  if (fence === null) return lineFence ?? null;
  return lineFence?.startsWith(fence) && line.trim() === lineFence ? null : fence;
}

/** No backtick may follow a fence of backticks on its line: that would be inline code. */
const FENCE_PATTERN = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Defines the blocks of a transcript, in the order of the log, and splits Markdown text into paragraphs. Pure. */

import type { CompactionEntry, ImageBlock } from "@pith/context";

export type Block =
  | UserBlock
  | AssistantBlock
  | ThoughtBlock
  | ToolBlock
  | ShellBlock
  | CompactionBlock
  | BranchSummaryBlock
  | PinBlock
  | NoteBlock;

interface BlockBase {
  /** Of the entry it stands for, or of the call; blocks of what is not yet an entry have one of their own. */
  readonly id: string;
  /** Belongs so closely to what stands above it that no empty line is between them. */
  readonly isAttached?: true;
}

/** What a person said. */
export interface UserBlock extends BlockBase {
  readonly kind: "said";
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** Who put it there, if no person. */
  readonly from?: "program";
}

/** What the model answered, as Markdown. */
export interface AssistantBlock extends BlockBase {
  readonly kind: "answered";
  readonly text: string;
  /** Still being written. */
  readonly isOpen: boolean;
  /** Its newest piece began no line and ended none, so that no more of it is settled than before. */
  readonly isWithinLine?: boolean;
  /** Letters at its beginning that were printed already. */
  readonly printed: number;
  /** The code that is open there, where it goes on. */
  readonly code?: FencedCode;
}

/** What the model thought before it answered. */
export interface ThoughtBlock extends BlockBase {
  readonly kind: "thought";
  readonly text: string;
  readonly isOpen: boolean;
  /** When it began, in milliseconds; absent for what is read from the log. */
  readonly startedAt?: number;
  readonly durationMs?: number;
  /** It stands above already: only its place in the reply that is still coming is kept. */
  readonly isPrinted?: true;
}

/** A call of a tool, and what came of it. */
export interface ToolBlock extends BlockBase {
  readonly kind: "called";
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `writing`: its arguments are still coming. `waiting`: not begun, perhaps since somebody is asked first. */
  readonly state: "writing" | "waiting" | "running" | "done" | "failed" | "broken-off";
  /** What it said, so far or in the end. */
  readonly output: string;
  readonly images: readonly ImageBlock[];
  /** A unified diff, where it changed a file. */
  readonly diff?: string;
  /** When it began, in milliseconds; absent for what is read from the log. */
  readonly startedAt?: number;
  readonly durationMs?: number;
}

/** A shell line of the user's own. */
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

/** A compaction: its receipt, folded. */
export interface CompactionBlock extends BlockBase {
  readonly kind: "compacted";
  readonly entry: CompactionEntry;
  /** What a person should know of it. */
  readonly warnings: readonly string[];
  readonly isUndone: boolean;
}

/** What happened on a branch that was left. */
export interface BranchSummaryBlock extends BlockBase {
  readonly kind: "branch-told";
  readonly summary: string;
}

export interface PinBlock extends BlockBase {
  readonly kind: "pinned";
  readonly text: string;
}

/** Something the program has to say. */
export interface NoteBlock extends BlockBase {
  readonly kind: "note";
  readonly tone: "plain" | "good" | "warning" | "bad";
  readonly text: string;
  /** It parts what stands above from what comes: a line across the screen. */
  readonly divides?: true;
}

/** What is still being written and is not yet an entry. */
export function isDraft({ id }: Block): boolean {
  return id.startsWith(DRAFT_ID_PREFIX);
}

/** Ids of drafts begin with it. */
export const DRAFT_ID_PREFIX = "draft:";

/** Folded, unless somebody opens it: it stays where it can be opened until something comes behind it. */
export function isFoldable({ kind }: Block): boolean {
  return kind === "called" || kind === "compacted" || kind === "thought" || kind === "shell" || kind === "branch-told";
}

/** Whether nothing of it will change by itself. */
export function isFinished(block: Block): boolean {
  switch (block.kind) {
    case "answered":
    case "thought":
    case "shell":
      return !block.isOpen;
    case "called":
      return block.state === "done" || block.state === "failed" || block.state === "broken-off";
    default:
      return true;
  }
}

export interface Paragraph {
  readonly start: number;
  readonly end: number;
  /** Where it is fenced code. */
  readonly code: FencedCode | null;
  /** Whether its last fence is there. */
  readonly isClosed: boolean;
}

export interface FencedCode {
  /** The fence it is opened with. */
  readonly fence: string;
  readonly language: string;
  /** Where its first line begins, behind that fence. */
  readonly start: number;
}

/**
 * Each paragraph is parsed by itself: text written behind it never changes it. From `from`, where a paragraph begins, or a line of the
 * code that is open there. The last may be empty.
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
    // What is indented belongs to what stands above it.
    const isNew = openedCode !== null || (innerFence === null && isAfterBlank && /^\S/.test(line));
    if (isNew && lineStart > start) yield { start, end: lineStart, code: null, isClosed: false };
    if (isNew) start = lineStart;
    if (openedCode) code = openedCode;
    else innerFence = updateOpenFence(innerFence, line);
    isAfterBlank = innerFence === null && line.trim() === "";
  }
  yield { start, end: text.length, code, isClosed: false };
}

/** The code that is open at a place; null for none. */
export function findOpenCode(text: string, offset: number): FencedCode | null {
  for (const { start, end, code, isClosed } of splitParagraphs(text.slice(0, offset), 0))
    if (end >= offset) return code && !isClosed && offset >= code.start && start < offset ? code : null;
  return null;
}

interface SourceLine {
  readonly lineStart: number;
  /** As much of it as tells what it is. */
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

/** Nothing that opens or closes a fence is longer. */
const MAX_FENCE_LINE_CHARS = 200;

/** A fence that is set in belongs to a list. */
function parseOpeningFence(line: string, start: number): FencedCode | null {
  const fence = line.startsWith(" ") ? null : updateOpenFence(null, line);
  return fence === null ? null : { fence, language: line.slice(fence.length).trim(), start };
}

/** The fence that is open behind a line; null for none. */
function updateOpenFence(fence: string | null, line: string): string | null {
  const lineFence = FENCE_PATTERN.exec(line)?.[1];
  if (fence === null) return lineFence ?? null;
  return lineFence?.startsWith(fence) && line.trim() === lineFence ? null : fence;
}

/** Behind one of back ticks there are no more of them: that would be code within words. */
const FENCE_PATTERN = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Defines the blocks of a transcript, in the order of the log, and splits Markdown text into paragraphs. Pure. */

import type { CompactionEntry, ImageBlock } from "@pith/context";

export type Block = Said | Answered | Thought | Called | ShellLine | Compacted | BranchTold | Pinned | Note;

interface Placed {
  /** Of the entry it stands for, or of the call; blocks of what is not yet an entry have one of their own. */
  readonly id: string;
  /** Belongs so closely to what stands above it that no empty line is between them. */
  readonly isClose?: true;
}

/** What a person said. */
export interface Said extends Placed {
  readonly kind: "said";
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** Who put it there, if no person. */
  readonly from?: "program";
}

/** What the model answered, as Markdown. */
export interface Answered extends Placed {
  readonly kind: "answered";
  readonly text: string;
  /** Still being written. */
  readonly isOpen: boolean;
  /** Its newest piece began no line and ended none, so that no more of it is settled than before. */
  readonly isWithinLine?: boolean;
  /** Letters at its beginning that were printed already. */
  readonly printed: number;
  /** The code that is open there, where it goes on. */
  readonly code?: Code;
}

/** What the model thought before it answered. */
export interface Thought extends Placed {
  readonly kind: "thought";
  readonly text: string;
  readonly isOpen: boolean;
  /** When it began, in milliseconds; absent for what is read from the log. */
  readonly since?: number;
  readonly tookMs?: number;
  /** It stands above already: only its place in the reply that is still coming is kept. */
  readonly isPrinted?: true;
}

/** A call of a tool, and what came of it. */
export interface Called extends Placed {
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
  readonly since?: number;
  readonly tookMs?: number;
}

/** A shell line of the user's own. */
export interface ShellLine extends Placed {
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
export interface Compacted extends Placed {
  readonly kind: "compacted";
  readonly entry: CompactionEntry;
  /** What a person should know of it. */
  readonly warnings: readonly string[];
  readonly isUndone: boolean;
}

/** What happened on a branch that was left. */
export interface BranchTold extends Placed {
  readonly kind: "branch-told";
  readonly summary: string;
}

export interface Pinned extends Placed {
  readonly kind: "pinned";
  readonly text: string;
}

/** Something the program has to say. */
export interface Note extends Placed {
  readonly kind: "note";
  readonly tone: "plain" | "good" | "warning" | "bad";
  readonly text: string;
  /** It parts what stands above from what comes: a line across the screen. */
  readonly divides?: true;
}

/** What is still being written and is not yet an entry. */
export function isDraft({ id }: Block): boolean {
  return id.startsWith(DRAFT);
}

/** Ids of drafts begin with it. */
export const DRAFT = "draft:";

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
  readonly code: Code | null;
  /** Whether its last fence is there. */
  readonly isClosed: boolean;
}

export interface Code {
  /** The fence it is opened with. */
  readonly mark: string;
  readonly language: string;
  /** Where its first line begins, behind that fence. */
  readonly start: number;
}

/**
 * Each paragraph is parsed by itself: text written behind it never changes it. From `from`, where a paragraph begins, or a line of the
 * code that is open there. The last may be empty.
 */
export function* paragraphs(text: string, from: number, open: Code | null = null): Generator<Paragraph> {
  let [start, code] = [from, open];
  let [inner, isBlank] = [null as string | null, false];
  for (const { at, line, next } of linesFrom(text, from)) {
    if (code) {
      if (fenceAfter(code.mark, line) !== null) continue;
      yield { start, end: next, code, isClosed: true };
      [start, code, isBlank] = [next, null, false];
      continue;
    }
    const opened = inner === null ? codeOpenedBy(line, next) : null;
    // What is indented belongs to what stands above it.
    const isNew = opened !== null || (inner === null && isBlank && /^\S/.test(line));
    if (isNew && at > start) yield { start, end: at, code: null, isClosed: false };
    if (isNew) start = at;
    if (opened) code = opened;
    else inner = fenceAfter(inner, line);
    isBlank = inner === null && line.trim() === "";
  }
  yield { start, end: text.length, code, isClosed: false };
}

/** The code that is open at a place; null for none. */
export function codeAt(text: string, place: number): Code | null {
  for (const { start, end, code, isClosed } of paragraphs(text.slice(0, place), 0))
    if (end >= place) return code && !isClosed && place >= code.start && start < place ? code : null;
  return null;
}

interface Line {
  readonly at: number;
  /** As much of it as tells what it is. */
  readonly line: string;
  readonly next: number;
}

function* linesFrom(text: string, from: number): Generator<Line> {
  for (let at = from; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const next = end === -1 ? text.length : end + 1;
    yield { at, line: text.slice(at, Math.min(end === -1 ? next : end, at + LONGEST_MARK)), next };
    at = next;
  }
}

/** Nothing that opens or closes a fence is longer. */
const LONGEST_MARK = 200;

/** A fence that is set in belongs to a list. */
function codeOpenedBy(line: string, start: number): Code | null {
  const mark = line.startsWith(" ") ? null : fenceAfter(null, line);
  return mark === null ? null : { mark, language: line.slice(mark.length).trim(), start };
}

/** The fence that is open behind a line; null for none. */
function fenceAfter(fence: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1];
  if (fence === null) return mark ?? null;
  return mark?.startsWith(fence) && line.trim() === mark ? null : fence;
}

/** Behind one of back ticks there are no more of them: that would be code within words. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

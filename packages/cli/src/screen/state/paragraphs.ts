/** A Markdown text in paragraphs: pieces that are read each by itself, so that what is written behind one changes nothing in it. Pure. */

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

/** From `from`, where a paragraph begins, or a line of the code that is open there. The last may be empty. */
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

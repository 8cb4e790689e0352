/** Reads the request that follows a compaction: the user's messages it shows, the lines of its summary, and what it says about messages that it does not show. */

import { buildSessionContext, type CompactionEntry, type LoadedBranch } from "@pith/context";
import { readSummaryPartTexts } from "@pith/context/host";
import { isMarked } from "../survival/replying-model.ts";

export interface CompactedRequest {
  /** What the request shows of each message of the user, by number. */
  readonly shownTexts: ReadonlyMap<number, string>;
  readonly lines: readonly SummaryLine[];
  readonly omitted: OmittedMessages;
}

/** A line of the summary that a model wrote. */
export interface SummaryLine {
  readonly text: string;
  /** The numbers that it cites. */
  readonly numbers: readonly number[];
  /** Whether the check of the summary could not confirm it. */
  readonly isMarked: boolean;
}

/** What the request says about messages that are not shown word for word. */
export interface OmittedMessages {
  /** Messages of which the request shows the first words. */
  readonly stubs: ReadonlySet<number>;
  /** Messages whose missing text the lines of the summary carry over, according to the request. */
  readonly carried: ReadonlySet<number>;
  /** How many older messages are carried over that the request does not list by number. The lines cite them. */
  readonly olderCarried: number;
  /** The messages that are neither shown nor carried over. */
  readonly range: NumberRange | null;
}

export interface NumberRange {
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** Reads the request at the end of a branch whose newest entries are a compaction. */
export function readCompactedRequest(branch: LoadedBranch): CompactedRequest {
  const parts = readSummaryPartTexts(findCompaction(branch)).map(({ part, text }) => ({ kind: part.kind, text }));
  return parseRequestParts(parts, readTailTexts(branch));
}

export function findCompaction({ entries, compactionIndex }: LoadedBranch): CompactionEntry {
  const compaction = entries[compactionIndex];
  if (compaction?.type !== "compaction") throw new Error("the branch has no compaction");
  return compaction;
}

/** The texts of the user's messages after the summary message, by number. */
function readTailTexts(branch: LoadedBranch): readonly NumberedText[] {
  const numbers = new Map(branch.entries.map(({ id, number }) => [id, number]));
  const { messages, sources } = buildSessionContext(branch);
  return messages.flatMap((message, index) => {
    const number = numbers.get(sources[index] ?? "");
    return message.role === "user" && number !== undefined ? [{ number, text: readContent(message.content) }] : [];
  });
}

function readContent(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");
}

/** A part of the summary message, with its kind in `details.pith.front`. */
export interface RequestPart {
  readonly kind: string;
  readonly text: string;
}

export interface NumberedText {
  readonly number: number;
  readonly text: string;
}

export function parseRequestParts(
  parts: readonly RequestPart[],
  tailTexts: readonly NumberedText[] = [],
): CompactedRequest {
  const joinParts = (...kinds: readonly string[]): string =>
    parts.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : [])).join("\n");
  const texts = [
    ...parseMessages(joinParts("pins", "words")),
    ...parseLatestRequest(joinParts("request")),
    ...tailTexts,
  ];
  const shownTexts = new Map<number, string>();
  for (const { number, text } of texts) shownTexts.set(number, `${shownTexts.get(number) ?? ""}${text}\n`);
  return { shownTexts, lines: parseLines(joinParts("story")), omitted: parseOmitted(joinParts("omitted")) };
}

/** Splits a text into messages. Each begins with a line that has its number, and may have the question that it answers. */
export function parseMessages(text: string): readonly NumberedText[] {
  const messages: { readonly number: number; text: string }[] = [];
  for (const line of text.split("\n")) {
    const [, number] = MESSAGE_START.exec(line) ?? [];
    const last = messages.at(-1);
    if (number !== undefined) messages.push({ number: Number(number), text: "" });
    else if (last && !line.startsWith("# ")) last.text += `${line}\n`;
  }
  return messages;
}

const MESSAGE_START = /^\[#(\d+)\](?: \(.*\))?$/;

function parseLatestRequest(text: string): readonly NumberedText[] {
  const [, number, message] = /^# [^\n]*? \[#(\d+)\][^\n]*\n([\s\S]*)$/.exec(text.trim()) ?? [];
  return number === undefined || message === undefined ? [] : [{ number: Number(number), text: message }];
}

function parseLines(story: string): readonly SummaryLine[] {
  return story
    .split("\n")
    .filter((line) => /^\s*(?:[-*]|\d+\.) /.test(line))
    .map((line) => ({
      text: line.replace(/^\s*(?:[-*]|\d+\.) (?:\[[ x]\] )?/, ""),
      numbers: [...line.matchAll(CITATION)].flatMap(([, numbers = ""]) => (numbers.match(/\d+/g) ?? []).map(Number)),
      isMarked: isMarked(line),
    }));
}

const CITATION = /\[(#\d+(?:\s*[,;–-]\s*#?\d+)*)\]/g;

function parseOmitted(text: string): OmittedMessages {
  const [stubs, carried] = [new Set<number>(), new Set<number>()];
  let range: NumberRange | null = null;
  let olderCarried = 0;
  for (const line of text.split("\n")) {
    const [, stub] = /^(?:- )?\[#(\d+)\] ./.exec(line) ?? [];
    const [, count, first, last = first] = RANGE_LINE.exec(line) ?? [];
    if (stub !== undefined) stubs.add(Number(stub));
    else if (count !== undefined) range = { count: toInteger(count), first: Number(first), last: Number(last) };
    else {
      for (const number of findNumbers(line)) carried.add(number);
      olderCarried += toInteger(/\b([\d,]+) older messages?\b/.exec(line)?.[1] ?? "0");
    }
  }
  return { stubs, carried, olderCarried, range };
}

function toInteger(text: string): number {
  return Number(text.replaceAll(",", ""));
}

const RANGE_LINE = /^(?:- )?Not shown and not carried over: ([\d,]+) messages?, #(\d+)(?:\s*[–—-]\s*#(\d+))?/;

/** Finds the numbers in a text. A range such as `#5–#8` stands for all numbers in it. */
export function findNumbers(text: string): readonly number[] {
  return [...text.matchAll(/#(\d+)(?:\s*[–—-]\s*#(\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Math.max(0, Number(last) - Number(first) + 1) }, (_, index) => Number(first) + index),
  );
}

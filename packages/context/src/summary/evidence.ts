/** Collects what a summary is checked against: the ids, names and user texts in the log. Each answer is computed once, on first use. */

import { entryWords, provenance } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { foldAccents, wordsIn } from "../text/sanitize.ts";
import { isQuotingLine, quotingLine } from "./claims/claim.ts";
import { footings } from "./claims/footings.ts";
import { type Heard, heard } from "./claims/heard.ts";
import { bare, citedIds, headingOf, linesOf, placeLines, type StoryLine, saysNothing } from "./summary-lines.ts";

/** What a line begins with that is carried on without being verified. */
export const EARLIER = "earlier summary, not verified:";

export const isMarked = (text: string): boolean => bare(text).startsWith(EARLIER);

/** The line without its mark. */
export const unmarked = (text: string): string => bare(text).replace(EARLIER, "").trim();

export interface EarlierParts {
  readonly previous: string;
  /** Then only the lines with the mark are not verified. */
  readonly isOurs: boolean;
}

/** The unverified lines of an earlier summary: they are carried on only with the `EARLIER` mark. */
export function earlierLines({ previous, isOurs }: EarlierParts): ReadonlyMap<string, Heard> {
  const lines = linesOf(previous).filter((text) => !headingOf(text) && !saysNothing(text));
  const open = isOurs ? lines.filter(isMarked) : lines;
  return new Map(open.map((text) => [text, heard(unmarked(text))]));
}

export interface KnownNames {
  /** `auth`, `getusername`. */
  readonly words: ReadonlySet<string>;
  /** `auth.ts`, `src/auth`, `2.1`. */
  readonly pairs: ReadonlySet<string>;
}

export function knownNames(texts: Iterable<string>): KnownNames {
  const words = new Set<string>();
  const pairs = new Set<string>();
  for (const text of texts) {
    note(text, { words, pairs });
    // What is quoted inside JSON has its line ends as letters.
    if (/\\[nrt]/.test(text)) note(text.replace(/\\[nrt]/g, " "), { words, pairs });
  }
  return { words, pairs };
}

interface Noting {
  readonly words: Set<string>;
  readonly pairs: Set<string>;
}

function note(text: string, { words, pairs }: Noting): void {
  for (const { word, pair } of joints(text)) {
    for (const name of [word, withoutV(word)]) words.add(name);
    if (pair !== null) for (const name of [pair, withoutV(pair)]) pairs.add(name);
    if (isHash(word)) words.add(`${word.slice(0, SHORT_HASH)}…`);
  }
}

/** A version is the same with and without. */
export const withoutV = (name: string): string => name.replace(/^v(?=\d)/i, "");

export interface Joint {
  readonly word: string;
  /** With the word before it, where one mark joins them. */
  readonly pair: string | null;
}

export function joints(text: string): readonly Joint[] {
  const found: Joint[] = [];
  const plain = foldAccents(text).replaceAll("\\", "/");
  let before = "";
  let end = -1;
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const isJoined = index === end + 1 && /[./:@#+~-]/.test(plain[end] ?? "");
    found.push({ word, pair: isJoined ? `${before}${plain[end]}${word}` : null });
    before = word;
    end = index + word.length;
  }
  return found;
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

const isHash = (word: string): boolean => /^[\da-f]{7,64}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word);

/** A word itself, or its plural, or the beginning of a hash. */
export function isKnownWord(word: string, { words }: KnownNames): boolean {
  if (words.has(word) || words.has(`${word}s`)) return true;
  if (word.endsWith("s") && words.has(word.slice(0, -1))) return true;
  return isHash(word) && words.has(`${word.slice(0, SHORT_HASH)}…`);
}

const SHORT_HASH = 7;

/** Whether a person typed these words in a row, in one entry; `…` in a quotation stands for words left out. */
export type Quotable = (quotation: string) => boolean;

/** What is asked costs what the quotation is long, not what was typed. */
export function quotable(texts: readonly string[]): Quotable {
  const typed = typedWords(texts);
  return (quotation) => {
    const parts = partsOf(quotation).map((words) => ({ length: words.length, starts: startsOf(words, typed) }));
    const [first] = parts;
    if (!first) return true;
    return [...new Set(first.starts.map((at) => typed.entryOf[at]))].some((entry) => {
      const isHere = (at: number): boolean => typed.entryOf[at] === entry;
      return followEachOther(parts, isHere);
    });
  };
}

interface Typed {
  readonly words: readonly string[];
  /** In which of the texts a word stands. */
  readonly entryOf: readonly number[];
  /** Where a word stands, and where two follow each other; of very many places the first. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function typedWords(texts: readonly string[]): Typed {
  const rows = texts.map((text) => [...wordsIn(text), END]);
  const words = rows.flat();
  const places = new Map<string, number[]>();
  words.forEach((word, at) => {
    notePlace(places, word, at);
    notePlace(places, `${word} ${words[at + 1]}`, at);
  });
  return { words, entryOf: rows.flatMap((row, entry) => row.map(() => entry)), places };
}

/** No word. */
const END = "\n";

function notePlace(places: Map<string, number[]>, key: string, at: number): void {
  const known = places.get(key);
  if (!known) places.set(key, [at]);
  else if (known.length < MOST) known.push(at);
}

const MOST = 100;

function partsOf(quotation: string): readonly (readonly string[])[] {
  const parts = quotation.normalize("NFKC").split(/\.{3,}/);
  return parts.map(wordsIn).filter((words) => words.length > 0);
}

function startsOf(part: readonly string[], { words, places }: Typed): readonly number[] {
  const [first = "", ...others] = part;
  let rarest = { places: places.get(first) ?? [], offset: 0 };
  others.forEach((word, offset) => {
    const pair = places.get(`${part[offset]} ${word}`) ?? [];
    if (offset === 0 || pair.length < rarest.places.length) rarest = { places: pair, offset };
  });
  const starts = rarest.places.map((at) => at - rarest.offset);
  return starts.filter((start) => part.every((word, offset) => words[start + offset] === word));
}

interface Part {
  readonly length: number;
  readonly starts: readonly number[];
}

function followEachOther(parts: readonly Part[], isHere: (at: number) => boolean): boolean {
  let from = 0;
  return parts.every(({ length, starts }) => {
    const start = starts.find((at) => at >= from && isHere(at));
    from = (start ?? 0) + length;
    return start !== undefined;
  });
}

/** All texts of an entry, but no image data. No recursion: entries come from files, and may be nested deeply. */
export function* textsIn({ id: _id, parentId: _parentId, timestamp: _timestamp, ...said }: Entry): Generator<string> {
  const open: unknown[] = [said];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") yield value;
    if (typeof value === "number") yield String(value);
    if (typeof value !== "object" || value === null || isImage(value)) continue;
    for (const [key, part] of Object.entries(value)) {
      if (SILENT.has(key)) continue;
      if (!Array.isArray(value)) yield key;
      open.push(part);
    }
  }
}

const isImage = (value: object): boolean => "type" in value && value.type === "image";

const SILENT: ReadonlySet<string> = new Set([
  "usage",
  "timestamp",
  "textSignature",
  "thinkingSignature",
  "thoughtSignature",
  "served",
]);

/** Where typed texts are found: covered entries, words kept earlier, and the user's sections of an audited summary. */
export interface TypedParts {
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  /** The story carried on; empty for none. */
  readonly previous: string;
  /** Whether that one was written and audited by us. */
  readonly isOurs: boolean;
  /** Blocks of the user's words kept earlier: `[entry:ID]`, and below it the words. */
  readonly words: string;
  /** The user's latest request, where the kept part of the context does not say it. */
  readonly request: { readonly id: string; readonly text: string } | null;
}

/** Oldest first; an entry may have said something in several of these places. */
export function typedTexts(parts: TypedParts): ReadonlyMap<string, readonly string[]> {
  const said = [
    ...(parts.isOurs ? storySaid(parts) : []),
    ...blocksSaid(parts.words),
    ...coveredSaid(parts),
    ...(parts.request ? [parts.request] : []),
  ];
  const byId = Map.groupBy(
    said.filter(({ text }) => /\S/.test(text)),
    ({ id }) => id,
  );
  return new Map([...byId].map(([id, same]) => [id, same.map(({ text }) => text)]));
}

interface Said {
  readonly id: string;
  readonly text: string;
}

/** Goal and Constraints of a story that was audited: each line rests on the entries it cites. */
function storySaid({ previous, covered }: TypedParts): readonly Said[] {
  const others = new Set(covered.filter((entry) => provenance(entry) !== "person").map(({ id }) => id));
  return placeLines(linesOf(previous))
    .filter(({ passes }) => passes === "by-section")
    .flatMap(({ text }) => citedIds(text).map((id) => ({ id, text: bare(text) })))
    .filter(({ id }) => !others.has(id));
}

function blocksSaid(words: string): readonly Said[] {
  const [, ...parts] = words.split(/(?:^|\n)\[entry:([^\]\n]+)\]\n/);
  return parts.flatMap((id, at) => (at % 2 === 0 ? [{ id, text: parts[at + 1] ?? "" }] : []));
}

function coveredSaid({ covered, edits }: TypedParts): readonly Said[] {
  return covered
    .filter((entry) => provenance(entry) === "person")
    .map((entry) => ({ id: entry.id, text: entryWords(entry, edits) }));
}

export interface EvidenceParts extends TypedParts {
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly pins: readonly string[];
  readonly ledger: string;
}

export interface Evidence {
  /** The user's latest request, where the kept part of the context does not say it. */
  readonly request: EvidenceParts["request"];
  /** The id of an entry as the log has it; null for one that does not exist. A full stop behind it is no part of it. */
  readonly knownId: (id: string) => string | null;
  /** Whether what was covered names a blob of this hash. */
  readonly isBlob: (hash: string) => boolean;
  /** What a person said in an entry; null where no person did. */
  readonly heardUnder: (id: string) => Heard | null;
  /** Whether a line is the first words of an entry as a person typed it, in the one form they are quoted in. */
  readonly isOpening: (id: string, line: string) => boolean;
  /** The first words of an entry as a person typed it, as a line that quotes them; null where no person did. */
  readonly openingOf: (id: string) => string | null;
  /** Whether a person typed these words, somewhere and in a row. */
  readonly isTyped: (words: string) => boolean;
  /** The newest entry of a person that a claim clearly rests on. */
  readonly footing: (claim: string) => string | null;
  /** Whether a line says what an earlier summary says that nobody has checked. */
  readonly isEarlier: (line: string) => boolean;
  readonly names: () => KnownNames;
  /** All that people typed, entry by entry. */
  readonly typed: () => readonly string[];
}

export function evidenceOf(parts: EvidenceParts): Evidence {
  const texts = once(() => typedTexts(parts));
  const typed = once(() => [...texts().values()].map((each) => each.join("\n")));
  const said = once(() => new Map([...texts()].map(([id, each]) => [id, once(() => heard(each.join("\n")))])));
  const names = once(() => knownNames(allTexts(parts)));
  const ids = once(() => knownIds(parts));
  const isTyped = once(() => quotable([...texts().values()].flat()));
  const footing = once(() => footings(new Map([...said()].map(([id, each]) => [id, each()]))));
  const earlier = once(() => footings(earlierLines(parts)));
  return {
    request: parts.request,
    knownId: (id) => [id, id.replace(STOP, "")].find((each) => ids().has(each)) ?? null,
    isBlob: (hash) => joints(hash).every(({ word }) => isKnownWord(word, names())),
    heardUnder: (id) => said().get(id)?.() ?? null,
    isOpening: (id, line) => (texts().get(id) ?? []).some((text) => isQuotingLine(line, { id, text })),
    openingOf: (id) => {
      const text = texts().get(id)?.at(-1);
      return text === undefined ? null : quotingLine({ id, text });
    },
    isTyped: (words) => isTyped()(words),
    footing: (claim) => footing()(claim),
    isEarlier: (line) => earlier()(unmarked(line)) !== null,
    names,
    typed,
  };
}

const STOP = /[.;:!?'"`*…]{1,5}$/;

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function knownIds({ covered, previous, words, ledger, request }: EvidenceParts): ReadonlySet<string> {
  const named = [previous, words, ledger].flatMap(citedIds).flatMap((id) => [id, id.replace(STOP, "")]);
  return new Set([...covered.map(({ id }) => id), ...named, ...(request ? [request.id] : [])]);
}

function* allTexts({ covered, edits, previous, words, pins, ledger, request }: EvidenceParts): Generator<string> {
  for (const entry of [...covered, ...edits]) yield* textsIn(entry);
  yield* [previous, words, ...pins, ledger, request?.text ?? ""];
}

/** Whether a line is marked as unverified and stands in an earlier summary. The user's own sections never take such a line. */
export function isCarriedOn({ text, passes }: StoryLine, evidence: Evidence): boolean {
  return passes !== "by-section" && isMarked(text) && evidence.isEarlier(text);
}

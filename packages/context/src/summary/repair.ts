/** Repairs a summary without a model: restores headings, mends or removes wrong lines, adds the latest request, shortens the text. */

import { wordsIn } from "../text/sanitize.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  type Flaw,
  isEmpty,
  lineFlaws,
  type StoryFormat,
  sectionFlaws,
  tooLong,
  unknownNames,
  wrongRequest,
} from "./audit.ts";
import { attributes } from "./claims/attribution.ts";
import { claimOf, quotingLine } from "./claims/claim.ts";
import { afterGone, afterKept, atFirst, type Judging, judged } from "./claims/judge.ts";
import { EARLIER, type Evidence, isMarked } from "./evidence.ts";
import {
  bare,
  beforeAll,
  CONTEXT,
  citedIds,
  DONE,
  FIRST_OF_TURN,
  GOAL,
  type Heading,
  headingOf,
  itemIndent,
  lineAt,
  linesOf,
  NAME_NOT_FOUND,
  placeLines,
  REQUEST,
  RULE,
  type StoryLine,
  saysNothing,
  TITLE,
  withCitation,
  withKnownBlobs,
  withKnownIds,
  withoutCitations,
  withoutMarker,
} from "./summary-lines.ts";

export interface Body {
  readonly heading: Heading;
  /** Where it begins, behind its heading, and where it ends. */
  readonly from: number;
  readonly to: number;
}

export function bodies(texts: readonly string[]): readonly Body[] {
  const headings = texts.flatMap((text, at) => {
    const heading = headingOf(text);
    return heading ? [{ heading, at }] : [];
  });
  return headings.map(({ heading, at }, index) => {
    const next = headings[index + 1]?.at ?? texts.length;
    return { heading, from: at + 1, to: beforeRule(texts, { from: at + 1, to: next }) };
  });
}

// The rule between a summary and its turn belongs to neither.
function beforeRule(texts: readonly string[], { from, to }: Omit<Body, "heading">): number {
  const title = texts.slice(from, to).findIndex((text) => text.trim() === TITLE);
  if (title < 0) return to;
  const rule = texts.slice(from, from + title).findLastIndex((text) => text.trim() !== "");
  return texts[from + rule]?.trim() === "---" ? from + rule : from + title;
}

export interface Addition {
  /** Of the heading below which it goes. */
  readonly name: string;
  readonly added: readonly string[];
}

/** At the end of the section; nowhere, where there is none. */
export function intoSection(texts: readonly string[], { name, added }: Addition): readonly string[] {
  const body = bodies(texts).find(({ heading }) => heading.name === name);
  if (!body || added.length === 0) return texts;
  const said = texts.slice(body.from, body.to);
  const last = said.findLastIndex((text) => !saysNothing(text));
  const blank = said.findLastIndex((text) => text.trim() !== "");
  return [
    ...texts.slice(0, body.from),
    ...said.slice(0, last + 1),
    ...added,
    ...said.slice(blank + 1),
    ...texts.slice(body.to),
  ];
}

/** A section in which nothing is left says so. */
export function sayNothing(texts: readonly string[]): readonly string[] {
  const all = bodies(texts);
  const places = all.flatMap(({ heading, from, to }, at) => {
    const isParent = (all[at + 1]?.heading.level ?? 0) > heading.level;
    const isBare = texts.slice(from, to).every((text) => text.trim() === "");
    return isBare && !isParent ? [from] : [];
  });
  const here = new Set(places);
  return texts.flatMap((text, at) => (here.has(at + 1) ? [text, NOTHING] : [text]));
}

const NOTHING = "- (none)";

export interface Fitting {
  readonly tokens: number;
  /** What becomes of lines that were cut. */
  readonly mend: (texts: readonly string[]) => readonly string[];
}

/**
 * The oldest of what is done goes first, then context, then the longest lines are cut. As short as it can be, where that is not
 * short enough.
 */
export function fitTokens(texts: readonly string[], { tokens, mend }: Fitting): readonly string[] {
  const fits = (lines: readonly string[]): boolean => textTokens(mend(lines).join("\n")) <= tokens;
  const isShort = (lines: readonly string[]): boolean => textTokens(lines.join("\n")) <= tokens;
  const done = withoutFirst(texts, { name: DONE, isShort });
  const told = isShort(done) ? done : withoutFirst(done, { name: CONTEXT, isShort });
  if (fits(told)) return mend(told);
  let short = told;
  for (const letters of lengths(told)) {
    const cut = told.map((text) => cutLine(text, letters));
    if (letters > SHORTEST && !isShort(cut)) continue;
    short = mend(cut);
    if (isShort(short)) break;
  }
  return short;
}

interface Dropping {
  readonly name: string;
  readonly isShort: (lines: readonly string[]) => boolean;
}

/** The fewest lines go that have to. */
function withoutFirst(texts: readonly string[], { name, isShort }: Dropping): readonly string[] {
  const places = bodies(texts)
    .filter(({ heading }) => heading.name === name)
    .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at))
    .filter((at) => texts[at]?.trim() !== "");
  const without = (count: number): readonly string[] => {
    const gone = new Set(places.slice(0, count));
    return texts.filter((_, at) => !gone.has(at));
  };
  let [least, most] = [0, places.length];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (isShort(without(middle))) most = middle;
    else least = middle + 1;
  }
  return without(least);
}

/** From half of the longest line down, each half of the one before. */
function lengths(texts: readonly string[]): readonly number[] {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
  const halves: number[] = [];
  for (let letters = Math.floor(longest / 2); letters > SHORTEST; letters = Math.floor(letters / 2))
    halves.push(letters);
  return [...halves, SHORTEST];
}

const SHORTEST = 80;

function cutLine(text: string, letters: number): string {
  const words = withoutCitations(text).trimEnd();
  if (words.length <= letters) return text;
  const head = words
    .slice(0, letters)
    .toWellFormed()
    .replace(/\s\S*$/, "");
  return [...new Set(citedIds(text))].slice(0, MOST).reduce(withCitation, `${head.trimEnd()}…`);
}

const MOST = 3;

export type MendedLine =
  | { readonly type: "kept"; readonly text: string }
  /** It rests on an earlier summary alone, and goes where that may be said. */
  | { readonly type: "moved"; readonly text: string }
  | { readonly type: "removed" };

export interface Mending {
  readonly flaws: readonly Flaw[];
  /** A text as it would stand in its place. */
  readonly lineOf: (text: string) => StoryLine;
  readonly evidence: Evidence;
}

/** Removes unknown ids, blanks unknown names, adds a citation; else quotes the entry the line cites, or removes the line. */
export function mendLine(text: string, { flaws, lineOf, evidence }: Mending): MendedLine {
  if (lineOf(text).isForged) return { type: "removed" };
  const has = (code: Flaw["code"]): boolean => flaws.some((flaw) => flaw.code === code);
  const isSound = (line: StoryLine): boolean => line.text.trim() !== "" && lineFlaws(line, evidence).length === 0;
  const known = has("unknown-id") ? withKnown(text, evidence) : text;
  const named = has("unknown-name") ? withoutNames(known, evidence) : known;
  const founded = has("unfounded") ? withFooting(lineOf(named), evidence) : named;
  if (isSound(lineOf(founded))) return { type: "kept", text: founded };

  const earlier = `- ${isMarked(named) ? "" : `${EARLIER} `}${withoutMarker(named).trim()}`;
  const isEarlier = (has("unfounded") || has("false-quote")) && evidence.isEarlier(earlier);
  const moved = lineAt({ ...beforeAll, section: CONTEXT }, { text: earlier, number: lineOf(text).number });
  if (isEarlier && isSound(moved)) return { type: "moved", text: earlier };

  const quoting = lineOf(text).passes === "by-section" ? openingOf(known, evidence) : null;
  return quoting !== null && isSound(lineOf(quoting)) ? { type: "kept", text: quoting } : { type: "removed" };
}

// Who goes too far, but says where the user spoke, has lost the words and not the wish.
function openingOf(text: string, { knownId, openingOf }: Evidence): string | null {
  const openings = citedIds(text).map((id) => openingOf(knownId(id) ?? ""));
  return openings.find((opening) => opening !== null) ?? null;
}

function withKnown(text: string, { knownId, isBlob }: Evidence): string {
  return withKnownBlobs(
    withKnownIds(text, (id) => knownId(id) !== null),
    isBlob,
  );
}

/** The line with a blank for each, where enough is left to read; else empty. */
function withoutNames(text: string, evidence: Evidence): string {
  const names = unknownNames(text, evidence);
  let end = 0;
  const kept = names.map(({ start, end: next }) => {
    const before = text.slice(end, start);
    end = next;
    return before;
  });
  const words = wordsIn(bare([...kept, text.slice(end)].join(" "))).length;
  return words < LEAST ? "" : [...kept, text.slice(end)].join(NAME_NOT_FOUND);
}

const LEAST = 6;

function withFooting(line: StoryLine, evidence: Evidence): string {
  const claim = claimOf(line);
  const id = claim === null ? null : evidence.footing(claim);
  return id === null ? line.text : withCitation(line.text, id);
}

/** Each line is judged by its place among the lines that stay, so that the result is sound as a whole. */
export function mendLines(texts: readonly string[], evidence: Evidence): Mended {
  const { texts: kept, mended } = mendEach(texts, evidence);
  const led = mended.length === 0 ? kept : kept.filter((_, at) => !leadsNowhere(kept, at));
  return led.length === kept.length ? { texts: kept, mended } : { texts: mendEach(led, evidence).texts, mended };
}

function mendEach(texts: readonly string[], evidence: Evidence): Mended {
  const kept: string[] = [];
  const moved: string[] = [];
  const mended: Flaw[] = [];
  let judging = atFirst;
  texts.forEach((text, at) => {
    const lineOf = (said: string): StoryLine => judged(judging, { text: said, number: at + 1 });
    const flaws = lineFlaws(lineOf(text), evidence);
    const tried = flaws.length === 0 ? { type: "kept" as const, text } : mendLine(text, { flaws, lineOf, evidence });
    const result = tried.type === "kept" && !standsAlone(tried.text, { judging, evidence }) ? REMOVED : tried;
    mended.push(...flaws);
    if (result.type === "moved") moved.push(result.text);
    const isAgain = result.type === "kept" && result.text !== text && kept.includes(result.text);
    if (result.type === "kept" && !isAgain) kept.push(result.text);
    judging =
      result.type === "kept" && !isAgain ? afterKept(judging, lineOf(result.text)) : afterGone(judging, lineOf(text));
  });
  return { texts: intoSection(kept, { name: CONTEXT, added: moved }), mended };
}

const REMOVED = { type: "removed" as const };

// Below a line that went, a line must hold by itself too: that is how it is read from now on.
function standsAlone(text: string, { judging, evidence }: Standing): boolean {
  return judging.gone === null || lineFlaws(lineAt(judging.place, { text, number: 0 }), evidence).length === 0;
}

interface Standing {
  readonly judging: Judging;
  readonly evidence: Evidence;
}

/** "The user asked for:", and nothing that they asked for is left. */
function leadsNowhere(texts: readonly string[], at: number): boolean {
  const words = bare(texts[at] ?? "");
  if (headingOf(texts[at] ?? "") || !/[:：]$/u.test(words) || !attributes(words)) return false;
  let after = at + 1;
  while (texts[after]?.trim() === "") after++;
  const next = texts[after] ?? "";
  const indent = itemIndent(next);
  return indent === null ? headingOf(next) !== null || next === "" : indent <= (itemIndent(texts[at] ?? "") ?? -1);
}

/** What stands below a heading is moved, not changed. Nothing is done to what has too few headings to be a summary. */
export function restoreSections(texts: readonly string[], required: readonly string[]): Mended {
  const flaws = sectionFlaws(placeLines(texts), required);
  const blocks = blocksOf(withoutRule(texts), required);
  if (flaws.length === 0 || !isSummary(blocks, required)) return { texts, mended: [] };
  const bodyOf = (wanted: string | null): readonly string[] =>
    blocks.filter(({ heading }) => heading === wanted).flatMap(({ body }) => trimmed(body));
  const parts = required.map((heading, at) => [
    ...(heading === FIRST_OF_TURN && at > 0 ? RULE : []),
    heading,
    ...bodyOf(heading),
  ]);
  const all = [bodyOf(null), ...parts].filter((part) => part.length > 0);
  return { texts: all.flatMap((part, at) => (at === 0 ? part : ["", ...part])), mended: flaws };
}

interface Block {
  /** As it is required; null before the first. */
  readonly heading: string | null;
  readonly body: readonly string[];
}

/** Headings that are not required stay with what they stand below. */
function blocksOf(texts: readonly string[], required: readonly string[]): readonly Block[] {
  const byName = new Map(required.map((heading) => [headingOf(heading)?.name, heading]));
  const blocks: { readonly heading: string | null; readonly body: string[] }[] = [{ heading: null, body: [] }];
  for (const text of texts) {
    const name = headingOf(text)?.name;
    const heading = name === undefined ? undefined : byName.get(name);
    if (heading === undefined) blocks.at(-1)?.body.push(text);
    else blocks.push({ heading, body: [] });
  }
  return blocks;
}

function isSummary(blocks: readonly Block[], required: readonly string[]): boolean {
  const found = new Set(blocks.map(({ heading }) => heading));
  const count = required.filter((heading) => found.has(heading)).length;
  return count >= ENOUGH || count * 2 >= required.length;
}

const ENOUGH = 4;

function withoutRule(texts: readonly string[]): readonly string[] {
  const at = texts.findIndex((text) => text.trim() === TITLE);
  if (at < 0) return texts;
  const rule = texts.slice(0, at).findLastIndex((text) => text.trim() !== "");
  return [...texts.slice(0, texts[rule]?.trim() === "---" ? rule : at), ...texts.slice(at + 1)];
}

function trimmed(body: readonly string[]): readonly string[] {
  const isSaid = (text: string): boolean => text.trim() !== "";
  const first = body.findIndex(isSaid);
  return first < 0 ? [] : body.slice(first, body.findLastIndex(isSaid) + 1);
}

export interface Repaired {
  readonly story: string;
  /** What was wrong and is no longer. */
  readonly mended: readonly Flaw[];
}

/** What is empty stays so, what has too few headings keeps them: an audit says that it cannot be used. */
export function repaired(story: string, evidence: Evidence, format: StoryFormat): Repaired {
  const texts = linesOf(story);
  if (isEmpty(placeLines(texts))) return { story, mended: [] };
  const shaped = restoreSections(texts, format.sections);
  const sound = mendLines(shaped.texts, evidence);
  const asked = withRequest(sound.texts, evidence);
  const mended = [...shaped.mended, ...sound.mended, ...asked.mended];
  const said = mended.length === 0 ? asked.texts : sayNothing(asked.texts);
  const short = shortened(said, evidence, format);
  const all = [...mended, ...short.mended];
  return { story: isSame(texts, short.texts) ? story : short.texts.join("\n"), mended: all };
}

// What needs no repair keeps its line ends too.
function isSame(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((text, at) => text === after[at]);
}

function withRequest(texts: readonly string[], evidence: Evidence): Mended {
  const lines = placeLines(texts);
  const flaws = isEmpty(lines) ? [] : wrongRequest({ lines, evidence });
  const { request } = evidence;
  if (flaws.length === 0 || request === null) return { texts, mended: [] };
  const name = lines.some(({ section }) => section === GOAL) ? GOAL : REQUEST;
  return { texts: intoSection(texts, { name, added: [quotingLine(request)] }), mended: flaws };
}

function shortened(texts: readonly string[], evidence: Evidence, format: StoryFormat): Mended {
  const flawsOf = (lines: readonly string[]): readonly Flaw[] => tooLong({ story: lines.join("\n"), format });
  const flaws = flawsOf(texts);
  if (flaws.length === 0) return { texts, mended: [] };
  const mend = (lines: readonly string[]): readonly string[] =>
    sayNothing(withRequest(mendLines(lines, evidence).texts, evidence).texts);
  const short = fitTokens(texts, { tokens: format.tokens, mend });
  return { texts: short, mended: flawsOf(short).length === 0 ? flaws : [] };
}

export interface Mended {
  readonly texts: readonly string[];
  readonly mended: readonly Flaw[];
}

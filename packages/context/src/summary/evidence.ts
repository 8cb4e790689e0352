/** Collects what a summary is checked against: the entries it may cite, their texts and the names in them. Computed on first use. */

import { splitQuotation } from "../context/attachments.ts";
import { entryWords, provenance, userParts } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { citedReferences, entryReference, removeCitations } from "../references.ts";
import { wordsIn } from "../text/sanitize.ts";
import { collectNames, type KnownNames } from "./names.ts";
import { type Vocabulary, vocabularyOf } from "./shared-words.ts";
import {
  findItems,
  type Item,
  isPlanSection,
  isUserSection,
  type Mark,
  markOf,
  splitLines,
  withoutMarks,
} from "./summary-lines.ts";

export interface EvidenceParts {
  /** Oldest first. */
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  /** The summary so far; empty for none. */
  readonly previous: string;
  /** Whether that one was checked when it was written: then its lines without a mark stay confirmed. */
  readonly isChecked: boolean;
  /** The user's messages that earlier compactions kept, as the summary message has them. */
  readonly userMessages: string;
  readonly pins: readonly string[];
  readonly ledger: string;
  /** The user's latest request, if the kept part of the context does not have it. */
  readonly request: { readonly reference: string; readonly text: string; readonly attached?: string } | null;
  /** What the first covered message answers, where that is no longer loaded. */
  readonly question?: { readonly reference: string; readonly text: string } | null;
}

/** An entry that a line may cite. */
export interface Source {
  readonly isPerson: boolean;
  /** Its own words; for a person's message, what was typed and the assistant message that it answers. */
  readonly vocabulary: () => Vocabulary;
  /** What a person attached, by name and content: it supports no wish, decision or permission of theirs. Null for nothing. */
  readonly attached: AttachedWords | null;
}

export interface AttachedWords {
  readonly vocabulary: () => Vocabulary;
  /** False for a message that an earlier compaction covered: only names of its attachments and marked lines are at hand. */
  readonly isWhole: boolean;
}

export interface Evidence {
  readonly request: EvidenceParts["request"];
  /** The reference as the log has it; null for an entry that does not exist. */
  readonly resolve: (reference: string) => string | null;
  /** Null for an entry that is known only because an earlier summary cites it. */
  readonly sourceOf: (reference: string) => Source | null;
  /** Whether earlier summaries cite the entry only on lines that they could not confirm. */
  readonly isDoubtful: (reference: string) => boolean;
  /** Whether the summary so far has this line, and it was confirmed then: what it rests on may not be at hand any more. */
  readonly isConfirmed: (line: Pick<Item, "text" | "section">) => boolean;
  /** The mark that this line had in the summary so far. */
  readonly markBefore: (line: string) => Mark | null;
  readonly hasBlob: (hash: string) => boolean;
  /** Whether these words stand in the log in this order; `…` stands for words left out. */
  readonly hasQuotation: (words: string) => boolean;
  readonly names: () => KnownNames;
  /** The person's messages, by reference, oldest first. */
  readonly people: () => ReadonlyMap<string, Source>;
  readonly userTexts: () => readonly string[];
}

export function collectEvidence(parts: EvidenceParts): Evidence {
  const references = once(() => knownReferences(parts));
  const sources = once(() => collectSources(parts));
  const texts = once(() => [...allTexts(parts)]);
  const log = once(() => ` ${texts().map(normalWords).join(" \n ")} `);
  const doubtful = once(() => doubtfulReferences(parts.previous));
  const marked = once(() => markedLines(parts.previous));
  const confirmed = once(() => (parts.isChecked ? confirmedLines(parts.previous) : new Set<string>()));
  return {
    request: parts.request,
    resolve: (reference) => references().get(reference) ?? null,
    sourceOf: (reference) => sources().get(reference) ?? null,
    isDoubtful: (reference) => doubtful().has(reference),
    markBefore: (line) => marked().get(normalWords(line)) ?? null,
    isConfirmed: (line) => confirmed().has(lineKey(line)),
    hasBlob: (hash) => texts().some((text) => text.includes(hash)),
    hasQuotation: (quotation) => hasQuotation(quotation, log()),
    names: once(() => collectNames(texts())),
    people: once(() => new Map([...sources()].filter(([, { isPerson }]) => isPerson))),
    userTexts: once(() => userTexts(parts)),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What a line may cite, and the short form of each. */
function knownReferences({ covered, previous, userMessages, ledger, request }: EvidenceParts): Map<string, string> {
  const carried = [previous, userMessages, ledger].flatMap(citedReferences);
  return new Map([
    ...[...carried, ...(request ? [request.reference] : [])].map((each) => [each, each] as const),
    ...covered.flatMap((entry) => {
      const reference = entryReference(entry);
      return [[reference, reference] as const, [`entry:${entry.id}`, reference] as const];
    }),
  ]);
}

function collectSources(parts: EvidenceParts): ReadonlyMap<string, Source> {
  const { covered, edits, userMessages, request } = parts;
  const foreign = parts.isChecked ? foreignLines(parts.previous) : new Map<string, string>();
  const sources = new Map<string, Source>(parts.isChecked ? carriedSources(parts.previous, foreign) : []);
  const withForeign = (attached: string, reference: string): string =>
    attached === "" ? "" : `${attached}\n${foreign.get(reference) ?? ""}`;
  for (const [reference, text] of splitUserMessages(userMessages)) {
    const { typed, attached } = splitQuotation(text);
    sources.set(reference, personSource({ typed, attached: withForeign(attached, reference), isWhole: false }));
  }
  if (request)
    sources.set(
      request.reference,
      personSource({
        typed: request.text,
        attached: withForeign(request.attached ?? "", request.reference),
        isWhole: false,
      }),
    );
  const calls = new Map(covered.flatMap(callsIn));
  let answered = "";
  for (const entry of covered) {
    const source = provenance(entry);
    const reference = entryReference(entry);
    const question = parts.question?.reference === reference ? parts.question.text : "";
    if (source === "person") {
      const { typed, attachments } = userParts(entry, edits);
      const attached = attachments.map(({ name, text }) => `${name}\n${text}`).join("\n");
      sources.set(reference, personSource({ typed, attached, isWhole: true, answered: `${answered}\n${question}` }));
    } else {
      const vocabulary = once(() => vocabularyOf(workText(entry, edits, calls)));
      sources.set(reference, { isPerson: false, vocabulary, attached: null });
    }
    if (source === "assistant") answered = entryWords(entry, edits) || answered;
  }
  return sources;
}

/**
 * Entries that are not at hand any more are known by the confirmed lines that cite them. WORD4: where a line that cites one was found
 * not to be the user's, something was attached to it, and words that no confirmed line has may come from there.
 */
function carriedSources(
  previous: string,
  foreign: ReadonlyMap<string, string>,
): readonly (readonly [reference: string, source: Source])[] {
  const items = confirmedItems(previous).flatMap((item) => item.references.map((reference) => ({ reference, item })));
  return [...Map.groupBy(items, ({ reference }) => reference)].map(([reference, cited]) => {
    const isPerson = cited.some(({ item }) => isUserSection(item.section));
    const attached = isPerson ? foreign.get(reference) : undefined;
    return [
      reference,
      {
        isPerson,
        vocabulary: once(() => vocabularyOf(cited.map(({ item }) => item.text).join("\n"))),
        attached: attached === undefined ? null : { vocabulary: once(() => vocabularyOf(attached)), isWhole: false },
      },
    ];
  });
}

/** The lines that an earlier check found not to be the user's, by the entries they cite. */
function foreignLines(previous: string): ReadonlyMap<string, string> {
  const cited = findItems(splitLines(previous)).flatMap(({ text, references }) =>
    markOf(text) === "(not from the user)" ? references.map((reference) => ({ reference, text })) : [],
  );
  const lines = Map.groupBy(cited, ({ reference }) => reference);
  return new Map(
    [...lines].map(([reference, each]) => [
      reference,
      removeCitations(each.map(({ text }) => withoutMarks(text)).join("\n")),
    ]),
  );
}

/** What an entry says and does: its words, its tool calls and, for a result, the call that it answers. */
function workText(entry: Entry, edits: readonly ContextEditEntry[], calls: ReadonlyMap<string, string>): string {
  const answers = entry.type === "message" && entry.message.role === "toolResult" ? entry.message.toolCallId : "";
  return [entryWords(entry, edits), ...callsIn(entry).map(([, text]) => text), calls.get(answers) ?? ""].join("\n");
}

/** The tool calls of an entry, by their ids. */
function callsIn(entry: Entry): readonly (readonly [id: string, text: string])[] {
  if (entry.type !== "message" || entry.message.role !== "assistant" || !Array.isArray(entry.message.content))
    return [];
  return entry.message.content.flatMap((block) =>
    block?.type === "toolCall" ? [[block.id, `${block.name}\n${textsOf(block.arguments)}`] as const] : [],
  );
}

interface PersonWords {
  readonly typed: string;
  readonly attached: string;
  readonly isWhole: boolean;
  /** The assistant message before it. */
  readonly answered?: string;
}

// WORD4: a name that was typed to attach something is the attachment's: a file may be called anything.
function personSource({ typed, attached, isWhole, answered = "" }: PersonWords): Source {
  const own = attached === "" ? typed : typed.replace(MENTION, " ");
  return {
    isPerson: true,
    vocabulary: once(() => vocabularyOf(`${own}\n${answered}`)),
    attached: attached === "" ? null : { vocabulary: once(() => vocabularyOf(attached)), isWhole },
  };
}

const MENTION = /@(?:"[^"\n]*"|\S+)/g;

/** The messages in blocks that earlier compactions wrote, with the line that names the entry. */
function splitUserMessages(blocks: string): readonly (readonly [reference: string, text: string])[] {
  const [, ...parts] = blocks.split(/(?:^|\n)(?=\[(?:#\d+|entry:[^\]\n]+)(?:\]|, ))/);
  return parts.flatMap((part) => {
    const [, reference = ""] = /^\[(#\d+|entry:[^\],\n]+)/.exec(part) ?? [];
    return reference === "" ? [] : [[reference, part.slice(reference.length + 1)] as const];
  });
}

function userTexts({ covered, edits, userMessages, request }: EvidenceParts): readonly string[] {
  const said = covered.map((entry) => userParts(entry, edits).typed);
  return [userMessages, ...said, request?.text ?? ""].filter((text) => /\S/.test(text));
}

function* allTexts(parts: EvidenceParts): Generator<string> {
  const { covered, edits, previous, userMessages, pins, ledger, request } = parts;
  for (const { id: _id, parentId: _parentId, timestamp: _timestamp, ...content } of [...covered, ...edits])
    yield textsOf(content);
  yield* [withoutMarkedItems(previous), userMessages, ...pins, ledger, request?.text ?? ""];
}

/** All texts in a value, but no image data. No recursion: entries come from files and may be nested deeply. */
function textsOf(content: unknown): string {
  const texts: string[] = [];
  const open: unknown[] = [content];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") texts.push(value);
    if (typeof value === "number") texts.push(String(value));
    if (typeof value !== "object" || value === null || isImage(value)) continue;
    for (const [key, part] of Object.entries(value)) {
      if (NO_TEXT.has(key)) continue;
      if (!Array.isArray(value)) texts.push(key);
      open.push(part);
    }
  }
  return texts.join("\n");
}

const isImage = (value: object): boolean => "type" in value && value.type === "image";

const NO_TEXT: ReadonlySet<string> = new Set([
  "usage",
  "timestamp",
  "textSignature",
  "thinkingSignature",
  "thoughtSignature",
  "served",
]);

function hasQuotation(quotation: string, log: string): boolean {
  let from = 0;
  return quotation.split(/\.{3,}|…/).every((part) => {
    const words = normalWords(part);
    const at = words === "" ? from : log.indexOf(` ${words} `, from);
    from = Math.max(from, at);
    return at >= 0;
  });
}

const normalWords = (text: string): string => wordsIn(text).join(" ");

function doubtfulReferences(previous: string): ReadonlySet<string> {
  const items = findItems(splitLines(previous));
  const isMarked = ({ text }: { readonly text: string }): boolean => markOf(text) !== null;
  const confirmed = new Set(items.filter((item) => !isMarked(item)).flatMap(({ references }) => references));
  return new Set(items.filter(isMarked).flatMap(({ references }) => references.filter((each) => !confirmed.has(each))));
}

function markedLines(previous: string): ReadonlyMap<string, Mark> {
  return new Map(
    findItems(splitLines(previous)).flatMap(({ text }) => {
      const mark = markOf(text);
      return mark === null ? [] : [[normalWords(withoutMarks(text)), mark] as const];
    }),
  );
}

function confirmedLines(previous: string): ReadonlySet<string> {
  return new Set(confirmedItems(previous).map(lineKey));
}

/** Plans are not compared with the log, so nothing confirms them. */
function confirmedItems(previous: string): readonly Item[] {
  return findItems(splitLines(previous)).filter(
    ({ text, section }) => markOf(text) === null && !isPlanSection(section),
  );
}

/** A line that nothing has confirmed is no evidence. */
function withoutMarkedItems(previous: string): string {
  const lines = splitLines(previous);
  const marked = findItems(lines).filter(({ text }) => markOf(text) !== null);
  return lines.filter((_, at) => !marked.some(({ start, end }) => at >= start && at < end)).join("\n");
}

// What was confirmed as work is not confirmed as a wish or a decision.
function lineKey({ text, section }: Pick<Item, "text" | "section">): string {
  return `${section}\n${normalWords(text)}`;
}

/** Collects what a summary is checked against: the entries it may cite, their texts and the names in them. Each is computed on first use. */

import { findCitedReferences, removeCitations } from "../citations.ts";
import { splitQuotation } from "../context/attachments.ts";
import { authorOf, entryText, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import { splitQuotationWords } from "../text/sanitize.ts";
import { LazyValue, type Steps } from "../turns.ts";
import { CARRIED_MARK } from "./carried-lines.ts";
import { addTextNames, createNameIndex, type NameIndex } from "./known-names.ts";
import {
  findSummaryItems,
  isPlanSection,
  isUserSection,
  parseMark,
  removeMarks,
  type SummaryItem,
  type SummaryMark,
  splitSummaryLines,
} from "./parse-summary.ts";
import { buildVocabulary, type Vocabulary } from "./word-overlap.ts";

/** What the evidence is collected from. */
export interface EvidenceOptions {
  /** The summarized entries, oldest first. */
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  /** The previous summary; empty for none. */
  readonly previous: string;
  /** Whether the previous summary was checked when it was written: its lines without a mark then stay confirmed. */
  readonly isChecked: boolean;
  /** The user's messages that earlier compactions kept, as they are in the summary message. */
  readonly userMessages: string;
  readonly pins: readonly string[];
  readonly ledger: string;
  /** The user's latest request, if it is not in the kept part of the context. */
  readonly request: { readonly reference: string; readonly text: string; readonly attached?: string } | null;
  /** The message that the first covered one answers, if it is no longer loaded. */
  readonly question?: { readonly reference: string; readonly text: string } | null;
}

/** An entry that a line may cite. */
export interface EvidenceSource {
  readonly isFromUser: boolean;
  /** The words of the entry; for a user's message, the typed text and the assistant message that it answers. */
  readonly vocabulary: () => Vocabulary;
  /** The names and contents of attachments, which support no wish, decision or permission of the user. Null for none. */
  readonly attachment: AttachmentVocabulary | null;
}

export interface AttachmentVocabulary {
  readonly vocabulary: () => Vocabulary;
  /** False for a message that an earlier compaction covered: only the names of its attachments and marked lines are available. */
  readonly isComplete: boolean;
}

/** Answers the questions of the checks. */
export interface Evidence {
  readonly request: EvidenceOptions["request"];
  /** Returns the short form of a reference; null for an entry that does not exist. */
  readonly resolve: (reference: string) => string | null;
  /** Null for an entry that is known only from a citation in an earlier summary. */
  readonly sourceOf: (reference: string) => EvidenceSource | null;
  /** Whether earlier summaries cite the entry only on unconfirmed lines. */
  readonly isDoubtful: (reference: string) => boolean;
  /** Whether the previous summary has this line and it was confirmed; its sources may no longer be available. */
  readonly isConfirmed: (line: Pick<SummaryItem, "text" | "section">) => boolean;
  /** The mark of this line in the previous summary. */
  readonly previousMark: (line: string) => SummaryMark | null;
  readonly hasBlob: (hash: string) => boolean;
  /** Whether the session has these words in this order; `…` stands for omitted words. */
  readonly hasQuotation: (quotation: string) => boolean;
  readonly names: () => NameIndex;
  /** Computes in steps what `names` and `hasQuotation` read. */
  readonly computeNames: () => Steps<unknown>;
  readonly computeAllWords: () => Steps<unknown>;
  /** Every source by reference, oldest first. */
  readonly sources: () => ReadonlyMap<string, EvidenceSource>;
  /** The user's messages by reference, oldest first. */
  readonly userSources: () => ReadonlyMap<string, EvidenceSource>;
  readonly userTexts: () => readonly string[];
}

/** Collects the evidence for the checks of a summary. */
export function collectEvidence(options: EvidenceOptions): Evidence {
  const references = memoize(() => collectReferences(options));
  const sources = memoize(() => collectSources(options));
  const texts = memoize(() => [...collectTexts(options)]);
  const allWords = new LazyValue(() => joinAllWords(texts));
  const names = new LazyValue(() => indexNames(texts));
  const doubtfulReferences = memoize(() => findDoubtfulReferences(options.previous));
  const markedLines = memoize(() => findMarkedLines(options.previous));
  const confirmedLines = memoize(() => (options.isChecked ? findConfirmedLines(options.previous) : new Set<string>()));
  return {
    request: options.request,
    resolve: (reference) => references().get(reference) ?? null,
    sourceOf: (reference) => sources().get(reference) ?? null,
    isDoubtful: (reference) => doubtfulReferences().has(reference),
    previousMark: (line) => markedLines().get(normalizeWords(line)) ?? null,
    isConfirmed: (line) => confirmedLines().has(lineKey(line)),
    hasBlob: (hash) => texts().some((text) => text.includes(hash)),
    hasQuotation: (quotation) => containsQuotation(quotation, allWords.get()),
    names: () => names.get(),
    computeNames: () => names.compute(),
    computeAllWords: () => allWords.compute(),
    sources,
    userSources: memoize(() => new Map([...sources()].filter(([, { isFromUser }]) => isFromUser))),
    userTexts: memoize(() => collectUserTexts(options)),
  };
}

function memoize<Value>(compute: () => Value): () => Value {
  let cached: { readonly value: Value } | null = null;
  return () => {
    cached ??= { value: compute() };
    return cached.value;
  };
}

function* joinAllWords(texts: () => readonly string[]): Steps<string> {
  const parts: string[] = [];
  for (const text of texts()) {
    parts.push(normalizeWords(text));
    yield text.length;
  }
  return ` ${parts.join(" \n ")} `;
}

function* indexNames(texts: () => readonly string[]): Steps<NameIndex> {
  const index = createNameIndex();
  for (const text of texts()) {
    addTextNames(text, index);
    yield text.length;
  }
  return index;
}

/** Maps each citable reference to its short form. */
function collectReferences({ covered, previous, userMessages, ledger, request }: EvidenceOptions): Map<string, string> {
  const earlierReferences = [previous, userMessages, ledger].flatMap(findCitedReferences);
  return new Map([
    ...[...earlierReferences, ...(request ? [request.reference] : [])].map((each) => [each, each] as const),
    ...covered.flatMap((entry) => {
      const reference = entryReference(entry);
      return [[reference, reference] as const, [`entry:${entry.id}`, reference] as const];
    }),
  ]);
}

function collectSources(options: EvidenceOptions): ReadonlyMap<string, EvidenceSource> {
  const { covered, edits, userMessages, request } = options;
  const nonUserTexts = options.isChecked ? collectNonUserLines(options.previous) : new Map<string, string>();
  const sources = new Map<string, EvidenceSource>(
    options.isChecked ? collectPreviousSources(options.previous, nonUserTexts) : [],
  );
  const addNonUserText = (attached: string, reference: string): string =>
    attached === "" ? "" : `${attached}\n${nonUserTexts.get(reference) ?? ""}`;
  const carriedTexts = options.isChecked ? collectConfirmedTexts(options.previous) : new Map<string, string>();
  for (const [reference, text] of splitUserMessages(userMessages)) {
    const { typed, attached } = splitQuotation(text);
    // Sentences that lines of the earlier summary carry over are no longer in the message.
    const ownText = `${typed}\n${typed.includes(CARRIED_MARK) ? (carriedTexts.get(reference) ?? "") : ""}`;
    sources.set(
      reference,
      createUserSource({ typed: ownText, attached: addNonUserText(attached, reference), isComplete: false }),
    );
  }
  if (request)
    sources.set(
      request.reference,
      createUserSource({
        typed: request.text,
        attached: addNonUserText(request.attached ?? "", request.reference),
        isComplete: false,
      }),
    );
  const calls = new Map(covered.flatMap(toolCallTexts));
  let precedingReply = "";
  for (const entry of covered) {
    const author = authorOf(entry);
    const reference = entryReference(entry);
    const question = options.question?.reference === reference ? options.question.text : "";
    if (author === "person") {
      const { typed, attachments } = splitUserEntry(entry, edits);
      const attached = attachments.map(({ name, text }) => `${name}\n${text}`).join("\n");
      sources.set(
        reference,
        createUserSource({ typed, attached, isComplete: true, precedingReply: `${precedingReply}\n${question}` }),
      );
    } else {
      const vocabulary = memoize(() => buildVocabulary(entryWorkText(entry, edits, calls)));
      sources.set(reference, { isFromUser: false, vocabulary, attachment: null });
    }
    if (author === "assistant") precedingReply = entryText(entry, edits) || precedingReply;
  }
  return sources;
}

/**
 * Builds sources for entries that are no longer loaded from the confirmed lines that cite them. WORD4: if a line that cites such
 * an entry was marked as not from the user, the entry had an attachment, and words that no confirmed line has may come from it.
 */
function collectPreviousSources(
  previous: string,
  nonUserTexts: ReadonlyMap<string, string>,
): readonly (readonly [reference: string, source: EvidenceSource])[] {
  const items = findConfirmedItems(previous).flatMap((item) =>
    item.references.map((reference) => ({ reference, item })),
  );
  return [...Map.groupBy(items, ({ reference }) => reference)].map(([reference, citations]) => {
    const isFromUser = citations.some(({ item }) => isUserSection(item.section));
    const attachmentText = isFromUser ? nonUserTexts.get(reference) : undefined;
    return [
      reference,
      {
        isFromUser,
        vocabulary: memoize(() => buildVocabulary(citations.map(({ item }) => item.text).join("\n"))),
        attachment:
          attachmentText === undefined
            ? null
            : { vocabulary: memoize(() => buildVocabulary(attachmentText)), isComplete: false },
      },
    ];
  });
}

/** Returns the confirmed lines about what the user wants, by the entries they cite. */
function collectConfirmedTexts(previous: string): ReadonlyMap<string, string> {
  const citations = findConfirmedItems(previous).flatMap(({ text, references }) =>
    references.map((reference) => ({ reference, text })),
  );
  const lines = Map.groupBy(citations, ({ reference }) => reference);
  return new Map([...lines].map(([reference, each]) => [reference, each.map(({ text }) => text).join("\n")]));
}

/** Returns the lines that an earlier check marked as not from the user, by the entries they cite. */
function collectNonUserLines(previous: string): ReadonlyMap<string, string> {
  const citations = findSummaryItems(splitSummaryLines(previous)).flatMap(({ text, references }) =>
    parseMark(text) === "(not from the user)" ? references.map((reference) => ({ reference, text })) : [],
  );
  const lines = Map.groupBy(citations, ({ reference }) => reference);
  return new Map(
    [...lines].map(([reference, each]) => [
      reference,
      removeCitations(each.map(({ text }) => removeMarks(text)).join("\n")),
    ]),
  );
}

/** Returns the text of an entry, its tool calls and, for a result, the call that it answers. */
function entryWorkText(entry: Entry, edits: readonly ContextEditEntry[], calls: ReadonlyMap<string, string>): string {
  const answeredCallId =
    entry.type === "message" && entry.message.role === "toolResult" ? entry.message.toolCallId : "";
  return [
    entryText(entry, edits),
    ...toolCallTexts(entry).map(([, text]) => text),
    calls.get(answeredCallId) ?? "",
  ].join("\n");
}

/** Returns the tool calls of an entry by id. */
function toolCallTexts(entry: Entry): readonly (readonly [id: string, text: string])[] {
  if (entry.type !== "message" || entry.message.role !== "assistant" || !Array.isArray(entry.message.content))
    return [];
  return entry.message.content.flatMap((block) =>
    block?.type === "toolCall" ? [[block.id, `${block.name}\n${collectStrings(block.arguments)}`] as const] : [],
  );
}

interface UserMessageText {
  readonly typed: string;
  readonly attached: string;
  readonly isComplete: boolean;
  /** The assistant message before this one. */
  readonly precedingReply?: string;
}

// WORD4: a file name that was typed to attach the file counts as the attachment's text, because a file may have any name.
function createUserSource({ typed, attached, isComplete, precedingReply = "" }: UserMessageText): EvidenceSource {
  const ownText = attached === "" ? typed : typed.replace(FILE_MENTION, " ");
  return {
    isFromUser: true,
    vocabulary: memoize(() => buildVocabulary(`${ownText}\n${precedingReply}`)),
    attachment: attached === "" ? null : { vocabulary: memoize(() => buildVocabulary(attached)), isComplete },
  };
}

const FILE_MENTION = /@(?:"[^"\n]*"|\S+)/g;

/** Splits the messages that earlier compactions kept; each begins with a line that names its entry. */
function splitUserMessages(blocks: string): readonly (readonly [reference: string, text: string])[] {
  const [, ...parts] = blocks.split(/(?:^|\n)(?=\[(?:#\d+|entry:[^\]\n]+)(?:\]|, ))/);
  return parts.flatMap((part) => {
    const [, reference = ""] = /^\[(#\d+|entry:[^\],\n]+)/.exec(part) ?? [];
    return reference === "" ? [] : [[reference, part.slice(reference.length + 1)] as const];
  });
}

function collectUserTexts({ covered, edits, userMessages, request }: EvidenceOptions): readonly string[] {
  const typedTexts = covered.map((entry) => splitUserEntry(entry, edits).typed);
  return [userMessages, ...typedTexts, request?.text ?? ""].filter((text) => /\S/.test(text));
}

function* collectTexts(options: EvidenceOptions): Generator<string> {
  const { covered, edits, previous, userMessages, pins, ledger, request } = options;
  for (const { id: _id, parentId: _parentId, timestamp: _timestamp, ...content } of [...covered, ...edits])
    yield collectStrings(content);
  yield* [removeMarkedItems(previous), userMessages, ...pins, ledger, request?.text ?? ""];
}

/** Joins all strings and numbers in a value, except image data. Not recursive: entries come from files and may be nested deeply. */
function collectStrings(content: unknown): string {
  const texts: string[] = [];
  const pending: unknown[] = [content];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") texts.push(value);
    if (typeof value === "number") texts.push(String(value));
    if (typeof value !== "object" || value === null || isImageValue(value)) continue;
    for (const [key, part] of Object.entries(value)) {
      if (KEYS_WITHOUT_TEXT.has(key)) continue;
      if (!Array.isArray(value)) texts.push(key);
      pending.push(part);
    }
  }
  return texts.join("\n");
}

const isImageValue = (value: object): boolean => "type" in value && value.type === "image";

const KEYS_WITHOUT_TEXT: ReadonlySet<string> = new Set([
  "usage",
  "timestamp",
  "textSignature",
  "thinkingSignature",
  "thoughtSignature",
  "served",
]);

function containsQuotation(quotation: string, allWords: string): boolean {
  let from = 0;
  return quotation.split(/\.{3,}|…/).every((part) => {
    const words = normalizeWords(part);
    const index = words === "" ? from : allWords.indexOf(` ${words} `, from);
    from = Math.max(from, index);
    return index >= 0;
  });
}

const normalizeWords = (text: string): string => splitQuotationWords(text).join(" ");

function findDoubtfulReferences(previous: string): ReadonlySet<string> {
  const items = findSummaryItems(splitSummaryLines(previous));
  const isMarked = ({ text }: { readonly text: string }): boolean => parseMark(text) !== null;
  const confirmedReferences = new Set(items.filter((item) => !isMarked(item)).flatMap(({ references }) => references));
  return new Set(
    items.filter(isMarked).flatMap(({ references }) => references.filter((each) => !confirmedReferences.has(each))),
  );
}

function findMarkedLines(previous: string): ReadonlyMap<string, SummaryMark> {
  return new Map(
    findSummaryItems(splitSummaryLines(previous)).flatMap(({ text }) => {
      const mark = parseMark(text);
      return mark === null ? [] : [[normalizeWords(removeMarks(text)), mark] as const];
    }),
  );
}

function findConfirmedLines(previous: string): ReadonlySet<string> {
  return new Set(findConfirmedItems(previous).map(lineKey));
}

/** Plans are left out: they are not compared with the session, so they are never confirmed. */
function findConfirmedItems(previous: string): readonly SummaryItem[] {
  return findSummaryItems(splitSummaryLines(previous)).filter(
    ({ text, section }) => parseMark(text) === null && !isPlanSection(section),
  );
}

/** Removes unconfirmed lines, which are no evidence. */
function removeMarkedItems(previous: string): string {
  const lines = splitSummaryLines(previous);
  const markedItems = findSummaryItems(lines).filter(({ text }) => parseMark(text) !== null);
  return lines.filter((_, index) => !markedItems.some(({ start, end }) => index >= start && index < end)).join("\n");
}

// The section is part of the key: a line confirmed as work is not confirmed as a wish or a decision.
function lineKey({ text, section }: Pick<SummaryItem, "text" | "section">): string {
  return `${section}\n${normalizeWords(text)}`;
}

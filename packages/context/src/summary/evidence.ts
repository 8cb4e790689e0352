/** Collects what a summary is checked against: the entries it may cite, their texts and the names in them. Each is computed on first use. */

import { memoize } from "../cache.ts";
import { findCitedReferences } from "../citations.ts";
import { splitQuotation } from "../context/attachments.ts";
import { authorOf, entryText, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import { LazyValue, LONG_STEP, type Steps } from "../event-loop.ts";
import { completeToolCalls, toolCallEffects } from "../ledger/touched-files.ts";
import type { ToolRoles } from "../settings.ts";
import { CARRIED_MARK } from "./carried-lines.ts";
import { addTextNames, createNameIndex, type NameIndex } from "./known-names.ts";
import { DECISIONS_SECTION, isUserSection, type SummaryItem, type SummaryMark } from "./parse-summary.ts";
import {
  ConfirmedLines,
  collectConfirmedTexts,
  collectNonUserTexts,
  findConfirmedItems,
  findDoubtfulReferences,
  findMarkedLines,
  normalizeWords,
  removeMarkedItems,
} from "./previous-lines.ts";
import { buildVocabulary, findNumbers, type NumberInText, type Vocabulary } from "./word-overlap.ts";

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
  readonly tools?: ToolRoles;
}

/** An entry that a line may cite. */
export interface EvidenceSource {
  readonly isFromUser: boolean;
  /** The words of the entry; for a user's message, the typed text and the assistant message that it answers. */
  readonly vocabulary: () => Vocabulary;
  /** The names and contents of attachments, which support no wish, decision or permission of the user. Null for none. */
  readonly attachment: AttachmentVocabulary | null;
  /** For a user's message: what the user typed. */
  readonly typed: () => Vocabulary;
  /** For a user's message: the numbers that it or the message that it answers has. */
  readonly numbers: () => readonly NumberInText[];
  /** For a user's message: what was said and done until the next one. */
  readonly work: () => readonly Vocabulary[];
}

export interface AttachmentVocabulary {
  readonly vocabulary: () => Vocabulary;
  /** False for a message that an earlier compaction covered: only the names of its attachments and marked lines are available. */
  readonly isComplete: boolean;
}

/** Answers the questions of the checks. */
export interface Evidence {
  readonly request: EvidenceOptions["request"];
  /** Returns the short form of a reference; null for an entry that does not exist. A report that a file was changed has the reference of its call. */
  readonly resolve: (reference: string) => string | null;
  /** Whether the entry is a compaction, which says nothing itself. */
  readonly isCompaction: (reference: string) => boolean;
  /** Null for an entry that is known only from a citation in an earlier summary. */
  readonly sourceOf: (reference: string) => EvidenceSource | null;
  /** Whether earlier summaries cite the entry only on unconfirmed lines. */
  readonly isDoubtful: (reference: string) => boolean;
  /** Whether the previous summary has this line and it was confirmed; its sources may no longer be available. */
  readonly isConfirmed: (line: Pick<SummaryItem, "text" | "section" | "references">) => boolean;
  /** The mark of this line in the previous summary. */
  readonly previousMark: (line: string) => SummaryMark | null;
  readonly hasBlob: (hash: string) => boolean;
  /** Whether the session has these words in this order; `…` stands for omitted words. */
  readonly hasQuotation: (quotation: string) => boolean;
  readonly names: () => NameIndex;
  /** Computes in steps what `resolve`, `names` and `hasQuotation` read. */
  readonly computeReferences: () => Steps<unknown>;
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
  const references = new LazyValue(() => collectReferences(options));
  const sources = memoize(() => collectSources(options));
  const texts = memoize(() => [...collectTexts(options)]);
  const allWords = new LazyValue(() => joinAllWords(texts));
  const names = new LazyValue(() => indexNames(texts));
  const doubtfulReferences = memoize(() => findDoubtfulReferences(options.previous));
  const markedLines = memoize(() => findMarkedLines(options.previous));
  const confirmedLines = memoize(() => new ConfirmedLines(options.isChecked ? options.previous : ""));
  const compactions = memoize(() => collectCompactions(options));
  const isEarlier = memoize(() => createEarlierCheck(options));
  return {
    request: options.request,
    resolve: (reference) => references.get().get(reference) ?? (isEarlier()(reference) ? reference : null),
    isCompaction: (reference) => compactions().has(reference),
    sourceOf: (reference) => sources().get(reference) ?? null,
    isDoubtful: (reference) => doubtfulReferences().has(reference),
    previousMark: (line) => markedLines().get(normalizeWords(line)) ?? null,
    isConfirmed: (line) => confirmedLines().has(line),
    hasBlob: (hash) => texts().some((text) => text.includes(hash)),
    hasQuotation: (quotation) => containsQuotation(quotation, allWords.get()),
    names: () => names.get(),
    computeReferences: () => references.compute(),
    computeNames: () => names.compute(),
    computeAllWords: () => allWords.compute(),
    sources,
    userSources: memoize(() => new Map([...sources()].filter(([, { isFromUser }]) => isFromUser))),
    userTexts: memoize(() => collectUserTexts(options)),
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
    yield text.length * NAME_INDEX_EFFORT;
  }
  return index;
}

/** Indexing names takes longer than reading a text. */
const NAME_INDEX_EFFORT = 3;

/** Maps each citable reference to its short form. */
function* collectReferences(options: EvidenceOptions): Steps<ReadonlyMap<string, string>> {
  const { covered, previous, userMessages, ledger, request } = options;
  const earlierReferences = [previous, userMessages, ledger].flatMap(findCitedReferences);
  const reports = findChangeReports(options);
  yield LONG_STEP;
  return new Map([
    ...[...earlierReferences, ...(request ? [request.reference] : [])].map((each) => [each, each] as const),
    ...covered.flatMap((entry) => {
      const reference = reports.get(entry.id) ?? entryReference(entry);
      return [[entryReference(entry), reference] as const, [`entry:${entry.id}`, reference] as const];
    }),
  ]);
}

/** Maps results such as “Created a.ts: 39 lines” to the entries of their calls, which have the text. */
function findChangeReports({ covered, tools = {} }: EvidenceOptions): ReadonlyMap<string, string> {
  const calls = new Map<string, string>();
  const reports = new Map<string, string>();
  for (const entry of covered) {
    if (entry.type !== "message") continue;
    if (entry.message.role === "assistant")
      for (const call of completeToolCalls(entry.message)) {
        const { modifies, runs } = toolCallEffects(call, tools);
        if (modifies.length > 0 && runs.length === 0) calls.set(call.id, entryReference(entry));
      }
    const callReference = entry.message.role === "toolResult" ? calls.get(entry.message.toolCallId) : undefined;
    if (callReference !== undefined && entry.message.role === "toolResult" && !entry.message.isError)
      reports.set(entry.id, callReference);
  }
  return reports;
}

function collectCompactions({ covered }: EvidenceOptions): ReadonlySet<string> {
  return new Set(covered.flatMap((entry) => (entry.type === "compaction" ? [entryReference(entry)] : [])));
}

/** Returns whether a reference is the number of an entry before the covered ones. Entries are numbered without gaps. */
function createEarlierCheck({ covered }: EvidenceOptions): (reference: string) => boolean {
  const numbers = covered.flatMap(({ number }) => (number === undefined ? [] : [number]));
  const first = numbers.reduce((lowest, number) => Math.min(lowest, number), Number.POSITIVE_INFINITY);
  return (reference) => {
    const number = Number(/^#([1-9]\d*)$/.exec(reference)?.[1]);
    return Number.isFinite(first) && number < first;
  };
}

function collectSources(options: EvidenceOptions): ReadonlyMap<string, EvidenceSource> {
  const previous = options.isChecked ? options.previous : "";
  const nonUserTexts = collectNonUserTexts(previous);
  const wishTexts = collectConfirmedTexts(
    previous,
    (section) => isUserSection(section) || section === DECISIONS_SECTION,
  );
  const workTexts = collectConfirmedTexts(previous, (section) => !isUserSection(section));
  const sources = new Map<string, EvidenceSource>(collectPreviousSources(previous, nonUserTexts));
  const addMessage = (reference: string, ownText: string, attachedText: string): void => {
    const context = wishTexts.get(reference) ?? "";
    // Sentences that lines of the earlier summary carry over are no longer in the message.
    const typed = `${ownText}\n${ownText.includes(CARRIED_MARK) ? context : ""}`;
    const attached = attachedText === "" ? "" : `${attachedText}\n${nonUserTexts.get(reference) ?? ""}`;
    const work = memoize(() => [buildVocabulary(workTexts.get(reference) ?? "")]);
    sources.set(reference, createUserSource({ typed, attached, isComplete: false, context, work }));
  };
  for (const [reference, text] of splitUserMessages(options.userMessages)) {
    const { typed, attached } = splitQuotation(text);
    addMessage(reference, typed, attached);
  }
  const { request } = options;
  if (request) addMessage(request.reference, request.text, request.attached ?? "");
  for (const [reference, source] of collectCoveredSources(options)) sources.set(reference, source);
  return sources;
}

function collectCoveredSources(options: EvidenceOptions): ReadonlyMap<string, EvidenceSource> {
  const { covered, edits } = options;
  const calls = new Map(covered.flatMap(toolCallTexts));
  const sources = new Map<string, EvidenceSource>();
  let precedingReply = "";
  let turn: EvidenceSource[] = [];
  for (const entry of covered) {
    const author = authorOf(entry);
    const reference = entryReference(entry);
    if (author === "person") {
      const { typed, attachments } = splitUserEntry(entry, edits);
      const attached = attachments.map(({ name, text }) => `${name}\n${text}`).join("\n");
      const question = options.question?.reference === reference ? options.question.text : "";
      const sourcesOfTurn: EvidenceSource[] = [];
      turn = sourcesOfTurn;
      const work = (): readonly Vocabulary[] => sourcesOfTurn.map(({ vocabulary }) => vocabulary());
      const context = `${precedingReply}\n${question}`;
      sources.set(reference, createUserSource({ typed, attached, isComplete: true, context, work }));
    } else if (author !== "none" && entry.type !== "compaction") {
      const source = createWorkSource(() => entryWorkText(entry, edits, calls));
      sources.set(reference, source);
      turn.push(source);
    }
    if (author === "assistant") precedingReply = entryText(entry, edits) || precedingReply;
  }
  return sources;
}

function createWorkSource(readText: () => string): EvidenceSource {
  return {
    isFromUser: false,
    vocabulary: memoize(() => buildVocabulary(readText())),
    attachment: null,
    typed: () => NO_WORDS,
    numbers: () => [],
    work: () => [],
  };
}

const NO_WORDS: Vocabulary = buildVocabulary("");

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
    const text = citations.map(({ item }) => item.text).join("\n");
    const work = createWorkSource(() => text);
    if (!citations.some(({ item }) => isUserSection(item.section))) return [reference, work];
    const attachmentText = nonUserTexts.get(reference);
    const attachment =
      attachmentText === undefined
        ? null
        : { vocabulary: memoize(() => buildVocabulary(attachmentText)), isComplete: false };
    const numbers = memoize(() => findNumbers(text));
    return [reference, { ...work, isFromUser: true, attachment, typed: work.vocabulary, numbers }];
  });
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
  /** The assistant message before this one, or confirmed lines about this one. */
  readonly context: string;
  readonly work: EvidenceSource["work"];
}

// WORD4: a file name that was typed to attach the file counts as the attachment's text, because a file may have any name.
function createUserSource({ typed, attached, isComplete, context, work }: UserMessageText): EvidenceSource {
  const ownText = attached === "" ? typed : typed.replace(FILE_MENTION, " ");
  return {
    isFromUser: true,
    vocabulary: memoize(() => buildVocabulary(`${ownText}\n${context}`)),
    attachment: attached === "" ? null : { vocabulary: memoize(() => buildVocabulary(attached)), isComplete },
    typed: memoize(() => buildVocabulary(ownText)),
    numbers: memoize(() => findNumbers(`${typed}\n${context}\n${attached}`)),
    work,
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
  // A compaction has the previous summary with the lines that were marked.
  const entries = covered.filter(({ type }) => type !== "compaction");
  for (const { id: _id, parentId: _parentId, timestamp: _timestamp, ...content } of [...entries, ...edits])
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

/** Records which of the user's messages are not shown word for word, tells the model where they went, and reads those that no line carries over from the log again. */

import type { Budget } from "../compaction/budget.ts";
import { contextSize } from "../context/context-size.ts";
import { isFromUser, splitUserEntry } from "../context/entry-text.ts";
import { type Entry, readPithDetails } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Session } from "../session/session.ts";
import { compareReferences, entryNumber } from "../summary/carried-lines.ts";
import { type PreviousSummary, readPreviousSummary } from "../summary/parse-summary.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

/** The messages of the user that a summary message does not show word for word. */
export interface OmittedMessages {
  /** The references of messages of which the summary carries over at least one sentence that is no longer shown. */
  readonly carried: readonly string[];
  /** Messages that are shown by their beginning; no line carries over the rest. Oldest first. */
  readonly stubs: readonly MessageStub[];
  /** Messages that are only counted. */
  readonly hidden: HiddenMessages;
  /** The references of shown messages whose text an edit has changed. */
  readonly edited: readonly string[];
}

export interface MessageStub extends UncarriedMessage {
  /** The line that is shown: the reference and the first words. */
  readonly line: string;
  /** The tokens of the line. */
  readonly tokens: number;
}

/** A message that no line carries over. */
export interface UncarriedMessage {
  readonly reference: string;
  /** How many summarizers were shown the whole message again. */
  readonly offers: number;
  /** Whether an edit has changed its text. The log has the old text, so it is not read again. */
  readonly isEdited: boolean;
}

export interface HiddenMessages {
  readonly count: number;
  /** The oldest and the newest one; empty for none. */
  readonly first: string;
  readonly last: string;
  /** The newest of them, at most `MAX_HIDDEN_MESSAGES`, oldest first. */
  readonly messages: readonly UncarriedMessage[];
}

const noHiddenMessages: HiddenMessages = { count: 0, first: "", last: "", messages: [] };
export const noOmittedMessages: OmittedMessages = { carried: [], stubs: [], hidden: noHiddenMessages, edited: [] };

/** Reads the record of the previous compaction; it comes from a file and is not trusted. */
export function readOmittedMessages({ compaction, parts }: PreviousSummary): OmittedMessages {
  const { messages } = readPithDetails(compaction?.details);
  if (parts.length === 0 || !isObject(messages)) return noOmittedMessages;
  const { carried, stubs, hidden, edited } = messages;
  return {
    carried: toStrings(carried),
    edited: toStrings(edited),
    stubs: toArray(stubs).flatMap((stub) => {
      const message = toUncarriedMessage(stub);
      const line = isObject(stub) && typeof stub.line === "string" ? sanitizeLine(stub.line) : "";
      return message && line !== "" ? [{ ...message, line, tokens: textTokens(line) + 1 }] : [];
    }),
    hidden: toHiddenMessages(hidden),
  };
}

function toHiddenMessages(value: unknown): HiddenMessages {
  if (!isObject(value) || typeof value.count !== "number" || !(value.count > 0)) return noHiddenMessages;
  const { count, first, last, messages } = value;
  return {
    count: Math.floor(count),
    first: typeof first === "string" ? sanitizeLine(first, MAX_REFERENCE_CHARS) : "",
    last: typeof last === "string" ? sanitizeLine(last, MAX_REFERENCE_CHARS) : "",
    messages: toArray(messages).flatMap((each) => toUncarriedMessage(each) ?? []),
  };
}

function toUncarriedMessage(value: unknown): UncarriedMessage | null {
  if (!isObject(value) || typeof value.reference !== "string") return null;
  const { reference, offers, isEdited } = value;
  return { reference, offers: typeof offers === "number" ? offers : 0, isEdited: isEdited === true };
}

const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const toStrings = (value: unknown): readonly string[] => toArray(value).filter((each) => typeof each === "string");
const MAX_REFERENCE_CHARS = 60;

/** Formats the record for `details.pith`. */
export function formatOmittedMessages({ carried, stubs, hidden, edited }: OmittedMessages): JsonObject {
  const messages = {
    ...(carried.length > 0 && { carried }),
    ...(stubs.length > 0 && {
      stubs: stubs.map(({ line, tokens: _, ...stub }) => ({ ...formatUncarried(stub), line })),
    }),
    ...(hidden.count > 0 && { hidden: { ...hidden, messages: hidden.messages.map(formatUncarried) } }),
    ...(edited.length > 0 && { edited }),
  };
  return Object.keys(messages).length === 0 ? {} : { messages };
}

function formatUncarried({ reference, offers, isEdited }: UncarriedMessage): JsonObject {
  return { reference, ...(offers > 0 && { offers }), ...(isEdited && { isEdited }) };
}

/** Creates the line that stands for a message: its reference and its first words. */
export function createStub({ reference, offers, isEdited }: UncarriedMessage, text: string): MessageStub {
  const start = `[${reference}] `;
  let words = sanitizeLine(text, MAX_STUB_CHARS);
  if (words.endsWith("…")) words = dropLastWord(words);
  while (words !== "…" && textTokens(`${start}${words}`) > MAX_STUB_TOKENS) words = dropLastWord(words);
  const line = `${start}${words}`;
  return { reference, offers, isEdited, line, tokens: textTokens(line) + 1 };
}

// A word is never cut, because it may be a secret. Scripts without spaces lose a few characters at a time.
function dropLastWord(words: string): string {
  const shown = words.replace(/…$/, "").trimEnd();
  const isAscii = /[\x21-\x7e]$/.test(shown);
  const rest = isAscii
    ? shown.slice(0, shown.lastIndexOf(" ") + 1)
    : [...shown].slice(0, -Math.ceil(shown.length / 8)).join("");
  return `${rest.trimEnd()}…`;
}

const MAX_STUB_CHARS = 90;
export const MAX_STUB_TOKENS = 16;

/** Adds messages to those that are only counted. */
export function hideMessages(hidden: HiddenMessages, added: readonly UncarriedMessage[]): HiddenMessages {
  const messages = [...hidden.messages, ...added]
    .map(({ reference, offers, isEdited }) => ({ reference, offers, isEdited }))
    .toSorted((one, other) => compareReferences(one.reference, other.reference));
  const ends = [hidden.first, hidden.last, ...messages.map(({ reference }) => reference)].filter((each) => each !== "");
  const sortedEnds = ends.toSorted(compareReferences);
  return {
    count: hidden.count + added.length,
    first: sortedEnds[0] ?? "",
    last: sortedEnds.at(-1) ?? "",
    messages: messages.slice(-MAX_HIDDEN_MESSAGES),
  };
}

/** Removes messages that lines of the summary carry over now. */
export function removeHidden(hidden: HiddenMessages, references: ReadonlySet<string>): HiddenMessages {
  const messages = hidden.messages.filter(({ reference }) => !references.has(reference));
  const count = hidden.count - (hidden.messages.length - messages.length);
  if (count <= 0) return noHiddenMessages;
  const areAllListed = messages.length === count;
  return {
    count,
    first: areAllListed ? (messages[0]?.reference ?? "") : hidden.first,
    last: messages.at(-1)?.reference ?? hidden.last,
    messages,
  };
}

/** Only these can be shown to a summarizer again. */
const MAX_HIDDEN_MESSAGES = 1_000;

/** Renders what the model reads under the user's messages; empty if everything is shown word for word. */
export function renderOmittedMessages({ carried, stubs, hidden }: Omit<OmittedMessages, "edited">): string {
  const lines = [
    ...(carried.length > 0 ? [formatCarried(carried)] : []),
    ...(hidden.count > 0 ? [formatHidden(hidden)] : []),
    ...(stubs.length > 0 ? [STUBS_TITLE, ...stubs.map(({ line }) => line)] : []),
  ];
  return lines.length === 0 ? "" : [OMITTED_TITLE, ...lines].join("\n");
}

const OMITTED_TITLE = "# User messages that are not shown word for word";
const STUBS_TITLE = "The text of these that no line carries over begins so; `read #N` opens one:";

function formatCarried(carried: readonly string[]): string {
  const shown = carried.slice(-MAX_LISTED_REFERENCES).join(", ");
  const more = carried.length - MAX_LISTED_REFERENCES;
  return `The summary's lines that cite ${shown}${more > 0 ? ` or ${more} older messages` : ""} state what the user said there; […] marks the missing text.`;
}

const MAX_LISTED_REFERENCES = 6;

/** The maximum tokens of the line for messages that are only counted. */
export const MAX_HIDDEN_LINE_TOKENS = 40;

/** Formats the line for messages that are only counted. */
export function formatHidden({ count, first, last }: HiddenMessages): string {
  const messages = count === 1 ? `1 message, ${last}` : `${count} messages, ${first}–${last}`;
  return `Not shown and not carried over: ${messages}; \`read #N\` opens one.`;
}

/** The tokens of the rendered text, without the stubs. */
export function omittedTitleTokens({ carried, stubs, hidden }: OmittedMessages): number {
  return (
    textTokens(renderOmittedMessages({ carried, stubs: stubs.slice(0, 1), hidden })) - stubTokens(stubs.slice(0, 1))
  );
}

export function stubTokens(stubs: readonly MessageStub[]): number {
  return stubs.reduce((sum, { tokens }) => sum + tokens, 0);
}

/**
 * Reads the messages that no line carries over from the log, so that the next summarizer can carry them over: those that were shown
 * to the fewest summarizers first, then the oldest, within a share of the request.
 */
export async function loadUncarriedMessages(
  { branch, store }: Pick<Session, "branch" | "store">,
  budget: Budget,
): Promise<readonly Entry[]> {
  const compaction = branch.entries[branch.compactionIndex];
  if (compaction?.type !== "compaction") return [];
  const { stubs, hidden } = readOmittedMessages(readPreviousSummary(compaction));
  const waiting = [...hidden.messages, ...stubs]
    .filter(({ isEdited }) => !isEdited)
    .toSorted((one, other) => one.offers - other.offers)
    .slice(0, MAX_OFFERED_MESSAGES);
  let freeTokens = waiting.length === 0 ? 0 : contextSize(branch, budget).tokens * MAX_OFFER_SHARE;
  const entries: Entry[] = [];
  for (const { reference } of waiting) {
    if (freeTokens <= 0) break;
    const number = entryNumber(reference);
    const entry = await (number === null ? store.entry(reference.replace(/^entry:/, "")) : store.entryByNumber(number));
    if (!entry || !isFromUser(entry, []) || branch.edits.some(({ targetId }) => targetId === entry.id)) continue;
    freeTokens -= textTokens(splitUserEntry(entry).typed);
    if (freeTokens >= 0 || entries.length === 0) entries.push(entry);
  }
  return entries;
}

const MAX_OFFER_SHARE = 0.05;
const MAX_OFFERED_MESSAGES = 200;

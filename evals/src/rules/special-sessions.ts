/** Plans two special sessions: one with very many short rules, and one with many pastes and long messages. */

import { createRandom, type Random } from "@pith/bench/random";
import { createTextSource } from "@pith/bench/texts";
import { attachText } from "@pith/context/host";
import {
  createRule,
  type GeneratedRule,
  type PlannedMessage,
  type PlannedSession,
  pick,
  shuffle,
} from "./generated-session.ts";
import { LANGUAGES } from "./languages.ts";

/** Plans a session with 1,500 rules of at most eight words, each in a message of its own. */
export function planShortRules(seed: number): PlannedSession {
  const sentences = SHORT_RULES.flatMap((rule) => THINGS.map((thing) => rule.replace("{things}", thing)));
  const messages = shuffle(sentences, createRandom(seed)).map((text) => ({ text }));
  const rules = messages.map(({ text }, message) => createRule({ sentence: text, language: "en", message }));
  return { messages, rules, endsInQuestions: true, turnsPerAppend: 25 };
}

const SHORT_RULES = [
  "Never cache {things}.",
  "Sort {things} by name.",
  "Keep {things} under 80 lines.",
  "Log {things} at debug level.",
  "Test {things} with real files.",
  "Name {things} in singular.",
  "No globals in {things}.",
  "Freeze {things} after start-up.",
  "Count {things} in the footer.",
  "Encrypt {things} at rest.",
  "Close {things} before exit.",
  "Document {things} in English.",
  "Ignore unknown {things} silently.",
  "Limit {things} to 16 entries.",
  "Store {things} as JSON.",
  "Validate {things} on load.",
  "Copy {things} instead of moving.",
  "Show {things} in blue.",
  "Reject empty {things} early.",
  "Archive {things} every Friday.",
  "Compress {things} over 2 MB.",
  "Mock {things} only in tests.",
  "Reuse {things} across requests.",
  "Prefix {things} with acme.",
  "Delete {things} after 30 days.",
  "Export {things} one by one.",
  "Hide {things} from guests.",
  "Retry {things} at most twice.",
  "Format {things} with two spaces.",
  "Review {things} with Priya first.",
];

const THINGS =
  "parsers loggers fixtures handlers routes tokens queues widgets reports invoices coupons sessions cookies avatars banners drafts exports imports filters schemas migrations snapshots backups uploads thumbnails receipts tickets alerts webhooks workers adapters buffers caches cursors events flags forms graphs headers icons jobs keys labels locales mailers menus metrics modules panels plugins".split(
    " ",
  );

/** Plans a session in which most messages have a paste, and some are long. Each long message states three rules. */
export function planPasteFlood(seed: number): PlannedSession {
  const random = createRandom(seed);
  const makeText = createTextSource(random, undefined);
  const languages = LANGUAGES.filter(({ name }) => name !== "zh");
  const sentences = shuffle(
    languages.flatMap(({ name: language, rules }) => rules.map(({ text: sentence }) => ({ sentence, language }))),
    random,
  );
  const messages: PlannedMessage[] = [];
  const rules: GeneratedRule[] = [];
  for (let message = 0; message < FLOOD_MESSAGES; message += 1) {
    const isLong = message % LONG_MESSAGE_DISTANCE === 2;
    const stated = sentences.splice(0, isLong ? 3 : random() < PASTE_RULE_SHARE ? 1 : 0);
    rules.push(...stated.map((source) => createRule({ ...source, message })));
    const texts = stated.map(({ sentence }) => sentence);
    messages.push(isLong ? makeLongMessage(texts, random) : makePaste(message, texts, makeText(PASTE_CHARS)));
  }
  return { messages, rules };
}

/** The rules are at the beginning, in the middle and at the end. */
function makeLongMessage([first = "", middle = "", last = ""]: readonly string[], random: Random): PlannedMessage {
  const makeProse = (): string => Array.from({ length: 24 }, () => pick(PROSE, random)).join(" ");
  return { text: [first, makeProse(), middle, makeProse(), last].join(" ").trim() };
}

function makePaste(message: number, rules: readonly string[], pasted: string): PlannedMessage {
  const name = `pasted text ${message + 1}: ${pasted.split("\n").length} lines`;
  const text = [`Here is what the server printed: [${name}].`, ...rules].join(" ");
  return { text, content: [{ type: "text", text }, attachText({ kind: "paste", name }, pasted)] };
}

const FLOOD_MESSAGES = 48;
const LONG_MESSAGE_DISTANCE = 8;
const PASTE_RULE_SHARE = 0.3;
const PASTE_CHARS = 2_400;

const PROSE = [
  "The import took about forty minutes yesterday and nobody in the office knows why it was so slow.",
  "I compared both runs and the second one was faster, although the machine had more to do.",
  "Our colleagues in the warehouse print the list every morning before the first truck leaves.",
  "We had a similar problem in spring, and back then it was the network card of the old server.",
  "The figures in the last column look strange to me, but they may come from the trial account.",
  "Somebody mentioned that the scanner sends each code twice if its battery is almost empty.",
  "The report from the auditors arrives at the end of the month and is usually forty pages long.",
  "It would be nice if the page loaded a little faster on the tablets in the storage hall.",
];

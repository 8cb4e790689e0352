/** Generates the user's messages of a session with rules, and connects each rule with the message that states it. */

import { createRandom, type Random, randomInteger } from "@pith/bench/random";
import type { NewEntry } from "@pith/context";
import { hasWordsOf, LANGUAGES, type Language, type LanguageName, type RuleText, rewordSentence } from "./languages.ts";
import type { Rule } from "./rule.ts";
import type { KnownRule } from "./summarizers.ts";

export type UserContent = Extract<Extract<NewEntry, { type: "message" }>["message"], { role: "user" }>["content"];

/** A message of the user before it is sent. */
export interface PlannedMessage {
  /** The text that the user types. */
  readonly text: string;
  /** The text with its attachments, if there are any. */
  readonly content?: UserContent;
}

/** A rule that a summarizer can put in other words. */
export interface GeneratedRule extends Rule, Pick<KnownRule, "line"> {}

export interface PlannedSession {
  readonly messages: readonly PlannedMessage[];
  readonly rules: readonly GeneratedRule[];
  /** Whether the assistant's replies are long and end in a question. By default, the tool results are long. */
  readonly endsInQuestions?: boolean;
  /** The number of turns that are appended together. Default: 1. */
  readonly turnsPerAppend?: number;
}

export interface RuleSource {
  readonly sentence: string;
  readonly language: LanguageName;
  readonly message: number;
  readonly replacedBy?: number | null;
}

export function createRule({ sentence, language, message, replacedBy = null }: RuleSource): GeneratedRule {
  const statement = { quote: sentence, isStatedIn: (line: string): boolean => hasWordsOf(line, sentence, language) };
  return {
    text: sentence,
    message,
    statements: [statement],
    replacedBy,
    line: rewordSentence(sentence, language),
  };
}

/** Plans a session with 40 rules in five languages. Ten of them are replaced later. */
export function planRuleSession(seed: number, messageCount = 120): PlannedSession {
  const random = createRandom(seed);
  const sources = shuffle(
    LANGUAGES.flatMap((language) => language.rules.map((rule) => ({ language, ...rule }))),
    random,
  );
  const isReplaced = ({ replacement }: RuleText): boolean => replacement !== undefined;
  const [replaced, lasting] = [sources.filter(isReplaced), sources.filter((source) => !isReplaced(source))];
  // The rules that are replaced are in the first third, and their replacements later.
  const third = Math.floor(messageCount / 3);
  const early = shuffle(range(0, third), random).slice(0, replaced.length);
  const late = shuffle(range(third, messageCount), random).slice(0, replaced.length);
  const others = shuffle(range(0, messageCount), random).filter(
    (each) => !early.includes(each) && !late.includes(each),
  );
  const messages = Array.from({ length: messageCount }, (_, index) => makePlainMessage(index, random));
  const rules: GeneratedRule[] = [];
  const addRule = (language: Language, source: Omit<RuleSource, "language">): void => {
    messages[source.message] = makeRuleMessage(source.sentence, { language, message: source.message, random });
    rules.push(createRule({ ...source, language: language.name }));
  };
  for (const [index, { language, text }] of lasting.entries())
    addRule(language, { sentence: text, message: others[index] ?? 0 });
  for (const [index, { language, text, replacement = "" }] of replaced.entries()) {
    const [message = 0, replacedBy = 0] = [early[index], late[index]];
    addRule(language, { sentence: text, message, replacedBy });
    addRule(language, { sentence: replacement, message: replacedBy });
  }
  return { messages, rules, turnsPerAppend: 4 };
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

interface MessageOptions {
  readonly language: Language;
  readonly message: number;
  readonly random: Random;
}

/** A rule alone, or before, after or between tasks. */
function makeRuleMessage(rule: string, options: MessageOptions): PlannedMessage {
  const [first = "", second = "", third = ""] = pickTasks(3, options);
  const sentences = pick([[rule], [first, rule], [rule, first, second], [first, second, rule, third]], options.random);
  return { text: sentences.join(options.language.separator) };
}

function makePlainMessage(message: number, random: Random): PlannedMessage {
  const language = pick(LANGUAGES, random);
  if (random() < ANSWER_SHARE) return { text: pick(language.answers, random) };
  return { text: pickTasks(randomInteger(random, 1, 3), { language, message, random }).join(language.separator) };
}

const ANSWER_SHARE = 0.3;

function pickTasks(count: number, { language, message, random }: MessageOptions): readonly string[] {
  return shuffle(language.tasks, random)
    .slice(0, count)
    .map((task) => fillTask(task, message));
}

function fillTask(task: string, message: number): string {
  return task.replaceAll("{file}", `lib/step-${message}.mjs`);
}

export function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], random: Random): Item {
  return items[randomInteger(random, 0, items.length - 1)] as Item;
}

/** Generates facts to plant in a session, each with a question that shares one word with it, and entries that contain the same word. */

import { wordOfRank } from "@pith/bench/generated-words";
import { type Random, randomInteger } from "@pith/bench/random";

export interface PlantedFact {
  /** The only word that the question and the fact share. */
  readonly key: string;
  readonly answer: string;
  /** The sentence to plant. */
  readonly text: string;
  readonly question: string;
  /** Texts with the key and with words of the question, but without the answer. */
  readonly distractors: readonly string[];
}

const DISTRACTORS_PER_FACT = 50;

export function generateFacts(count: number, random: Random): readonly PlantedFact[] {
  return Array.from({ length: count }, (_, index) => generateFact(index, random));
}

function generateFact(index: number, random: Random): PlantedFact {
  // Beyond the words of the filler, so that exactly the planted entries contain it.
  const key = `${wordOfRank(70_000 + index)}${index}`;
  const answer = `${wordOfRank(randomInteger(random, 5_000, 50_000))}-${randomInteger(random, 1_000, 9_999)}`;
  const pick = (texts: readonly string[]): string => texts[index % texts.length] ?? "";
  return {
    key,
    answer,
    text: pick(STATEMENTS).replace("{key}", key).replace("{answer}", answer),
    question: pick(QUESTIONS).replace("{key}", key),
    distractors: Array.from({ length: DISTRACTORS_PER_FACT }, (_, position) =>
      (DISTRACTORS[position % DISTRACTORS.length] ?? "")
        .replace("{key}", key)
        .replace("{number}", String(randomInteger(random, 1_000, 9_999))),
    ),
  };
}

const STATEMENTS: readonly string[] = [
  "{key} listens on {answer}.",
  "Decided: {key} = {answer}, because nothing else scaled.",
  "{key} broke at {answer}; fixed by pinning it.",
  "Keep {answer} for {key}.",
  "{key}: measured {answer} under load.",
];

const QUESTIONS: readonly string[] = [
  "Which address does the {key} service use?",
  "What value did we choose as the setting of {key} in the end?",
  "Where did the failure in the {key} module come from?",
  "What was I told to use with {key} when we deploy?",
  "How fast was {key} in the benchmark that you ran?",
];

// They contain more words of the questions than the facts do.
const DISTRACTORS: readonly string[] = [
  "The {key} service has no address of its own; the test uses {number}.",
  "I did not choose a value in this setting of {key} yet: {number} or less.",
  "No failure in the {key} module today, run {number} passed.",
  "We deploy {key} again when {number} is merged, as you told me to.",
  "The benchmark that you ran did not include {key} ({number} others did).",
  "Rename {key} in {number} places?",
];

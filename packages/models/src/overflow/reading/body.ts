/** What a body says for itself: its sentences, its codes, its status. */

import { type Found, foundIn } from "./found.ts";
import { isStatusAt, type Sentence, sentenceOf, sentencesIn } from "./sentences.ts";
import { folded } from "./spelling.ts";

export interface Body {
  readonly sentences: readonly Sentence[];
  readonly codes: readonly string[];
  /** An HTTP status that the body names itself. */
  readonly status?: number;
  /** It says nothing but its status, and is no page of a proxy. */
  readonly isBare: boolean;
}

/** How much is looked at for JSON, and how much of what is said in all is then matched. */
const READ = 65_536;
const MATCHED = 8_192;

const bareWords = new Set(
  "status code no body bad request payload request content entity too large error http".split(" "),
);

export function readBody(text: string): Body {
  const found = [...foundIn(text.slice(0, READ))];
  const said = saidIn(found);
  const named = found.flatMap((each) => ("code" in each ? folded(each.code.slice(0, 200)) : []));
  const sentences = withoutCodes(sentencesIn(said), named);
  const status = statusIn(named) ?? statusIn(sentences.slice(0, 4).flatMap(leadingStatuses));
  return {
    sentences,
    codes: named,
    ...(status !== undefined && { status }),
    isBare: !said.includes("<") && isBare(sentences),
  };
}

function saidIn(found: readonly Found[]): string {
  let said = "";
  for (const each of found) {
    if (said.length >= MATCHED) break;
    if ("text" in each) said += `${folded(each.text.slice(0, MATCHED)).trim()}. `;
  }
  return said.slice(0, MATCHED);
}

/** Some repeat their own code in the sentence, where it looks like a count: `exceeds limit (2013)`. */
function withoutCodes(sentences: readonly Sentence[], named: readonly string[]): readonly Sentence[] {
  const numbers = new Set(named.filter((code) => /^\d{4,}$/.test(code)));
  if (numbers.size === 0) return sentences;
  return sentences.map(({ words }) => sentenceOf(words.filter((word) => !numbers.has(word))));
}

function statusIn(words: readonly string[]): number | undefined {
  const status = words.find((word) => /^[45]\d\d$/.test(word));
  return status === undefined ? undefined : Number(status);
}

function leadingStatuses(sentence: Sentence): readonly string[] {
  const words = sentence.words.slice(0, 12);
  return words.filter((_, at) => isStatusAt(words, at));
}

function isBare(sentences: readonly Sentence[]): boolean {
  return sentences.every((sentence) => sentence.words.every((word) => bareWords.has(word) || /^[45]\d\d$/.test(word)));
}

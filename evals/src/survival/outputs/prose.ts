/** Documents and notes: sentences in paragraphs, or all on one line. */

import { filled, pick } from "../languages/filled.ts";
import { enough, type Output, type OutputParts } from "./output.ts";

export function prose({ language, letters, next, corpus }: OutputParts): Output {
  const hasParagraphs = next() < 0.7;
  const gap = (): string => (hasParagraphs && next() < 0.2 ? "\n\n" : language.space);
  const sentence = (): string => `${filled(pick(language.sentences, next), language, next)}${gap()}`;
  return {
    before: "",
    pieces: corpus ? sentencesIn(corpus(letters)) : enough(letters, sentence),
    between: "",
    after: "",
    planted: (text) => `${text}${language.space}`,
  };
}

/** With what stands between them. */
function sentencesIn(text: string): readonly string[] {
  return text.toWellFormed().match(/[^.!?。！？\n]*[.!?。！？\n]+\s*/g) ?? [text];
}

/** Documents and notes: sentences in paragraphs, or all on one line. */

import { filled, pick } from "../languages/filled.ts";
import { enough, type Output, type OutputParts } from "./output.ts";

export function prose({ language, letters, next }: OutputParts): Output {
  const hasParagraphs = next() < 0.7;
  const gap = (): string => (hasParagraphs && next() < 0.2 ? "\n\n" : language.space);
  return {
    before: "",
    pieces: enough(letters, () => `${filled(pick(language.sentences, next), language, next)}${gap()}`),
    between: "",
    after: "",
    planted: (text) => `${text}${language.space}`,
  };
}

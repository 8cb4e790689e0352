/** Every file opens with a sentence that says what it is for. */

import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import type { Source } from "./source/source.ts";

const openingComment = /^(?:#![^\n]*\n)?\s*\/\*\*(.*?)\*\//s;
const endOfSentence = /[^\s.*]\.[)"”]*(?:\s|$)/;

export function opening({ sources, tests }: House): readonly Fault[] {
  return [...sources, ...tests]
    .filter((source) => !isOpened(source))
    .map(({ path }) => ({
      path,
      line: 1,
      sentence: "does not open with a `/** … */` sentence that ends in a full stop; say what the file is for",
    }));
}

function isOpened({ text }: Source): boolean {
  return endOfSentence.test(openingComment.exec(text)?.[1] ?? "");
}

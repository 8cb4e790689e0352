/** Words without what went with them. */

import { expect, test } from "vitest";
import { saidWords } from "../../../src/screen/typing/said-words.ts";

const text = (words: string) => ({ type: "text", text: words }) as const;
const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;

test("TYP10 files that were said with words are not shown again: the words name them", () => {
  const file = text('<file path="a.ts">\nlet a;\n</file>');
  expect(saidWords([file, text("see @a.ts")])).toBe("see @a.ts");
  expect(saidWords([file, text("see it")])).toBe("@a.ts\nsee it");
  expect(saidWords([file])).toBe("@a.ts");
  expect(saidWords([text("[picture 1: 3 KB png]"), image, text("[picture 1: 3 KB png] why?")])).toBe(
    "[picture 1: 3 KB png] why?",
  );
  expect(saidWords("plain")).toBe("plain");
});

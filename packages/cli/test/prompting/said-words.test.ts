/** Words without what went with them. */

import { expect, test } from "vitest";
import { entryLine } from "../../src/commands/walking/entry-line.ts";
import { sketchOf } from "../../src/commands/walking/outlining/sketch.ts";
import { entrySaid, saidWords } from "../../src/prompting/said-words.ts";

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

test("TYP10 lists, trees and forks name the file that was said with a message, and do not show it", () => {
  const content = [
    { type: "text", text: '<file path="slug.js">\nexport const slug = 1;\n</file>' },
    { type: "text", text: "what does @slug.js do?" },
  ] as const;
  const entry = {
    ...({ type: "message", id: "e1", parentId: null, timestamp: "" } as const),
    message: { role: "user", content, timestamp: 0 },
  } as const;
  expect(entrySaid(entry)).toBe("what does @slug.js do?");
  expect(entryLine(entry).words).toBe("what does @slug.js do?");
  expect(sketchOf(entry).words).toBe("what does @slug.js do?");
});

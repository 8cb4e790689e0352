/** Answers of commands as a program prints them that ends afterwards. */

import { expect, test } from "vitest";
import { printedAnswer } from "../../../src/modes/print/text-output.ts";

const id = "0d4f8a52-1111-4222-8333-444455556666";

test("COM35 what is told is printed; a mistake ends with 2, a failure with 1", () => {
  expect(printedAnswer({ type: "told", text: "so", data: 1 })).toEqual({ answer: "so", notes: [] });
  expect(printedAnswer({ type: "quit" })).toEqual({ answer: "", notes: [] });
  expect(printedAnswer({ type: "mistake", message: "no" })).toMatchObject({ fault: { code: 2, message: "no" } });
  expect(printedAnswer({ type: "failed", message: "no" })).toMatchObject({ fault: { code: 1, message: "no" } });
});

test("COM35 a draft is printed with the command that says it", () => {
  expect(printedAnswer({ type: "draft", draft: "try A", text: "you stand at e2" })).toEqual({
    answer: "try A",
    notes: ['· you stand at e2; say these words anew with pith -p -c "…"'],
  });
  const opened = { type: "opened", path: "/s.jsonl", id, text: "a new session: 0d4f8a52" } as const;
  expect(printedAnswer(opened, " --base-url http://x")).toEqual({
    answer: "a new session: 0d4f8a52",
    notes: ['· go on with pith -p --session 0d4f8a52-1111 --base-url http://x "…"'],
  });
  expect(printedAnswer({ ...opened, word: "'/a b.jsonl'" }).notes).toEqual([
    `· go on with pith -p --session '/a b.jsonl' "…"`,
  ]);
  expect(printedAnswer({ ...opened, draft: "go" }).notes).toEqual([
    '· a new session: 0d4f8a52; say these words with pith -p --session 0d4f8a52-1111 "…"',
  ]);
  expect(printedAnswer({ ...opened, draft: "go", isDraftKept: true }).notes).toEqual([
    "· a new session: 0d4f8a52; pith -p --session 0d4f8a52-1111 says this as it is; with words behind it, those instead",
  ]);
});

/** Answers of commands as a program prints them that ends afterwards. */

import { expect, test } from "vitest";
import { formatCommandResult } from "../../../src/modes/print/text-output.ts";

const id = "0d4f8a52-1111-4222-8333-444455556666";

test("COM35 a successful command is printed; a mistake exits with 2, a failure with 1", () => {
  expect(formatCommandResult({ type: "success", text: "so", data: 1 })).toEqual({ stdout: "so", notes: [] });
  expect(formatCommandResult({ type: "quit" })).toEqual({ stdout: "", notes: [] });
  expect(formatCommandResult({ type: "mistake", message: "no" })).toMatchObject({ exit: { code: 2, message: "no" } });
  expect(formatCommandResult({ type: "failed", message: "no" })).toMatchObject({ exit: { code: 1, message: "no" } });
});

test("COM35 a draft is printed with the command that sends it", () => {
  expect(formatCommandResult({ type: "draft", draft: "try A", text: "Now at e2" })).toEqual({
    stdout: "try A",
    notes: ["· Now at e2", '· edit this message and send it with: pith -p -c "…"'],
  });
  const opened = { type: "opened", path: "/s.jsonl", id, text: "New session: 0d4f8a52" } as const;
  expect(formatCommandResult(opened, " --base-url http://x")).toEqual({
    stdout: "New session: 0d4f8a52",
    notes: ['· continue with: pith -p --session 0d4f8a52-1111 --base-url http://x "…"'],
  });
  expect(formatCommandResult({ ...opened, resumeArgument: "'/a b.jsonl'" }).notes).toEqual([
    `· continue with: pith -p --session '/a b.jsonl' "…"`,
  ]);
  expect(formatCommandResult({ ...opened, draft: "go" }).notes).toEqual([
    "· New session: 0d4f8a52",
    '· edit this message and send it with: pith -p --session 0d4f8a52-1111 "…"',
  ]);
  expect(formatCommandResult({ ...opened, draft: "go", isDraftSaved: true }).notes).toEqual([
    "· New session: 0d4f8a52",
    "· to send this message, run: pith -p --session 0d4f8a52-1111; add a prompt to send that instead",
  ]);
});

/** Lines that are typed: who gets them, and when. */

import { expect, test } from "vitest";
import { createChoicePanel } from "../../../../src/modes/interactive/panels/choice.ts";
import { createPlainOutput, InputLoop } from "../../../../src/modes/interactive/plain/input-loop.ts";
import { createRecordedScreen } from "../../../support/test-screen.ts";

interface LoopOptions {
  readonly isPerson?: boolean;
  readonly submitted?: (text: string) => Promise<void> | void;
}

function looping({ isPerson = true, submitted = () => {} }: LoopOptions = {}) {
  const { screen } = createRecordedScreen();
  const submissions: string[] = [];
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  const output = createPlainOutput({ write, isEchoed: isPerson, onOutput: () => {} });
  const loop = new InputLoop({
    ...{ screen, output, isInteractive: isPerson, hasSession: () => true },
    onKey: (key) => submissions.push(`key ${key}`) > 0,
    onSubmit: (text) => {
      submissions.push(text);
      return submitted(text);
    },
  });
  return { screen, loop, output, submissions, written: () => written };
}

test("PLN10 a line that ends in a backslash continues on the next line", () => {
  const { loop, submissions } = looping();
  for (const line of ["first \\", "second \\", "third", "", "fourth"]) loop.handleLine(line);
  expect(submissions).toEqual(["first \nsecond \nthird", "fourth"]);
});

test("PLN11 the prompt is printed once per line, and other output starts on its own line", () => {
  const { loop, output, written } = looping();
  loop.advance();
  loop.advance();
  output.writeLines(["a note"]);
  loop.advance();
  expect(written()).toBe("> \na note\n> ");
});

test("PLN12 /history lists earlier lines, and /history with a number submits one again", () => {
  const { loop, submissions, written } = looping();
  for (const line of ["one", "two", "/history", "/history 1", "/history 9"]) loop.handleLine(line);
  expect(submissions).toEqual(["one", "two", "one"]);
  expect(written()).toContain("1. one\n2. two\nTo submit a line again, type /history <number>.\n");
  expect(written()).toContain("No line 9 in the history. /history lists the lines.\n");
});

test("PLN13 lines from a pipe are submitted one after the other, and its end quits", async () => {
  const ends: (() => void)[] = [];
  const wait = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const { loop, submissions } = looping({ isPerson: false, submitted: wait });
  for (const line of ["one", "two"]) loop.handleLine(line);
  loop.handleEnd();
  expect(submissions).toEqual(["one"]);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(submissions).toEqual(["one", "two"]);
  ends[1]?.();
  await new Promise(setImmediate);
  expect(submissions).toEqual(["one", "two", "/quit"]);
});

test("PLN13 a line from a pipe answers an open question", async () => {
  const { loop, submissions, screen } = looping({ isPerson: false, submitted: () => new Promise(() => {}) });
  const answer = screen.showPanel(createChoicePanel({ title: "?", options: [{ label: "Yes", value: 1 }] }), {
    where: "inline",
  });
  for (const line of ["1", "words"]) loop.handleLine(line);
  expect(await answer).toBe(1);
  loop.advance();
  expect(submissions).toEqual(["words"]);
});

test("PLN14 Ctrl+C closes a question without an answer, and otherwise acts as the key Ctrl+C", async () => {
  const { loop, submissions, screen } = looping();
  const answer = screen.showPanel(createChoicePanel({ title: "?", options: [{ label: "Yes", value: 1 }] }), {
    where: "inline",
  });
  loop.handleInterrupt();
  expect(await answer).toBeNull();
  loop.handleInterrupt();
  expect(submissions).toEqual(["key ctrl+c"]);
});

/** Lines that are typed: who gets them, and when. */

import { expect, test } from "vitest";
import { createChoicePanel } from "../../../../src/modes/interactive/panels/choice.ts";
import { createPlainOutput, InputLoop } from "../../../../src/modes/interactive/plain/input-loop.ts";
import { listening } from "./recorded-screen.ts";

interface Wish {
  readonly isPerson?: boolean;
  readonly submitted?: (text: string) => Promise<void> | void;
}

function looping({ isPerson = true, submitted = () => {} }: Wish = {}) {
  const { screen } = listening();
  const heard: string[] = [];
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  const voice = createPlainOutput({ write, isEchoed: isPerson, onOutput: () => {} });
  const loop = new InputLoop({
    ...{ screen, output: voice, isInteractive: isPerson, hasSession: () => true },
    onKey: (key) => heard.push(`key ${key}`) > 0,
    onSubmit: (text) => {
      heard.push(text);
      return submitted(text);
    },
  });
  return { screen, loop, voice, heard, written: () => written };
}

test("PLN10 a line that ends in a backslash continues on the next line", () => {
  const { loop, heard } = looping();
  for (const line of ["first \\", "second \\", "third", "", "fourth"]) loop.handleLine(line);
  expect(heard).toEqual(["first \nsecond \nthird", "fourth"]);
});

test("PLN11 the prompt is printed once per line, and other output starts on its own line", () => {
  const { loop, voice, written } = looping();
  loop.advance();
  loop.advance();
  voice.writeLines(["a note"]);
  loop.advance();
  expect(written()).toBe("> \na note\n> ");
});

test("PLN12 /history lists earlier lines, and /history with a number submits one again", () => {
  const { loop, heard, written } = looping();
  for (const line of ["one", "two", "/history", "/history 1", "/history 9"]) loop.handleLine(line);
  expect(heard).toEqual(["one", "two", "one"]);
  expect(written()).toContain("1. one\n2. two\nTo submit a line again, type /history <number>.\n");
  expect(written()).toContain("No line 9 in the history. /history lists the lines.\n");
});

test("PLN13 lines from a pipe are submitted one after the other, and its end quits", async () => {
  const ends: (() => void)[] = [];
  const wait = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const { loop, heard } = looping({ isPerson: false, submitted: wait });
  for (const line of ["one", "two"]) loop.handleLine(line);
  loop.handleEnd();
  expect(heard).toEqual(["one"]);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(heard).toEqual(["one", "two"]);
  ends[1]?.();
  await new Promise(setImmediate);
  expect(heard).toEqual(["one", "two", "/quit"]);
});

test("PLN13 a line from a pipe answers an open question", async () => {
  const { loop, heard, screen } = looping({ isPerson: false, submitted: () => new Promise(() => {}) });
  const asked = screen.showPanel(createChoicePanel({ title: "?", options: [{ label: "Yes", value: 1 }] }), {
    where: "inline",
  });
  for (const line of ["1", "words"]) loop.handleLine(line);
  expect(await asked).toBe(1);
  loop.advance();
  expect(heard).toEqual(["words"]);
});

test("PLN14 Ctrl+C closes a question without an answer, and otherwise acts as the key Ctrl+C", async () => {
  const { loop, heard, screen } = looping();
  const asked = screen.showPanel(createChoicePanel({ title: "?", options: [{ label: "Yes", value: 1 }] }), {
    where: "inline",
  });
  loop.handleInterrupt();
  expect(await asked).toBeNull();
  loop.handleInterrupt();
  expect(heard).toEqual(["key ctrl+c"]);
});

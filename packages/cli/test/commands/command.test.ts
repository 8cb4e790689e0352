/** Words and flags behind a command. */

import { expect, test } from "vitest";
import { parseCommandArgs } from "../../src/commands/command.ts";

const known = {
  summary: { takes: "optional-text" },
  label: { takes: "text" },
  files: { takes: "none" },
} as const;

const read = (text: string): unknown => parseCommandArgs(text, known);

test("COM6 the words after a flag are its value, up to the next flag", () => {
  expect(read("")).toEqual({ type: "read", text: "", flags: {} });
  expect(read("e1 --summary what failed --label second try --files")).toEqual({
    type: "read",
    text: "e1",
    flags: { summary: "what failed", label: "second try", files: true },
  });
  expect(read("--files e1 --summary")).toEqual({ type: "read", text: "e1", flags: { files: true, summary: true } });
  expect(read("e1 --label=one two")).toEqual({ type: "read", text: "e1", flags: { label: "one two" } });
  expect(read("a--label b -- c")).toEqual({ type: "read", text: "a--label b -- c", flags: {} });
});

test("COM6 an unknown flag and a flag without its value are mistakes that name the known flags", () => {
  expect(read("e1 --sumary")).toEqual({
    type: "mistake",
    message: "unknown flag --sumary; use --summary, --label, --files",
  });
  expect(read("e1 --constructor")).toMatchObject({ type: "mistake" });
  expect(read("e1 --label")).toEqual({ type: "mistake", message: "--label needs a value" });
});

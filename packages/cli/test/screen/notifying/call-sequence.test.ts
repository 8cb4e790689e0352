/** What calls somebody. */

import { expect, test } from "vitest";
import { callSequence } from "../../../src/screen/notifying/call-sequence.ts";

test("MAN21 off says nothing, a bell is a bell, and a desktop hears it in the words of its terminal", () => {
  expect(callSequence("done", "off", {})).toBe("");
  expect(callSequence("done", "bell", { KITTY_WINDOW_ID: "1" })).toBe("\x07");
  expect(callSequence("done", "desktop", { TERM: "xterm-256color" })).toBe("\x1b]9;Pith: done\x1b\\\x07");
  expect(callSequence("a; b", "desktop", { VTE_VERSION: "7600" })).toBe("\x1b]777;notify;Pith;a, b\x1b\\\x07");
  expect(callSequence("done", "desktop", { TERM: "xterm-kitty" })).toBe(
    "\x1b]99;i=pith:d=0;Pith\x1b\\\x1b]99;i=pith:p=body;done\x1b\\\x07",
  );
});

test("MAN21 tmux hands it on in brackets of its own", () => {
  expect(callSequence("done", "desktop", { TMUX: "/tmp/x,1,0" })).toBe(
    "\x1bPtmux;\x1b\x1b]9;Pith: done\x1b\x1b\\\x1b\\\x07",
  );
});

/** In the order in which they are taken away, each once. */
const OURS = ["\x1b\\\x1b]99;", "\x1b]99;", "\x1b]777;", "\x1b]9;", "\x1b\\\x07"];

test("MAN21 nothing in the words can end the sequence or begin another", () => {
  const hostile = "a\x1b\\\x07b\x9c\nc\u202e\x1b]0;title\x07";
  for (const environment of [{}, { VTE_VERSION: "1" }, { TERM: "xterm-kitty" }]) {
    const sequence = callSequence(hostile, "desktop", environment);
    const inner = OURS.reduce((rest, own) => rest.replace(own, ""), sequence);
    expect(inner).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(callSequence("x".repeat(5_000), "desktop", {}).length).toBeLessThan(250);
});

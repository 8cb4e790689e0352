/** Tests modes/interactive/keys/input.ts: key names, pasted line, chords. */

import { describe, expect, test } from "vitest";
import { createInput, editInput } from "../../../../src/modes/interactive/panels/widgets.ts";
import { decodeKey, KeyMatcher, parsePastedLine } from "../../../../src/modes/interactive/terminal/key-input.ts";
import { type ActionId, parseKeymap } from "../../../../src/settings/keymap.ts";

describe("key names", () => {
  test.each([
    ["a", "a"],
    ["ü", "ü"],
    ["\x1b", "escape"],
    ["\x03", "ctrl+c"],
    ["\x1b[A", "up"],
    ["\x1b\r", "alt+enter"],
    ["\x1b[97;1u", "a"],
    ["\x1b[97;1:3u", ""],
    ["\x1b[27;1:3u", ""],
  ])("TYP17 each key has one name in every terminal encoding, and a key release has none: %j", (data, key) => {
    expect(decodeKey(data)).toBe(key);
  });
});

describe("pasted line", () => {
  test.each([
    ["\x1b[200~two\nlines \x1b[31mred\x1b[0m\x1b[201~", "two lines red"],
    ["\x1b[200~y\x1b[201~", "y"],
    ["y", null],
    ["\x1b[A", null],
  ])("TYP8 a paste into a single-line input becomes one line without control sequences: %j", (key, line) => {
    expect(parsePastedLine(key)).toBe(line);
  });

  test("TYP8 a paste is inserted at the cursor", () => {
    expect(editInput({ text: "ab", cursor: 1 }, "\x1b[200~x y\x1b[201~")).toEqual({ text: "ax yb", cursor: 4 });
    expect(editInput(createInput("a"), "up")).toBeNull();
  });
});

describe("chords", () => {
  function pressing(presses: KeyMatcher, useful: readonly ActionId[]) {
    const actions: ActionId[] = [];
    const press = (key: string, now: number): boolean =>
      presses.handleKey(key, now, (id) => {
        actions.push(id);
        return useful.includes(id);
      });
    return { press, actions };
  }

  test("TYP19 a key pressed twice in time is a sequence if the first press did nothing", () => {
    const { press, actions } = pressing(new KeyMatcher(), ["tree"]);
    expect(press("escape", 0)).toBe(false);
    expect(press("escape", 500)).toBe(true);
    expect(actions).toEqual(["stop", "tree"]);
  });

  test("TYP19 a second press that is too late, or that follows a stop, is no sequence", () => {
    const late = pressing(new KeyMatcher(), ["tree"]);
    expect([late.press("escape", 0), late.press("escape", 5_000)]).toEqual([false, false]);
    const stopping = pressing(new KeyMatcher(), ["tree", "stop"]);
    expect([stopping.press("escape", 0), stopping.press("escape", 10)]).toEqual([true, true]);
    expect(stopping.actions).toEqual(["stop", "stop"]);
  });

  test("TYP19 two keys that arrive in one chunk are a sequence", () => {
    const { press, actions } = pressing(new KeyMatcher(), ["tree"]);
    expect(press("ctrl+alt+[", 0)).toBe(true);
    expect(actions).toEqual(["stop", "tree"]);
  });

  test("TYP17 a key of the keymap file matches in any order of its modifiers, and replaces the default key", () => {
    const { keymap } = parseKeymap('{ "fold": "ctrl+shift+p" }', "k");
    const { press } = pressing(new KeyMatcher(keymap), ["fold"]);
    expect([press("shift+ctrl+p", 0), press("ctrl+o", 10)]).toEqual([true, false]);
  });
});

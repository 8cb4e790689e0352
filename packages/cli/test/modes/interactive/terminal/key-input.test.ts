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
  ])("TYP17 a key has one name, however a terminal spells it, and letting it go is no press: %j", (data, key) => {
    expect(decodeKey(data)).toBe(key);
  });
});

describe("pasted line", () => {
  test.each([
    ["\x1b[200~two\nlines \x1b[31mred\x1b[0m\x1b[201~", "two lines red"],
    ["\x1b[200~y\x1b[201~", "y"],
    ["y", null],
    ["\x1b[A", null],
  ])("TYP8 what is pasted into a search or another single line is one harmless line: %j", (key, line) => {
    expect(parsePastedLine(key)).toBe(line);
  });

  test("TYP8 a paste stands where the cursor is", () => {
    expect(editInput({ text: "ab", cursor: 1 }, "\x1b[200~x y\x1b[201~")).toEqual({ text: "ax yb", cursor: 4 });
    expect(editInput(createInput("a"), "up")).toBeNull();
  });
});

describe("chords", () => {
  function pressing(presses: KeyMatcher, useful: readonly ActionId[]) {
    const asked: ActionId[] = [];
    const press = (key: string, now: number): boolean =>
      presses.handleKey(key, now, (id) => {
        asked.push(id);
        return useful.includes(id);
      });
    return { press, asked };
  }

  test("TYP19 a key pressed twice in time is a sequence, where the first of them meant nothing", () => {
    const { press, asked } = pressing(new KeyMatcher(), ["tree"]);
    expect(press("escape", 0)).toBe(false);
    expect(press("escape", 500)).toBe(true);
    expect(asked).toEqual(["stop", "tree"]);
  });

  test("TYP19 too late, or after a stop, it is none", () => {
    const late = pressing(new KeyMatcher(), ["tree"]);
    expect([late.press("escape", 0), late.press("escape", 5_000)]).toEqual([false, false]);
    const stopping = pressing(new KeyMatcher(), ["tree", "stop"]);
    expect([stopping.press("escape", 0), stopping.press("escape", 10)]).toEqual([true, true]);
    expect(stopping.asked).toEqual(["stop", "stop"]);
  });

  test("TYP19 two that a terminal sends at once are two", () => {
    const { press, asked } = pressing(new KeyMatcher(), ["tree"]);
    expect(press("ctrl+alt+[", 0)).toBe(true);
    expect(asked).toEqual(["stop", "tree"]);
  });

  test("TYP17 keys of the file are heard in whichever order they are held, and the old ones no more", () => {
    const { keymap } = parseKeymap('{ "fold": "ctrl+shift+p" }', "k");
    const { press } = pressing(new KeyMatcher(keymap), ["fold"]);
    expect([press("shift+ctrl+p", 0), press("ctrl+o", 10)]).toEqual([true, false]);
  });
});

/** Tests modes/interactive/panels/open-panel.ts: open panel, bounded lines. */

import { CURSOR_MARKER, stripTerminalSequences, visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import {
  continueWith,
  finishWith,
  openPanel,
  type Panel,
  sanitizePanelLine,
} from "../../../../src/modes/interactive/panels/panel.ts";
import { createInput, renderInput } from "../../../../src/modes/interactive/panels/widgets.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";

describe("open panel", () => {
  /** Notes what it was asked to do. */
  function noting(acts: string[]): Panel<number, number> {
    return {
      initialState: 0,
      handleKey: (state, key) => {
        acts.push(key);
        return key === "enter" ? finishWith(state) : continueWith(state + 1);
      },
      render: (state) => [`${state}`],
      loadUpdates: async () => void acts.push("learns"),
    };
  }

  test("SCR27 keys after the answer of a panel are ignored", async () => {
    const acts: string[] = [];
    const open = openPanel(noting(acts), { where: "inline", onChange: () => {} });
    for (const key of ["a", "enter", "enter", "b", "escape"]) open.handleKey(key);
    expect(await open.answer).toBe(1);
    expect(acts).toEqual(["learns", "a", "enter"]);
  });

  test("SCR27 a panel whose signal is already aborted returns null and loads nothing", async () => {
    const acts: string[] = [];
    const open = openPanel(noting(acts), { where: "page", onChange: () => {}, signal: AbortSignal.abort() });
    expect(await open.answer).toBe(null);
    expect(acts).toEqual([]);
  });

  test("MAN18 a panel that throws is closed, and its answer rejects with the error", async () => {
    const sight = { width: 20, height: 5, theme: createTheme("none") };
    const broken: Panel<number, number> = {
      initialState: 0,
      handleKey: (state, key) => (key === "x" ? fault("pressed") : continueWith(state)),
      render: (state) => (state > 0 ? fault("drawn") : ["fine"]),
    };
    const pressed = openPanel(broken, { where: "inline", onChange: () => {} });
    pressed.handleKey("x");
    await expect(pressed.answer).rejects.toThrow("pressed");
    const drawn = openPanel({ ...broken, initialState: 1 }, { where: "inline", onChange: () => {} });
    expect(drawn.render(sight)).toEqual([]);
    await expect(drawn.answer).rejects.toThrow("drawn");
  });

  function fault(words: string): never {
    throw new Error(words);
  }
});

describe("bounded lines", () => {
  test.each(["the last words", "漢字漢字漢字 the last words", "👩‍👩‍👧 the last 漢字"])(
    "SCR28 the end of a long input line and the cursor stay visible: …%s",
    (end) => {
      for (let length = 0; length < 90; length++) {
        const typed = renderInput(createInput(`${"x".repeat(length)}${end}`), createTheme("dark"));
        const line = sanitizePanelLine(` search: ${typed}  3 found`, 40);
        expect(visibleWidth(line)).toBeLessThanOrEqual(40);
        expect(line).toContain(CURSOR_MARKER);
        expect(line).toContain(end.slice(-8));
      }
    },
  );

  test("SCR28 a cursor in the middle of a long input line stays visible", () => {
    for (let cursor = 0; cursor <= 100; cursor++) {
      const text = Array.from({ length: 100 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
      const line = sanitizePanelLine(` /${renderInput({ text, cursor }, createTheme("none"))}`, 30);
      expect(visibleWidth(line)).toBeLessThanOrEqual(30);
      const at = stripTerminalSequences(line.slice(line.indexOf(CURSOR_MARKER) + CURSOR_MARKER.length))[0];
      expect(at).toBe(text[cursor] ?? " ");
    }
  });
});

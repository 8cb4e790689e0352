/** Tests modes/interactive/terminal/terminal.ts: theme detection, rewrapping terminals. */

import { describe, expect, test } from "vitest";
import { MainScreen } from "../../../../src/modes/interactive/terminal/screens.ts";
import { BufferedTerminal, detectTheme, rewrapsLines } from "../../../../src/modes/interactive/terminal/terminal.ts";
import { HeadlessTerminal } from "../../../support/headless-terminal.ts";

describe("theme detection", () => {
  const white = { r: 255, g: 255, b: 255 };

  function terminalOf(background: typeof white | undefined) {
    const counts = { queries: 0, redrawn: 0 };
    const queryBackground = async () => {
      counts.queries += 1;
      return background;
    };
    return { counts, queryBackground, redraw: () => counts.redrawn++ };
  }

  test("SCR22 a terminal that reports a light background gets the light theme and a redraw", async () => {
    const worn = detectTheme({}, async () => undefined);
    const terminal = terminalOf(white);
    expect(worn.theme.name).toBe("dark");
    await worn.follow(terminal);
    expect([worn.theme.name, terminal.counts.redrawn]).toEqual(["light", 1]);
  });

  test("SCR22 a terminal that reports nothing keeps its theme without a redraw", async () => {
    const worn = detectTheme({}, async () => "auto");
    const terminal = terminalOf(undefined);
    await worn.follow(terminal);
    expect([worn.theme.name, terminal.counts]).toEqual(["dark", { queries: 1, redrawn: 0 }]);
  });

  test("SCR22 the terminal is not queried if the theme is set or colors are off", async () => {
    const [set, none] = [detectTheme({}, async () => "light"), detectTheme({ NO_COLOR: "1" }, async () => "light")];
    const terminal = terminalOf(white);
    await set.follow(terminal);
    await none.follow(terminal);
    expect([set.theme.name, none.theme.name, terminal.counts.queries]).toEqual(["light", "none", 0]);
  });
});

describe("rewrapping terminals", () => {
  test.each([
    [{ TERM: "xterm-256color" }, true],
    [{ TERM: "xterm-256color", XTERM_VERSION: "XTerm(390)" }, false],
    [{ TERM: "linux" }, false],
    [{ TERM: "st-256color" }, false],
    [{ TERM: "stterm" }, true],
    [{ TERM: "screen-256color", TMUX: "/tmp/tmux-1000/default,1,0", XTERM_VERSION: "XTerm(390)" }, true],
    [{ TERM: "screen-256color", STY: "1.pts-0.here" }, false],
    [{}, true],
  ])("SCR25 whether the terminal %j rewraps lines is %s", (environment, expected) => {
    expect(rewrapsLines(environment)).toBe(expected);
  });

  test.each([true, false])(
    "SCR25 after resizes, finished lines stay and no old live line remains, with rewrapping %s",
    async (wraps) => {
      const terminal = new HeadlessTerminal(100, 30);
      // As old consoles do, which cut what is too long.
      if (!wraps) terminal.emulator.options.windowsPty = { backend: "conpty", buildNumber: 1 };
      const live = (width: number): readonly string[] =>
        ["x", "y", "z"].map((sign) => sign.repeat(width)).concat("> editor");
      const draw = ({ width }: { readonly width: number }) => live(width);
      const screen = new MainScreen(new BufferedTerminal(terminal), draw, { isRewrapped: wraps });
      screen.start();
      screen.print(Array.from({ length: 12 }, (_, at) => `finished ${at}`));
      for (const columns of [70, 40, 90, 50]) {
        await terminal.waitUntilDrawn();
        terminal.resize(columns, 30);
        screen.renderNow();
      }
      // Beyond its edge nothing is seen, though the emulator knows what stood there.
      const all = (await terminal.scrollback()).map((line) => line.slice(0, 50)).filter((line) => line !== "");
      const finished = Array.from({ length: 12 }, (_, at) => `finished ${at}`);
      expect(all).toEqual([...finished, ...live(50)]);
    },
  );
});

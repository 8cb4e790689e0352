/** A terminal that cuts lines when it becomes narrower loses nothing that stands above ours. */

import { expect, test } from "vitest";
import { MainScreen } from "../../../src/screen/terminal/main-screen.ts";
import { OneWrite } from "../../../src/screen/terminal/one-write.ts";
import { rewraps } from "../../../src/screen/terminal/rewraps.ts";
import { Headless } from "../headless.ts";

test.each([
  [{ TERM: "xterm-256color" }, true],
  [{ TERM: "xterm-256color", XTERM_VERSION: "XTerm(390)" }, false],
  [{ TERM: "linux" }, false],
  [{ TERM: "st-256color" }, false],
  [{ TERM: "stterm" }, true],
  [{ TERM: "screen-256color", TMUX: "/tmp/tmux-1000/default,1,0", XTERM_VERSION: "XTerm(390)" }, true],
  [{ TERM: "screen-256color", STY: "1.pts-0.here" }, false],
  [{}, true],
])("SCR25 %j wraps what stands on it: %s", (environment, expected) => {
  expect(rewraps(environment)).toBe(expected);
});

test.each([true, false])(
  "SCR25 finished lines stay and none of ours is left, wrapped anew or not: %s",
  async (wraps) => {
    const terminal = new Headless(100, 30);
    // As old consoles do, which cut what is too long.
    if (!wraps) terminal.emulator.options.windowsPty = { backend: "conpty", buildNumber: 1 };
    const live = (width: number): readonly string[] =>
      ["x", "y", "z"].map((sign) => sign.repeat(width)).concat("> editor");
    const draw = ({ width }: { readonly width: number }) => live(width);
    const screen = new MainScreen(new OneWrite(terminal), draw, { isRewrapped: wraps });
    screen.start();
    screen.print(Array.from({ length: 12 }, (_, at) => `finished ${at}`));
    for (const columns of [70, 40, 90, 50]) {
      await terminal.settled();
      terminal.resize(columns, 30);
      screen.renderNow();
    }
    // Beyond its edge nothing is seen, though the emulator knows what stood there.
    const all = (await terminal.all()).map((line) => line.slice(0, 50)).filter((line) => line !== "");
    const finished = Array.from({ length: 12 }, (_, at) => `finished ${at}`);
    expect(all).toEqual([...finished, ...live(50)]);
  },
);

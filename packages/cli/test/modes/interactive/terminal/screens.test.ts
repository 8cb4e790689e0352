/** Tests modes/interactive/terminal/screens.ts: full page, main screen. */

import { describe, expect, test } from "vitest";
import { FullPage, MainScreen } from "../../../../src/modes/interactive/terminal/screens.ts";
import { BufferedTerminal } from "../../../../src/modes/interactive/terminal/terminal.ts";
import { HeadlessTerminal } from "../../../support/headless-terminal.ts";

describe("full page", () => {
  const sizes = [
    [100, 30],
    [60, 24],
    [80, 12],
    [50, 40],
    [120, 10],
    [80, 24],
  ] as const;

  for (const printed of [3, 15, 60])
    for (const [columns, rows] of sizes)
      test(`SCR10 below ${printed} lines, a page that closes at ${columns}×${rows} leaves each line once`, async () => {
        const terminal = new HeadlessTerminal(80, 24);
        const port = new BufferedTerminal(terminal);
        const live = ["a line of a reply", "─".repeat(70), "> editor", "footer"];
        const screen = new MainScreen(port, ({ width }) => live.map((line) => line.slice(0, width)));
        screen.start();
        screen.renderNow();
        screen.print(Array.from({ length: printed }, (_, at) => `finished ${at}${at % 3 ? "" : ` ${"y".repeat(66)}`}`));
        await terminal.waitUntilDrawn();
        screen.pause(() => {});
        const page = new FullPage(port, ({ width }) => ["the page".slice(0, width)]);
        page.open();
        await terminal.waitUntilDrawn();
        terminal.resize(columns, rows);
        page.redraw();
        await terminal.waitUntilDrawn();
        page.close();
        screen.print(["came meanwhile"]);
        screen.resume();
        screen.print(["came later"]);
        const all = await terminal.scrollback();
        const starts = (word: string): number => all.filter((line) => line.startsWith(word)).length;
        for (let at = 0; at < printed; at++)
          expect(all.filter((line) => line === `finished ${at}` || line.startsWith(`finished ${at} `))).toHaveLength(1);
        expect([starts("> editor"), starts("footer"), starts("a line of"), starts("came meanwhile")]).toEqual([
          1, 1, 1, 1,
        ]);
        expect(starts("the page")).toBe(0);
        expect(all.at(-1)).toBe("footer");
      });
});

describe("main screen", () => {
  function opened(live: () => readonly string[], columns = 80, rows = 24) {
    const terminal = new HeadlessTerminal(columns, rows);
    terminal.write("$ earlier shell line 1\r\n$ earlier shell line 2\r\n");
    const screen = new MainScreen(new BufferedTerminal(terminal), ({ width }) =>
      live().map((line) => line.slice(0, width)),
    );
    screen.start();
    screen.renderNow();
    return { terminal, screen };
  }

  test("SCR1 finished blocks are printed once above the live region, and earlier shell lines stay", async () => {
    let count = 0;
    const { terminal, screen } = opened(() => [`live ${count}`, "> editor", "footer"]);
    for (let at = 0; at < 10_000; at++) {
      count = at;
      if (at % 50 === 0) screen.print([`finished ${at}`, ""]);
      else screen.renderNow();
      if (at % 500 === 250) terminal.resize(60 + (at % 7) * 10, 20 + (at % 5) * 4);
      if (at % 500 === 250) screen.renderNow();
    }
    const all = await terminal.scrollback();
    expect(all.slice(0, 2)).toEqual(["$ earlier shell line 1", "$ earlier shell line 2"]);
    const finished = all.filter((line) => line.startsWith("finished"));
    expect(finished).toEqual(Array.from({ length: 200 }, (_, at) => `finished ${at * 50}`));
    expect(all.filter((line) => line.startsWith("live"))).toEqual(["live 9999"]);
    expect(all.filter((line) => line === "footer")).toHaveLength(1);
  });

  test("SCR2 in a narrower terminal the live region wraps and leaves nothing behind", async () => {
    const wide = "x".repeat(140);
    const { terminal, screen } = opened(() => [wide, wide, "> editor", wide], 140, 40);
    for (let at = 0; at < 30; at++) screen.print([`finished ${at} ${"y".repeat(100)}`]);
    await terminal.waitUntilDrawn();
    for (const [columns, rows] of [
      [90, 40],
      [60, 30],
      [140, 24],
      [70, 50],
    ] as const) {
      terminal.resize(columns, rows);
      screen.renderNow();
      await terminal.waitUntilDrawn();
    }
    const all = await terminal.scrollback();
    expect(all.filter((line) => line.startsWith("> editor"))).toHaveLength(1);
    expect(all.filter((line) => /^x+$/.test(line))).toHaveLength(3);
    for (let at = 0; at < 30; at++) expect(all.filter((line) => line.startsWith(`finished ${at} `))).toHaveLength(1);
  });

  test("SCR10 a page that has the terminal is notified to redraw after a resize", () => {
    const { terminal, screen } = opened(() => ["live"]);
    let count = 0;
    screen.pause(() => count++);
    terminal.resize(70, 20);
    screen.renderNow();
    expect(count).toBeGreaterThan(0);
  });

  test("SCR1 [S15] 200,000 lines printed at once do not fail", () => {
    const { terminal, screen } = opened(() => ["live"]);
    const { written } = terminal;
    screen.print(Array.from({ length: 200_000 }, () => "x"));
    expect(terminal.written - written).toBeGreaterThan(400_000);
  });
});

/** A page over the whole terminal leaves the main screen as it should be, whatever happened meanwhile. */

import { expect, test } from "vitest";
import { FullPage } from "../../../src/screen/terminal/full-page.ts";
import { MainScreen } from "../../../src/screen/terminal/main-screen.ts";
import { OneWrite } from "../../../src/screen/terminal/one-write.ts";
import { Headless } from "../headless.ts";

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
      const terminal = new Headless(80, 24);
      const port = new OneWrite(terminal);
      const live = ["a line of a reply", "─".repeat(70), "> editor", "footer"];
      const screen = new MainScreen(port, ({ width }) => live.map((line) => line.slice(0, width)));
      screen.start();
      screen.renderNow();
      screen.print(Array.from({ length: printed }, (_, at) => `finished ${at}${at % 3 ? "" : ` ${"y".repeat(66)}`}`));
      await terminal.settled();
      screen.hold(() => {});
      const page = new FullPage(port, ({ width }) => ["the page".slice(0, width)]);
      page.open();
      await terminal.settled();
      terminal.resize(columns, rows);
      page.redraw();
      await terminal.settled();
      page.close();
      screen.print(["came meanwhile"]);
      screen.release();
      screen.print(["came later"]);
      const all = await terminal.all();
      const starts = (word: string): number => all.filter((line) => line.startsWith(word)).length;
      for (let at = 0; at < printed; at++)
        expect(all.filter((line) => line === `finished ${at}` || line.startsWith(`finished ${at} `))).toHaveLength(1);
      expect([starts("> editor"), starts("footer"), starts("a line of"), starts("came meanwhile")]).toEqual([
        1, 1, 1, 1,
      ]);
      expect(starts("the page")).toBe(0);
      expect(all.at(-1)).toBe("footer");
    });

/** The pictures of README and docs: scenes as the screen shows them. `pnpm pictures` draws those anew whose scene has changed. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadHighlighter } from "../../../../src/modes/interactive/render/markdown.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { sampleFooter } from "../../../support/footer-facts.ts";
import { createTestScreen, type TestScreen } from "../../../support/test-screen.ts";
import { cellsOf } from "./cells.ts";
import { drawPage } from "./draw-page.ts";
import { pageOf } from "./page.ts";
import { marked, markOf } from "./png.ts";

const [COLUMNS, ROWS] = [100, 28];

/** What `docs/pictures/NAME.png` shows is what the screen shows after `act`. */
export function picture(name: string, act: (shown: TestScreen) => Promise<void> | void): void {
  test(`SCR4 docs/pictures/${name}.png is current; if it is not: pnpm pictures`, async () => {
    const file = join(import.meta.dirname, "../../../../../../docs/pictures", `${name}.png`);
    const { page, rows } = await shownPage(act);
    const digest = createHash("sha256").update(page).digest("hex");
    const isCurrent = existsSync(file) && markOf(readFileSync(file)) === digest;
    if (!isCurrent && process.env.PITH_PICTURES === "write") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, marked(drawPage(page, { columns: COLUMNS, rows }), digest));
    }
    expect(markOf(readFileSync(file))).toBe(digest);
  });
}

async function shownPage(act: (shown: TestScreen) => Promise<void> | void): Promise<{ page: string; rows: number }> {
  // Otherwise the colors would depend on how fast it loads.
  await loadHighlighter();
  const shown = createTestScreen({
    columns: COLUMNS,
    rows: ROWS,
    start: { footer: sampleFooter },
    theme: createTheme("dark", { hasTrueColor: true }),
  });
  await act(shown);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await shown.terminal.waitUntilDrawn();
  const cells = cellsOf(shown.terminal.emulator);
  shown.screen.stop();
  // Nothing is learnt from empty rows.
  const last = cells.findLastIndex((row) => row.some(({ text }) => text.trim() !== ""));
  const rows = cells.slice(0, last + 1);
  return { page: pageOf(rows), rows: rows.length };
}

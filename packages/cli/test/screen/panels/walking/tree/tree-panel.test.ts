/** What keys do on a tree page. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { growOutline } from "../../../../../src/commands/walking/outlining/grow-outline.ts";
import { themeNamed } from "../../../../../src/screen/drawing/theme.ts";
import { type OpenPanel, openPanel } from "../../../../../src/screen/panels/open-panel.ts";
import { treeSieves } from "../../../../../src/screen/panels/walking/rows/sieve.ts";
import { type Picked, treePanel } from "../../../../../src/screen/panels/walking/tree/tree-panel.ts";
import { storeOf, twoTries } from "../outlines.ts";

/** Weight and reversal, which are all that is drawn without colour. */
const INKS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

interface Page extends OpenPanel {
  readonly answer: Promise<Picked | null>;
  /** The chosen row, without its age. */
  chosen(): string;
}

async function pageOf(lines: readonly string[], name = async (_id: string, _label: string) => null as string | null) {
  const store = await storeOf(lines);
  const leaf = await store.leaf();
  const panel = treePanel({
    ...{ title: "Tree", keys: [], sieves: treeSieves, enter: "go" as const, leaf },
    now: Date.now,
    entry: (id) => store.entry(id),
    growth: (signal) => growOutline({ store, leaf, signal }),
    name,
  });
  const open = openPanel(panel, { where: "page", changed: () => {} });
  await later();
  const draw = () => open.draw({ width: 100, height: 30, theme: themeNamed("none") });
  const page: Page = {
    ...open,
    chosen: () => (draw().find((line) => line.includes("❯")) ?? "").replaceAll(INKS, "").trim(),
  };
  return page;
}

async function later(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function press(page: OpenPanel, ...keys: readonly string[]): void {
  for (const key of keys) page.press(key);
}

test("WLK1 the page opens where one stands, and its rows are walked with arrows, pages, home and end", async () => {
  const page = await pageOf(twoTries);
  expect(page.chosen()).toMatch(/B works\. +\[good\] ← here/);
  press(page, "home");
  expect(page.chosen()).toMatch(/you +fix the login/);
  press(page, "down");
  expect(page.chosen()).toMatch(/I look at the login first/);
  press(page, "end", "up");
  expect(page.chosen()).toMatch(/edit src\/login\.ts: the old text is not there/);
  press(page, "pageUp", "pageDown", ".");
  expect(page.chosen()).toContain("← here");
});

test("WLK4 left folds the branch one is in, right unfolds it, and [ and ] go from branch to branch", async () => {
  const page = await pageOf(twoTries);
  press(page, "[");
  expect(page.chosen()).toMatch(/├─○ +tool +read src\/login\.ts/);
  press(page, "[");
  expect(page.chosen()).toMatch(/├─○ +you +try A/);
  press(page, "down", "down", "left");
  expect(page.chosen()).toMatch(/├─▸ +tool +read src\/login\.ts +\+1/);
  press(page, "left", "left");
  expect(page.chosen()).toMatch(/├─▸ +you +try A +\+4/);
  press(page, "right");
  expect(page.chosen()).toMatch(/├─○ +you +try A/);
  press(page, "]");
  expect(page.chosen()).toMatch(/├─▸ +tool/);
});

test("WLK4 b goes to the newest of what was left, and . to where one stands", async () => {
  const page = await pageOf(twoTries);
  press(page, "b");
  expect(page.chosen()).toMatch(/The lock does not help/);
  press(page, ".");
  expect(page.chosen()).toContain("← here");
});

test("WLK2 Tab shows other kinds, and one stays where one is or at the nearest before it", async () => {
  const page = await pageOf(twoTries);
  press(page, "up", "tab");
  expect(page.chosen()).toMatch(/you +try B/);
  press(page, "tab", "tab");
  expect(page.chosen()).toMatch(/\[good\]/);
  press(page, "shift+tab", "shift+tab", "shift+tab");
  expect(page.chosen()).not.toBe("");
});

test("WLK3 a search is typed behind /, walked through, taken with Enter, and ended with Esc where one is", async () => {
  const page = await pageOf(twoTries);
  press(page, "/", ..."lock");
  expect(page.chosen()).toMatch(/The lock does not help/);
  press(page, "up", "escape");
  expect(page.chosen()).toMatch(/try A once more, with a lock/);
  press(page, "/", ..."token", "enter");
  expect(await page.answer).toEqual({ type: "go", id: "e6" });
});

test("WLK6 Enter goes, f forks, and Esc closes the page", async () => {
  const going = await pageOf(twoTries);
  press(going, "home", "enter");
  expect(await going.answer).toEqual({ type: "go", id: "e1" });
  const forking = await pageOf(twoTries);
  press(forking, "home", "f");
  expect(await forking.answer).toEqual({ type: "fork", id: "e1" });
  const closing = await pageOf(twoTries);
  press(closing, "escape");
  expect(await closing.answer).toBeNull();
});

test("WLK14 a label that cannot be kept is told, and nothing is lost", async () => {
  const page = await pageOf(twoTries, async () => "the disk is full");
  press(page, "l", ..."x", "enter");
  await later();
  const lines = page.draw({ width: 100, height: 30, theme: themeNamed("none") });
  expect(lines.at(-1)).toContain("the disk is full");
  expect(page.chosen()).toContain("[good]");
});

test("WLK16 whatever is in a session steers no terminal, and no line is wider than the screen", async () => {
  const evil =
    "user: a\x1b[2J\x1b]0;title\x07b \u202e evil \u{1F469}\u200d\u{1F4BB} 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字";
  const page = await pageOf([evil, "labels e1: l\x1b[31m"]);
  for (const width of [20, 40, 80, 111, 140])
    for (const height of [8, 24, 40]) {
      const lines = page.draw({ width, height, theme: themeNamed("none") });
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) {
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        expect(line.replaceAll(INKS, "")).not.toMatch(/[\p{Cc}\u202e]/u);
      }
    }
});

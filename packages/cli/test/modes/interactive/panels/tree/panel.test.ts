/** What keys do on a tree page. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { type OpenPanel, openPanel } from "../../../../../src/modes/interactive/panels/panel.ts";
import {
  createTreePanel,
  type TreePanelOptions,
  type TreeSelection,
} from "../../../../../src/modes/interactive/panels/tree/panel.ts";
import { treeFilters } from "../../../../../src/modes/interactive/panels/tree/state.ts";
import { createTheme } from "../../../../../src/modes/interactive/render/theme.ts";
import { readOutline } from "../../../../../src/sessions/read-outline.ts";
import { createStoryStore, twoTries } from "../../../../support/sample-sessions.ts";

/** Weight and reversal, which are all that is drawn without colour. */
const INKS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

interface Page extends OpenPanel {
  readonly answer: Promise<TreeSelection | null>;
  /** The chosen row, without its age. */
  chosen(): string;
}

type Naming = TreePanelOptions["saveLabel"];

async function pageOf(lines: readonly string[], name?: Naming): Promise<Page> {
  return (await pageAndPartsOf(lines, name)).page;
}

async function pageAndPartsOf(lines: readonly string[], name: Naming = async () => null) {
  const store = await createStoryStore(lines);
  const leaf = await store.leaf();
  const parts: TreePanelOptions = {
    ...{ title: "Tree", hints: [], filters: treeFilters, enterAction: "go", leaf },
    now: Date.now,
    readEntry: (id) => store.entry(id),
    readOutline: (signal) => readOutline({ store, leaf, signal }),
    saveLabel: name,
  };
  const open = openPanel(createTreePanel(parts), { where: "page", onChange: () => {} });
  await later();
  const draw = () => open.render({ width: 100, height: 30, theme: createTheme("none") });
  const page: Page = {
    where: open.where,
    isTyping: open.isTyping,
    answer: open.answer,
    render: (sight) => open.render(sight),
    handleKey: (key) => open.handleKey(key),
    chosen: () => (draw().find((line) => line.includes("❯")) ?? "").replaceAll(INKS, "").trim(),
  };
  return { page, parts };
}

async function later(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function press(page: OpenPanel, ...keys: readonly string[]): void {
  for (const key of keys) page.handleKey(key);
}

test("WLK1 the tree opens at the current position, and arrows, page keys, Home and End select rows", async () => {
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

test("WLK4 Left folds the current branch, Right unfolds it, and [ and ] go from branch to branch", async () => {
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

test("WLK4 b selects the newest entry of an abandoned branch, and . the current position", async () => {
  const page = await pageOf(twoTries);
  press(page, "b");
  expect(page.chosen()).toMatch(/The lock does not help/);
  press(page, ".");
  expect(page.chosen()).toContain("← here");
});

test("WLK2 Tab changes the filter and keeps the selected row, or selects the nearest before it", async () => {
  const page = await pageOf(twoTries);
  press(page, "up", "tab");
  expect(page.chosen()).toMatch(/you +try B/);
  press(page, "tab", "tab");
  expect(page.chosen()).toMatch(/\[good\]/);
  press(page, "shift+tab", "shift+tab", "shift+tab");
  expect(page.chosen()).not.toBe("");
});

test("WLK3 / searches while typing; arrows select matches, Enter picks one, and Esc ends the search at the selected row", async () => {
  const page = await pageOf(twoTries);
  press(page, "/", ..."lock");
  expect(page.chosen()).toMatch(/The lock does not help/);
  press(page, "up", "escape");
  expect(page.chosen()).toMatch(/try A once more, with a lock/);
  press(page, "/", ..."token", "enter");
  expect(await page.answer).toMatchObject({ type: "go", id: "e6" });
});

test("WLK6 Enter moves, f forks, and Esc closes the page", async () => {
  const going = await pageOf(twoTries);
  press(going, "home", "enter");
  expect(await going.answer).toMatchObject({ type: "go", id: "e1" });
  const forking = await pageOf(twoTries);
  press(forking, "home", "f");
  expect(await forking.answer).toMatchObject({ type: "fork", id: "e1" });
  const closing = await pageOf(twoTries);
  press(closing, "escape");
  expect(await closing.answer).toBeNull();
});

test("WLK14 a label that cannot be saved is reported, and the old labels stay", async () => {
  const page = await pageOf(twoTries, async () => "the disk is full");
  press(page, "l", ..."x", "enter");
  await later();
  const lines = page.render({ width: 100, height: 30, theme: createTheme("none") });
  expect(lines.at(-1)).toContain("the disk is full");
  expect(page.chosen()).toContain("[good]");
});

test("WLK1 PageDown moves by the number of visible rows minus one", async () => {
  const page = await pageOf(Array.from({ length: 100 }, (_, at) => `user: number ${at}.`));
  press(page, "home");
  page.render({ width: 100, height: 14, theme: createTheme("none") });
  press(page, "pageDown");
  expect(page.chosen()).toContain("number 9.");
  page.render({ width: 140, height: 44, theme: createTheme("none") });
  press(page, "pageDown", "pageUp", "pageDown");
  expect(page.chosen()).toContain("number 48.");
});

test("WLK1 the preview of an entry scrolls to its end and no further", async () => {
  const long = Array.from({ length: 60 }, (_, at) => `line ${at}.`).join("\n");
  const page = await pageOf([`user: ${long}`]);
  await later();
  const sight = { width: 140, height: 30, theme: createTheme("none") };
  const last = () => page.render(sight).findLast((line) => /line \d+\./.test(line.split("│")[1] ?? "")) ?? "";
  page.render(sight);
  press(page, ...Array.from({ length: 40 }, () => "space"));
  expect(last()).toContain("line 59.");
  press(page, "shift+up");
  expect(page.render(sight).join("\n")).toContain("… 2 more lines");
  expect(last()).toContain("line 57.");
});

test("WLK7 a tree that is reopened keeps its filter, folds and selection, and reads only new entries", async () => {
  const { page, parts } = await pageAndPartsOf(twoTries);
  press(page, "tab", "tab", "[", "left", "enter");
  const picked = await page.answer;
  if (!picked) throw new Error("nothing was picked");
  const growth = () => {
    throw new Error("nobody should have read");
  };
  const again = openPanel(createTreePanel({ ...parts, readOutline: growth, previousState: picked.state }), {
    where: "page",
    onChange: () => {},
  });
  await later();
  const lines = again
    .render({ width: 100, height: 30, theme: createTheme("none") })
    .join("\n")
    .replaceAll(INKS, "");
  expect(lines).toMatch(/\[your messages\]/);
  expect(lines).toMatch(/❯ .*▸ you +try A +\+1/);
  // What is written since is read.
  const anew = openPanel(createTreePanel({ ...parts, leaf: "e11", previousState: picked.state }), {
    where: "page",
    onChange: () => {},
  });
  await later();
  expect(anew.render({ width: 100, height: 30, theme: createTheme("none") }).join("\n")).toMatch(/\[your messages\]/);
});

test("WLK1 a compaction is drawn as a line, and each selected entry says what Enter does", async () => {
  const page = await pageOf([...twoTries, "compacts: so far, keeps nothing", "user: go on", "says: yes"]);
  const drawn = () => page.render({ width: 100, height: 30, theme: createTheme("none") }).join("\n");
  expect(drawn()).toMatch(/compaction .*── from 1,000 tokens ─{10,}/);
  expect(drawn()).toContain("current position");
  press(page, "up");
  expect(drawn()).toContain("current branch · Enter: edit and resend");
  press(page, "up", "b");
  expect(drawn()).toContain("another branch · Enter: continue from here");
});

test("WLK2 the title counts all branches, whatever is shown", async () => {
  const page = await pageOf(twoTries);
  const title = () => page.render({ width: 80, height: 24, theme: createTheme("none") })[0];
  for (const keys of [["home"], ["]", "left"], ["tab", "tab"], ["tab"], ["/", "x"]]) {
    press(page, ...keys);
    expect(title()).toContain("15 entries · 3 branches");
  }
});

test("WLK2 if the names of all filters do not fit, the current one is shown", async () => {
  const page = await pageOf(twoTries);
  press(page, "shift+tab");
  expect(page.render({ width: 40, height: 12, theme: createTheme("none") })[1]).toMatch(/^ \[all\] +15 of 15$/);
});

test("WLK16 hostile text in a session prints no control sequences and no line wider than the screen", async () => {
  const evil =
    "user: a\x1b[2J\x1b]0;title\x07b \u202e evil \u{1F469}\u200d\u{1F4BB} 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字";
  const page = await pageOf([evil, "labels e1: l\x1b[31m"]);
  for (const width of [20, 40, 80, 111, 140])
    for (const height of [8, 24, 40]) {
      const lines = page.render({ width, height, theme: createTheme("none") });
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) {
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        expect(line.replaceAll(INKS, "")).not.toMatch(/[\p{Cc}\u202e]/u);
      }
    }
});

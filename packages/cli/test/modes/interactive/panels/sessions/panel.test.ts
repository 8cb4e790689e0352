/** The page of sessions: what keys do, in whatever room there is. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { SessionItem } from "@pith/context/node";
import { expect, test } from "vitest";
import { openPanel } from "../../../../../src/modes/interactive/panels/panel.ts";
import { createSessionsPanel } from "../../../../../src/modes/interactive/panels/sessions/panel.ts";
import type { SessionSource } from "../../../../../src/modes/interactive/panels/sessions/state.ts";
import { createTheme } from "../../../../../src/modes/interactive/render/theme.ts";

const items: readonly SessionItem[] = Array.from({ length: 40 }, (_, at) => ({
  ...{ path: `/s/${at}.jsonl`, id: `id${at}`, created: "", modified: 0, size: 1_000_000, firstMessage: `words ${at}` },
  cwd: at % 2 === 0 ? "/here" : "/home/ada/日本語の長いフォルダの名前",
}));

function page(more: Partial<SessionSource> = {}, sight = { width: 80, height: 24 }) {
  const searches: string[] = [];
  const source: SessionSource = {
    context: { cwd: "/here", currentPath: items[0]?.path ?? null, userHome: "/home/ada", now: () => 60_000 },
    list: async (learn) => learn((state) => ({ ...state, items, isComplete: true })),
    readPreviews: async () => (state) => state,
    search: async (query, scope) => {
      searches.push(`${query} in ${scope}`);
      return (state) => state;
    },
    rename: async () => (state) => state,
    trash: async (item) => (state) => ({ ...state, items: state.items.filter(({ path }) => path !== item.path) }),
    ...more,
  };
  const panel = openPanel(createSessionsPanel(source), { where: "page", onChange: () => {} });
  const drawn = (size = sight) => panel.render({ ...size, theme: createTheme("none") });
  drawn();
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      panel.handleKey(key);
      await new Promise((resolve) => setImmediate(resolve));
      drawn();
    }
  };
  return { panel, searches, drawn, press, panelText: (size = sight) => drawn(size).join("\n") };
}

test("RES9 Tab repeats the search in the sessions of all folders", async () => {
  const { press, searches, panelText } = page();
  await press(..."zeb");
  expect(panelText()).toContain("Searching …");
  await press("tab");
  expect(searches.at(-1)).toBe("zeb in all");
});

test("RES12 when the last row is deleted, the row before it is selected", async () => {
  const { press, panelText } = page();
  await press("end", "ctrl+d", "y");
  expect(panelText()).toContain("❯ words 36");
  expect(panelText()).not.toContain("words 38");
});

test("RES23 in a lower terminal the selected row stays visible", async () => {
  const { press, panelText } = page();
  await press(...Array.from({ length: 17 }, () => "down"));
  expect(panelText({ width: 80, height: 10 })).toContain("❯ words 34");
});

test("RES23 in a narrow terminal the first words and the key to close stay visible", async () => {
  const { press, drawn, panelText } = page();
  await press("tab");
  for (const width of [20, 30, 40, 60, 80, 110, 140])
    for (const line of drawn({ width, height: 16 })) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
  for (const width of [40, 60, 80]) {
    expect(panelText({ width, height: 16 })).toContain("words 9");
    expect(panelText({ width, height: 16 })).toContain("Esc close");
  }
});

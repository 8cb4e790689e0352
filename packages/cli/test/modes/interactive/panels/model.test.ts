/** The list of who could speak. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import type { AvailableModel } from "../../../../../host/src/models/available-models.ts";
import { createModelPanel } from "../../../../src/modes/interactive/panels/model.ts";
import { openPanel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";

const row = (name: string, isLocal = false): AvailableModel => ({ name, facts: null, isLocal });
const rows = ["one/first", "one/second", "two/a-model-with-a-long-name-2026-01-01"].map((name) => row(name));
const sight = { width: 80, height: 20, theme: createTheme("none") };

test("MAN30 models found while the list is open are added below without moving the selection", async () => {
  const found = Promise.withResolvers<readonly AvailableModel[]>();
  const panel = openPanel(createModelPanel({ rows, currentModel: "one/first", loadMore: () => found.promise }), {
    where: "inline",
    onChange: () => {},
  });
  panel.handleKey("down");
  expect(panel.render(sight).join("\n")).toContain("❯ one/second");
  found.resolve([row("ollama/here", true), row("one/second", true)]);
  await found.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(panel.render(sight).join("\n")).toMatch(/❯ one\/second[\s\S]*ollama\/here/);
  panel.handleKey("enter");
  expect(await panel.answer).toEqual({ name: "one/second", isDefault: false });
});

test("MAN30 in a narrow terminal the model names stay visible", () => {
  const panel = openPanel(createModelPanel({ rows, currentModel: "", loadMore: async () => [] }), {
    where: "inline",
    onChange: () => {},
  });
  for (const width of [40, 30, 20]) {
    const lines = panel.render({ ...sight, width });
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join("\n")).toContain("two/a-model-");
  }
});

test("MAN30 an empty model list says what to do", () => {
  const panel = openPanel(createModelPanel({ rows: [], currentModel: "", loadMore: async () => [] }), {
    where: "inline",
    onChange: () => {},
  });
  expect(panel.render(sight).join("\n")).toContain("No API key or local server found. Use /model provider/model");
});

test("MAN34 older models are hidden until Tab or a filter shows them; the current model is always shown", async () => {
  const older = (name: string): AvailableModel => ({ ...row(name), isOlder: true });
  const models = [row("one/new-2"), older("one/new-1"), older("one/mine-1")];
  const panel = openPanel(createModelPanel({ rows: models, currentModel: "one/mine-1", loadMore: async () => [] }), {
    where: "inline",
    onChange: () => {},
  });
  const panelText = (): string => panel.render(sight).join("\n");
  expect(panelText()).toMatch(/one\/mine-1[\s\S]*one\/new-2[\s\S]*Tab show older/);
  expect(panelText()).not.toContain("one/new-1");
  panel.handleKey("tab");
  expect(panelText()).toMatch(/one\/new-1[\s\S]*Tab hide older/);
  panel.handleKey("tab");
  for (const key of ["n", "e", "w"]) panel.handleKey(key);
  expect(panelText()).toContain("one/new-1");
});

/** The questions of a first start, key by key. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { createSecretInput } from "../../../../src/modes/interactive/onboarding/questions.ts";
import { createPickPanel } from "../../../../src/modes/interactive/panels/choice.ts";
import type { Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";

const sight = { width: 60, height: 20, theme: createTheme("none") };

/** The answer, or what is seen after the last key. */
function pressed<State, Answer>(panel: Panel<State, Answer>, ...keys: readonly string[]) {
  let state = panel.initialState;
  for (const key of keys) {
    const result = panel.handleKey(state, key);
    if (result?.type === "done") return result.answer;
    state = result?.state ?? state;
  }
  return panel.render(state, sight).join("\n");
}

const rows = Array.from({ length: 20 }, (_, at) => ({
  label: `model-${at}`,
  description: at % 2 ? "odd" : "even",
  value: at,
}));
const list = createPickPanel({ title: "Which?", rows, extraKeys: { "alt+enter": "use once" } });

test("FST7 a list is navigated with arrows and filtered by typing, and returns the value with the key that selected it", () => {
  expect(pressed(list, "down", "down", "enter")).toEqual({ value: 2, key: "enter" });
  expect(pressed(list, "1", "7", "alt+enter")).toEqual({ value: 17, key: "alt+enter" });
  expect(pressed(list, "end", "enter")).toEqual({ value: 19, key: "enter" });
  expect(pressed(list, "z")).toContain("No matches.");
  expect(pressed(list, "z", "enter", "backspace", "enter")).toEqual({ value: 0, key: "enter" });
  expect(pressed(list, "end")).toContain("20 of 20");
});

const secret = createSecretInput({ title: "Your key", description: "Get one.", error: null });

test("FST5 an API key is typed or pasted, trimmed and never shown", () => {
  expect(pressed(secret, "\x1b[200~  sk-ant-1\n\x1b[201~", "enter")).toBe("sk-ant-1");
  expect(pressed(secret, "sk-ant-12345", "enter")).toBe("sk-ant-12345");
  expect(pressed(secret, ..."sk-1", "left", "backspace", "enter")).toBe("sk1");
  const shown = pressed(secret, "\x1b[200~sk-ant-1\x1b[201~");
  expect(shown).toContain("••••••••");
  expect(shown).toContain("8 characters");
  expect(shown).not.toContain("sk-");
});

test("FST5 text that cannot be an API key is refused, and special keys do not add letters", () => {
  expect(pressed(secret, "\x1b[200~my key is\x1b[201~", "enter")).toContain("That doesn't look like an API key");
  expect(pressed(secret, "enter")).not.toContain("✗");
  expect(pressed(secret, "up", "tab", "ctrl+k", "f1", "shift+tab", "sk-1x2", "enter")).toBe("sk-1x2");
});

test("FST7 no line of a question is wider than the terminal", () => {
  for (const width of [20, 40, 200]) {
    const lines = [
      ...list.render(list.initialState, { ...sight, width }),
      ...secret.render(secret.initialState, { ...sight, width }),
    ];
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
  }
});

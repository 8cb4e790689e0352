/** A question that comes while somebody types. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createConfirmPanel } from "../../../../src/modes/interactive/panels/extension-prompts.ts";
import { withTyping } from "../../../../src/modes/interactive/panels/typing.ts";
import { shownOn } from "../shown-on.ts";

test("XUI10 keys that come before they rest are for the editor, and answer nothing", async () => {
  const { screen, terminal } = shownOn({ columns: 60, rows: 20 });
  const asked = screen.showPanel(withTyping(createConfirmPanel("Delete all?", ""), { quietMs: 60 }), {
    where: "inline",
  });
  terminal.type("yy");
  await sleep(30);
  terminal.type("y");
  await sleep(30);
  expect(screen.editorText.text).toBe("yyy");
  await sleep(80);
  terminal.type("y");
  expect(screen.editorText.text).toBe("yyyy");
  terminal.press("\x1b");
  terminal.press("n");
  expect(await asked).toBe(false);
  expect(screen.editorText.text).toBe("yyyy");
});

test("XUI10 Esc is meant whenever it comes", async () => {
  const { screen, terminal } = shownOn({ columns: 60, rows: 20 });
  const asked = screen.showPanel(withTyping(createConfirmPanel("Delete all?", ""), { quietMs: 10_000 }), {
    where: "inline",
  });
  terminal.press("\x1b");
  expect(await asked).toBe(null);
});

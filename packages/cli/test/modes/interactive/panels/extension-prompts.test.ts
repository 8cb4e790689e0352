/** Tests a question of an extension that appears while the user types. */

import { expect, test } from "vitest";
import { createConfirmPanel } from "../../../../src/modes/interactive/panels/extension-prompts.ts";
import { withTyping } from "../../../../src/modes/interactive/panels/typing.ts";
import { createTestScreen } from "../../../support/test-screen.ts";

test("XUI10 keys typed when a question appears go to the editor and do not answer it", async () => {
  const { screen, terminal } = createTestScreen({ columns: 60, rows: 20 });
  const answer = screen.showPanel(withTyping(createConfirmPanel("Delete all?", ""), { quietMs: 600_000 }), {
    where: "inline",
  });
  terminal.type("yyy");
  expect(screen.editorText.text).toBe("yyy");
  terminal.type("y");
  expect(screen.editorText.text).toBe("yyyy");
  terminal.press("\x1b");
  terminal.press("n");
  expect(screen.editorText.text).toBe("yyyyn");
  screen.stop();
  void answer;
});

test("XUI10 ASK6 Esc before a question is readable acts as if the question were not open", async () => {
  const keys: string[] = [];
  const { screen, terminal } = createTestScreen({ columns: 60, rows: 20, onKey: (key) => keys.push(key) > 0 });
  const controller = new AbortController();
  const panel = withTyping(createConfirmPanel("Delete all?", ""), { quietMs: 600_000 });
  const answer = screen.showPanel(panel, { where: "inline", signal: controller.signal });
  terminal.press("\x1b");
  expect(keys).toEqual(["escape"]);
  controller.abort();
  expect(await answer).toBe(null);
});

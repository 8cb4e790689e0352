/** Forks and labels from the pages, with the whole program on a terminal. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { waitForScreen } from "../../../../support/interactive-app.ts";
import { ENTER, ESC, openTree, startTwoExchanges, UP } from "../../../../support/sample-conversations.ts";

function pathOf(args: unknown): string {
  const { session } = args as { readonly session: { readonly name: string } };
  return session.name;
}

test("WLK13 /fork lists the user messages of the branch; Enter creates a session that ends before one, with that message in the editor (B62)", async () => {
  const app = await startTwoExchanges([]);
  await openTree(app, "/fork");
  await waitForScreen(app, /❯ ● you +second/);
  app.terminal.press(ENTER);
  await app.waitUntil(() => app.nextArgs() !== undefined);
  expect(app.screen.editorText.text).toBe("second");
  const text = readFileSync(pathOf(app.nextArgs()), "utf8");
  expect(text).toContain("answer one");
  expect(text).not.toContain("answer two");
});

test("WLK13 instead of leaving a branch, k forks at the selected entry", async () => {
  const app = await startTwoExchanges([]);
  await openTree(app);
  app.terminal.press(UP, UP, ENTER);
  await waitForScreen(app, "Summarize the branch you are leaving?");
  app.terminal.type("k");
  await app.waitUntil(() => app.nextArgs() !== undefined);
  expect(app.screen.editorText.text).toBe("");
  const text = readFileSync(pathOf(app.nextArgs()), "utf8");
  expect(text).toContain("answer one");
  expect(text).not.toContain("answer two");
});

test("WLK14 l labels an entry, changes the label and removes it", async () => {
  const app = await startTwoExchanges([]);
  await openTree(app);
  app.terminal.press(UP, UP, "l");
  await waitForScreen(app, "Label:");
  app.terminal.type("good start");
  app.terminal.press(ENTER);
  await waitForScreen(app, /answer one +\[good start\]/);
  app.terminal.press("l", "\x15");
  app.terminal.type("better");
  app.terminal.press(ENTER);
  await waitForScreen(app, /answer one +\[better\]/);
  app.terminal.press(ESC);
  await waitForScreen(app, "> second");
  await openTree(app);
  await waitForScreen(app, /answer one +\[better\]/);
  await waitForScreen(app, /answer two +← here/);
  app.terminal.press(UP, UP, "l", "\x15", ENTER);
  await waitForScreen(app, /answer one +(?:now|\d+ m)/);
});

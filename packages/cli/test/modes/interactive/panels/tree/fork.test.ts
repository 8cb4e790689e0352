/** Forks and labels from the pages, with the whole program on a terminal. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENTER, ESC, openTree, startTwoExchanges, UP, waitForScreen } from "./walking-talk.ts";

function pathOf(wish: unknown): string {
  const { session } = wish as { readonly session: { readonly name: string } };
  return session.name;
}

test("WLK13 /fork lists the user messages of the branch; Enter creates a session that ends before one, with that message in the editor (B62)", async () => {
  const talk = await startTwoExchanges([]);
  await openTree(talk, "/fork");
  await waitForScreen(talk, /❯ ● you +second/);
  talk.terminal.press(ENTER);
  await talk.waitUntil(() => talk.nextArgs() !== undefined);
  expect(talk.screen.editorText.text).toBe("second");
  const text = readFileSync(pathOf(talk.nextArgs()), "utf8");
  expect(text).toContain("answer one");
  expect(text).not.toContain("answer two");
});

test("WLK13 instead of leaving a branch, k forks at the selected entry", async () => {
  const talk = await startTwoExchanges([]);
  await openTree(talk);
  talk.terminal.press(UP, UP, ENTER);
  await waitForScreen(talk, "Summarize the branch you are leaving?");
  talk.terminal.type("k");
  await talk.waitUntil(() => talk.nextArgs() !== undefined);
  expect(talk.screen.editorText.text).toBe("");
  const text = readFileSync(pathOf(talk.nextArgs()), "utf8");
  expect(text).toContain("answer one");
  expect(text).not.toContain("answer two");
});

test("WLK14 l labels an entry, changes the label and removes it", async () => {
  const talk = await startTwoExchanges([]);
  await openTree(talk);
  talk.terminal.press(UP, UP, "l");
  await waitForScreen(talk, "Label:");
  talk.terminal.type("good start");
  talk.terminal.press(ENTER);
  await waitForScreen(talk, /answer one +\[good start\]/);
  talk.terminal.press("l", "\x15");
  talk.terminal.type("better");
  talk.terminal.press(ENTER);
  await waitForScreen(talk, /answer one +\[better\]/);
  talk.terminal.press(ESC);
  await waitForScreen(talk, "> second");
  await openTree(talk);
  await waitForScreen(talk, /answer one +\[better\]/);
  await waitForScreen(talk, /answer two +← here/);
  talk.terminal.press(UP, UP, "l", "\x15", ENTER);
  await waitForScreen(talk, /answer one +(?:now|\d+ m)/);
});

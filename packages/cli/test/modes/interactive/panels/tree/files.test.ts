/** Files on the way: put back, left, or refused; and what the model knows of them afterwards. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { waitUntilIdle } from "../../editor/at-work.ts";
import type { InteractiveApp } from "../../talk-on.ts";
import { ENTER, exchange, openTree, startTwoExchanges, waitForScreen } from "./walking-talk.ts";

function calls(name: string, given: Readonly<Record<string, unknown>>): Step {
  return { parts: [{ type: "call", name, arguments: given }] };
}

const writes: readonly Step[] = [
  calls("write", { path: "one.txt", content: "one\n" }),
  calls("write", { path: "two.txt", content: "two\n" }),
  "written",
];

/** Both files were written behind the second exchange; now one goes to the end of that one. */
async function leavesTwoFiles(script: readonly Step[] = []): Promise<InteractiveApp> {
  const talk = await startTwoExchanges([...writes, ...script]);
  await exchange(talk, "write them", "written");
  return talk;
}

async function goesBack(talk: InteractiveApp): Promise<void> {
  await openTree(talk);
  talk.terminal.type("/answer two");
  talk.terminal.press(ENTER);
  await waitForScreen(talk, "Summarize the branch you are leaving?");
  talk.terminal.type("n");
}

test("WLK10 a move shows which changed files it would restore, and Yes restores them", async () => {
  const talk = await leavesTwoFiles();
  await goesBack(talk);
  const seen = await waitForScreen(talk, /-one/);
  expect(seen).toContain("✓ one.txt  will be removed: it did not exist then");
  expect(seen).toContain("y remove 2 files and go");
  talk.terminal.type("y");
  await waitForScreen(talk, "✓ 2 files removed");
  expect(existsSync(join(talk.folder, "one.txt"))).toBe(false);
  // There and back again: what was done on that branch is done again.
  await openTree(talk);
  talk.terminal.type("/written");
  talk.terminal.press(ENTER);
  await waitForScreen(talk, "✓ one.txt  will be restored");
  talk.terminal.type("y");
  await waitForScreen(talk, "✓ 2 files restored");
  await talk.waitUntil(() => existsSync(join(talk.folder, "two.txt")));
  expect(readFileSync(join(talk.folder, "two.txt"), "utf8")).toBe("two\n");
});

test("WLK10 a move leaves the changed files as they are after No", async () => {
  const talk = await leavesTwoFiles();
  await goesBack(talk);
  await waitForScreen(talk, "y remove 2 files");
  talk.terminal.type("n");
  await waitForScreen(talk, "went to another entry in the tree");
  expect(readFileSync(join(talk.folder, "one.txt"), "utf8")).toBe("one\n");
});

test("WLK11 a file changed outside the session is not restored, with the reason; the others are", async () => {
  const talk = await leavesTwoFiles();
  writeFileSync(join(talk.folder, "one.txt"), "mine\n");
  await goesBack(talk);
  const seen = await waitForScreen(talk, "✗ one.txt  not restored: changed outside this session");
  expect(seen).toContain("y remove 1 file and go");
  talk.terminal.type("y");
  await waitForScreen(talk, "1 file removed");
  expect(readFileSync(join(talk.folder, "one.txt"), "utf8")).toBe("mine\n");
  expect(existsSync(join(talk.folder, "two.txt"))).toBe(false);
});

test("WLK12 after a move, the model cannot overwrite a file that it has not read on this branch", async () => {
  const talk = await leavesTwoFiles([calls("write", { path: "one.txt", content: "other\n" }), "tried"]);
  await goesBack(talk);
  await waitForScreen(talk, "y remove 2 files");
  talk.terminal.type("n");
  await waitForScreen(talk, "went to another entry in the tree");
  talk.submit("change it");
  await talk.waitForText("tried");
  await waitUntilIdle(talk);
  expect(JSON.stringify(talk.server.requests.at(-1)?.body)).toMatch(/was not read; read it before writing it/);
  expect(readFileSync(join(talk.folder, "one.txt"), "utf8")).toBe("one\n");
});

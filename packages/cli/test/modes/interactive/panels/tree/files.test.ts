/** Files on the way: put back, left, or refused; and what the model knows of them afterwards. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { type InteractiveApp, waitForScreen, waitUntilIdle } from "../../../../support/interactive-app.ts";
import { ENTER, exchange, openTree, startTwoExchanges } from "../../../../support/sample-conversations.ts";

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
  const app = await startTwoExchanges([...writes, ...script]);
  await exchange(app, "write them", "written");
  return app;
}

async function goesBack(app: InteractiveApp): Promise<void> {
  await openTree(app);
  app.terminal.type("/answer two");
  app.terminal.press(ENTER);
  await waitForScreen(app, "Summarize the branch you are leaving?");
  app.terminal.type("n");
}

test("WLK10 a move shows which changed files it would restore, and Yes restores them", async () => {
  const app = await leavesTwoFiles();
  await goesBack(app);
  const screenText = await waitForScreen(app, /-one/);
  expect(screenText).toContain("✓ one.txt  will be removed: it did not exist then");
  expect(screenText).toContain("y remove 2 files and go");
  app.terminal.type("y");
  await waitForScreen(app, "✓ 2 files removed");
  expect(existsSync(join(app.folder, "one.txt"))).toBe(false);
  // There and back again: what was done on that branch is done again.
  await openTree(app);
  app.terminal.type("/written");
  app.terminal.press(ENTER);
  await waitForScreen(app, "✓ one.txt  will be restored");
  app.terminal.type("y");
  await waitForScreen(app, "✓ 2 files restored");
  await app.waitUntil(() => existsSync(join(app.folder, "two.txt")));
  expect(readFileSync(join(app.folder, "two.txt"), "utf8")).toBe("two\n");
});

test("WLK10 a move leaves the changed files as they are after No", async () => {
  const app = await leavesTwoFiles();
  await goesBack(app);
  await waitForScreen(app, "y remove 2 files");
  app.terminal.type("n");
  await waitForScreen(app, "went to another entry in the tree");
  expect(readFileSync(join(app.folder, "one.txt"), "utf8")).toBe("one\n");
});

test("WLK11 a file changed outside the session is not restored, with the reason; the others are", async () => {
  const app = await leavesTwoFiles();
  writeFileSync(join(app.folder, "one.txt"), "mine\n");
  await goesBack(app);
  const screenText = await waitForScreen(app, "✗ one.txt  not restored: changed outside this session");
  expect(screenText).toContain("y remove 1 file and go");
  app.terminal.type("y");
  await waitForScreen(app, "1 file removed");
  expect(readFileSync(join(app.folder, "one.txt"), "utf8")).toBe("mine\n");
  expect(existsSync(join(app.folder, "two.txt"))).toBe(false);
});

test("WLK12 after a move, the model cannot overwrite a file that it has not read on this branch", async () => {
  const app = await leavesTwoFiles([calls("write", { path: "one.txt", content: "other\n" }), "tried"]);
  await goesBack(app);
  await waitForScreen(app, "y remove 2 files");
  app.terminal.type("n");
  await waitForScreen(app, "went to another entry in the tree");
  app.submit("change it");
  await app.waitForText("tried");
  await waitUntilIdle(app);
  expect(JSON.stringify(app.server.requests.at(-1)?.body)).toMatch(/was not read; read it before writing it/);
  expect(readFileSync(join(app.folder, "one.txt"), "utf8")).toBe("one\n");
});

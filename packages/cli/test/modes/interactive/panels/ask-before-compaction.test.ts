/** Tests the setting that asks before a compaction: the question appears, and the work continues after every answer. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { waitForScreen, waitUntilIdle } from "../../../support/interactive-app.ts";
import { ENTER, exchangeMessages, isCompacted, startLongSession } from "../../../support/sample-conversations.ts";

const asking = { settings: { compaction: { ask: true } }, words: 4_000 };

test("MET14 Yes compacts the session, and the run continues", async () => {
  const app = await startLongSession(asking);
  await exchangeMessages(app, 4);
  app.submit("question 5");
  await waitForScreen(app, "Compact it now?");
  app.terminal.press("y");
  await app.waitForText("Answer 5 ends here");
  await waitUntilIdle(app);
  await app.waitForText("compacted:");
});

test("MET14 Not now postpones the compaction once; the next question says how little of the window is free", async () => {
  const app = await startLongSession(asking);
  await exchangeMessages(app, 4);
  app.submit("question 5");
  expect(await waitForScreen(app, "Compact it now?")).not.toContain("tokens of the window are free");
  app.terminal.press("n");
  await app.waitForText("Answer 5 ends here");
  await waitUntilIdle(app);
  expect(isCompacted(app)).toBe(false);
  app.submit("question 6");
  await app.waitForText(/Only [\d,]+ tokens of the window are free|The window is full/);
  app.terminal.press("y");
  await app.waitForText("Answer 6 ends here");
  await app.waitForText("compacted:");
});

test("MET14 Never turns automatic compaction off for this session only, and the footer shows it", async () => {
  const app = await startLongSession(asking);
  await exchangeMessages(app, 4);
  app.submit("question 5");
  await waitForScreen(app, "Compact it now?");
  // Who was in the middle of a word has not switched anything off.
  app.terminal.press("x", "N");
  await waitForScreen(app, "back to the question");
  app.terminal.press("\x1b");
  await app.waitUntilGone("back to the question");
  app.terminal.press("N");
  await app.waitForText("Answer 5 ends here");
  await waitForScreen(app, "auto-compact off");
  expect(isCompacted(app)).toBe(false);
  expect(readFileSync(join(app.home, "settings.json"), "utf8")).not.toContain("enabled");
});

test("MET14 without the ask setting, the session is compacted without a question", async () => {
  const app = await startLongSession({ words: 4_000 });
  await exchangeMessages(app, 5);
  expect((await app.terminal.scrollback()).join("\n")).not.toContain("Compact it now?");
  await app.waitForText("compacted:");
});

test("MET13 /autocompact opens a panel with both limits and saves the choice to the settings", async () => {
  const app = await startLongSession({ words: 100 });
  await exchangeMessages(app, 1);
  app.submit("/autocompact");
  const screenText = await waitForScreen(app, "Automatic compaction is on");
  expect(screenText).toMatch(/reserveTokens +16,384 \(6,000 tokens reserved for replies\)/);
  expect(screenText).toMatch(/keepRecentTokens +20,000 \(the newest 4,800 tokens, kept unchanged\)/);
  app.terminal.press("\x1b[B", ENTER);
  await waitForScreen(app, "auto-compact off");
  await app.waitForText('"compaction.enabled"');
  expect(JSON.parse(readFileSync(join(app.home, "settings.json"), "utf8"))).toMatchObject({
    compaction: { enabled: false },
  });
  app.submit("/autocompact on");
  await app.waitUntilGone("auto-compact off");
});

/** Whoever wants to be asked before a compaction is asked, and the work goes on whatever is answered. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENTER, exchangeMessages, isCompacted, startLongSession, waitForScreen, waitUntilIdle } from "../long-talk.ts";

const asking = { settings: { compaction: { ask: true } }, words: 4_000 };

test("MET14 Yes compacts the session, and the run continues", async () => {
  const talk = await startLongSession(asking);
  await exchangeMessages(talk, 4);
  talk.submit("question 5");
  await waitForScreen(talk, "Compact it now?");
  talk.terminal.press("y");
  await talk.waitForText("Answer 5 ends here");
  await waitUntilIdle(talk);
  await talk.waitForText("compacted:");
});

test("MET14 Not now postpones the compaction once; the next question says how little of the window is free", async () => {
  const talk = await startLongSession(asking);
  await exchangeMessages(talk, 4);
  talk.submit("question 5");
  expect(await waitForScreen(talk, "Compact it now?")).not.toContain("tokens of the window are free");
  talk.terminal.press("n");
  await talk.waitForText("Answer 5 ends here");
  await waitUntilIdle(talk);
  expect(isCompacted(talk)).toBe(false);
  talk.submit("question 6");
  await talk.waitForText(/Only [\d,]+ tokens of the window are free|The window is full/);
  talk.terminal.press("y");
  await talk.waitForText("Answer 6 ends here");
  await talk.waitForText("compacted:");
});

test("MET14 Never turns automatic compaction off for this session only, and the footer shows it", async () => {
  const talk = await startLongSession(asking);
  await exchangeMessages(talk, 4);
  talk.submit("question 5");
  await waitForScreen(talk, "Compact it now?");
  // Who was in the middle of a word has not switched anything off.
  talk.terminal.press("x", "N");
  await waitForScreen(talk, "back to the question");
  talk.terminal.press("\x1b");
  await talk.waitUntilGone("back to the question");
  talk.terminal.press("N");
  await talk.waitForText("Answer 5 ends here");
  await waitForScreen(talk, "auto-compact off");
  expect(isCompacted(talk)).toBe(false);
  expect(readFileSync(join(talk.home, "settings.json"), "utf8")).not.toContain("enabled");
});

test("MET14 without the ask setting, the session is compacted without a question", async () => {
  const talk = await startLongSession({ words: 4_000 });
  await exchangeMessages(talk, 5);
  expect((await talk.terminal.scrollback()).join("\n")).not.toContain("Compact it now?");
  await talk.waitForText("compacted:");
});

test("MET13 /autocompact opens a panel with both limits and saves the choice to the settings", async () => {
  const talk = await startLongSession({ words: 100 });
  await exchangeMessages(talk, 1);
  talk.submit("/autocompact");
  const seen = await waitForScreen(talk, "Automatic compaction is on");
  expect(seen).toMatch(/reserveTokens +16,384 \(6,000 tokens reserved for replies\)/);
  expect(seen).toMatch(/keepRecentTokens +20,000 \(the newest 4,800 tokens, kept unchanged\)/);
  talk.terminal.press("\x1b[B", ENTER);
  await waitForScreen(talk, "auto-compact off");
  await talk.waitForText('"compaction.enabled"');
  expect(JSON.parse(readFileSync(join(talk.home, "settings.json"), "utf8"))).toMatchObject({
    compaction: { enabled: false },
  });
  talk.submit("/autocompact on");
  await talk.waitUntilGone("auto-compact off");
});

/** Whoever wants to be asked before a compaction is asked, and the work goes on whatever is answered. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atRest, ENTER, exchanged, isCompacted, longTalk, shows } from "../long-talk.ts";

const asking = { settings: { compaction: { ask: true } }, words: 4_000 };

test("MET14 Yes compacts the session, and the run continues", async () => {
  const talk = await longTalk(asking);
  await exchanged(talk, 4);
  talk.say("question 5");
  await shows(talk, "Compact it now?");
  talk.terminal.press("y");
  await talk.sees("Answer 5 ends here");
  await atRest(talk);
  await talk.sees("compacted:");
});

test("MET14 Not now postpones the compaction once; the next question says how little of the window is free", async () => {
  const talk = await longTalk(asking);
  await exchanged(talk, 4);
  talk.say("question 5");
  expect(await shows(talk, "Compact it now?")).not.toContain("tokens of the window are free");
  talk.terminal.press("n");
  await talk.sees("Answer 5 ends here");
  await atRest(talk);
  expect(isCompacted(talk)).toBe(false);
  talk.say("question 6");
  await talk.sees(/Only [\d,]+ tokens of the window are free|The window is full/);
  talk.terminal.press("y");
  await talk.sees("Answer 6 ends here");
  await talk.sees("compacted:");
});

test("MET14 Never turns automatic compaction off for this session only, and the footer shows it", async () => {
  const talk = await longTalk(asking);
  await exchanged(talk, 4);
  talk.say("question 5");
  await shows(talk, "Compact it now?");
  // Who was in the middle of a word has not switched anything off.
  talk.terminal.press("x", "N");
  await shows(talk, "back to the question");
  talk.terminal.press("\x1b");
  await talk.gone("back to the question");
  talk.terminal.press("N");
  await talk.sees("Answer 5 ends here");
  await shows(talk, "auto-compact off");
  expect(isCompacted(talk)).toBe(false);
  expect(readFileSync(join(talk.home, "settings.json"), "utf8")).not.toContain("enabled");
});

test("MET14 without the ask setting, the session is compacted without a question", async () => {
  const talk = await longTalk({ words: 4_000 });
  await exchanged(talk, 5);
  expect((await talk.terminal.all()).join("\n")).not.toContain("Compact it now?");
  await talk.sees("compacted:");
});

test("MET13 /autocompact opens a panel with both limits and saves the choice to the settings", async () => {
  const talk = await longTalk({ words: 100 });
  await exchanged(talk, 1);
  talk.say("/autocompact");
  const seen = await shows(talk, "Automatic compaction is on");
  expect(seen).toMatch(/reserveTokens +16,384 \(6,000 tokens reserved for replies\)/);
  expect(seen).toMatch(/keepRecentTokens +20,000 \(the newest 4,800 tokens, kept unchanged\)/);
  talk.terminal.press("\x1b[B", ENTER);
  await shows(talk, "auto-compact off");
  await talk.sees('"compaction.enabled"');
  expect(JSON.parse(readFileSync(join(talk.home, "settings.json"), "utf8"))).toMatchObject({
    compaction: { enabled: false },
  });
  talk.say("/autocompact on");
  await talk.gone("auto-compact off");
});

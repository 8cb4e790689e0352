/** Tests modes/interactive/panels/tree/compact.ts: compacting around an entry of the tree. */

import { expect, test } from "vitest";
import { ENTER, ESC, exchangeMessages, readScreen, startLongSession, waitUntilIdle } from "../../long-talk.ts";
import { DOWN, openTree, UP, waitForScreen } from "./walking-talk.ts";

const requests = (talk: Awaited<ReturnType<typeof startLongSession>>): string =>
  JSON.stringify(talk.server.requests.at(-1)?.body);

test('CUT13 c shows what can be compacted at an entry; "Up to here" keeps that entry and all after it', async () => {
  const talk = await startLongSession();
  await exchangeMessages(talk, 5);
  await openTree(talk);
  expect(await readScreen(talk)).toContain("c compact");
  // The question 4.
  talk.terminal.press(UP, UP, UP, "c");
  const seen = await waitForScreen(talk, /Compact at #\d+/);
  expect(seen).toMatch(/From here \(f\) +a summary replaces 4 entries from #\d+ on/);
  expect(seen).toMatch(/Up to here \(u\) +a summary replaces \d+ entries before #\d+/);
  expect(seen).not.toContain("Rewrite from the originals");
  talk.terminal.type("u");
  expect(await waitForScreen(talk, /Compact up to #\d+\?/)).toMatch(/summary by +anthropic\/claude-sonnet-4-5/);
  talk.terminal.press(ENTER);
  await waitForScreen(talk, "compacted:");
  await waitUntilIdle(talk);
  talk.submit("question 6");
  await talk.waitForText("Answer 6 ends here");
  expect(requests(talk)).toContain("Answer 4 ends here");
  expect(requests(talk)).not.toContain("Answer 3 ends here");
});

test('CUT13 "From here" replaces the entries after it with a summary and keeps the others', async () => {
  const talk = await startLongSession();
  await exchangeMessages(talk, 5);
  await openTree(talk);
  // The answer 3.
  talk.terminal.press(UP, UP, UP, UP, "c");
  await waitForScreen(talk, /a summary replaces 4 entries after #\d+/);
  talk.terminal.type("f");
  const preview = await waitForScreen(talk, /Replace everything after #\d+ with a summary\?/);
  expect(preview).toContain("they stay on their own branch");
  expect(preview).toMatch(/summarized +4 entries, /);
  talk.terminal.type("the names");
  talk.terminal.press(ENTER);
  await waitForScreen(talk, "summary of the branch you left");
  await waitForScreen(talk, /: a summary replaces 4 entries after #\d+\. To\s+go\s+back\s+to\s+them: \/tree [\w-]+\./);
  await waitUntilIdle(talk);
  expect(requests(talk)).toContain("the names");
  talk.submit("question 6");
  await talk.waitForText("Answer 6 ends here");
  expect(requests(talk)).toContain("Answer 3 ends here");
  expect(requests(talk)).not.toContain("Answer 4 ends here");
});

test("CUT13 /compact --from with a focus starts at once, says how to go back, and refuses an entry of another branch", async () => {
  const talk = await startLongSession({ words: 100 });
  await exchangeMessages(talk, 3);
  talk.submit("/pin Never push to main.");
  await talk.waitForText("pinned: Never push to main.");
  talk.submit("/compact --from #4");
  const preview = await waitForScreen(talk, "Replace everything");
  expect(preview).toMatch(/pinned +0 pins +1 pin stays on the branch you leave/);
  talk.terminal.press(ESC);
  await talk.waitUntilGone("Replace everything");
  talk.submit("/compact --from #4 the names");
  const seen = await waitForScreen(talk, /To\s+go\s+back\s+to\s+them: \/tree/);
  expect(seen).toMatch(/a summary replaces \d+ entries (?:after|from) #4/);
  await waitUntilIdle(talk);
  const asked = talk.server.requests.length;
  talk.submit("/compact --from #6 the names");
  await waitForScreen(talk, "#6 is on another branch; /tree #6 goes there");
  expect(talk.server.requests).toHaveLength(asked);
});

test("CUT13 impossible choices are not offered, and Esc returns to the tree without a change", async () => {
  const talk = await startLongSession();
  await exchangeMessages(talk, 5);
  talk.submit("/compact the numbers");
  await waitForScreen(talk, "compacted:");
  await waitUntilIdle(talk);
  const asked = talk.server.requests.length;
  await openTree(talk);
  talk.terminal.press("g", "c");
  const seen = await waitForScreen(talk, /Compact at #\d+/);
  expect(seen).toContain("Can't compact up to here: the entry is not in the context");
  expect(seen).not.toContain("Up to here (u)");
  talk.terminal.type("o");
  await waitForScreen(talk, "Compact now, with a summary from the original entries?");
  talk.terminal.press(ESC);
  await waitForScreen(talk, "c compact");
  talk.terminal.press(ESC);
  await talk.waitUntilGone("c compact");
  expect(talk.server.requests).toHaveLength(asked);
});

test("CUT12 CUT13 /compact --from-originals shows a preview and then rewrites the summary", async () => {
  const talk = await startLongSession();
  await exchangeMessages(talk, 5);
  talk.submit("/compact the numbers");
  await waitForScreen(talk, "compacted:");
  await waitUntilIdle(talk);
  talk.submit("/compact --from-originals");
  await waitForScreen(talk, "Compact now, with a summary from the original entries?");
  const asked = talk.server.requests.length;
  talk.terminal.press(ENTER);
  await talk.waitUntil(() => talk.server.requests.length > asked);
  await waitUntilIdle(talk);
  expect(requests(talk)).toContain("Answer 1 ends here");
  expect(requests(talk)).not.toContain("previous-summary");
});

test("CUT13 c on an entry of another branch says why nothing can be compacted there", async () => {
  const talk = await startLongSession({ words: 100 });
  await exchangeMessages(talk, 2);
  await openTree(talk);
  talk.terminal.press("g", DOWN, ENTER);
  await waitForScreen(talk, "Summarize the branch you are leaving?");
  talk.terminal.type("n");
  await waitForScreen(talk, "went to another entry in the tree");
  await openTree(talk);
  talk.terminal.press("b", "c");
  const seen = await waitForScreen(talk, "Nothing can be compacted there");
  expect(seen.replaceAll(/\s+/g, " ")).toMatch(
    /#\d+ is on another branch; \/tree #\d+ goes there\. Can't compact up to here: /,
  );
});

/** Tests modes/interactive/panels/tree/compact.ts: compacting around an entry of the tree. */

import { expect, test } from "vitest";
import { readScreen, waitForScreen, waitUntilIdle } from "../../../../support/interactive-app.ts";
import {
  DOWN,
  ENTER,
  ESC,
  exchangeMessages,
  openTree,
  startLongSession,
  UP,
} from "../../../../support/sample-conversations.ts";

const requests = (app: Awaited<ReturnType<typeof startLongSession>>): string =>
  JSON.stringify(app.server.requests.at(-1)?.body);

test('CUT13 c shows what can be compacted at an entry; "Up to here" keeps that entry and all after it', async () => {
  const app = await startLongSession();
  await exchangeMessages(app, 5);
  await openTree(app);
  expect(await readScreen(app)).toContain("c compact");
  // The question 4.
  app.terminal.press(UP, UP, UP, "c");
  const screenText = await waitForScreen(app, /Compact at #\d+/);
  expect(screenText).toMatch(/From here \(f\) +a summary replaces 4 entries from #\d+ on/);
  expect(screenText).toMatch(/Up to here \(u\) +a summary replaces \d+ entries before #\d+/);
  expect(screenText).not.toContain("Rewrite from the originals");
  app.terminal.type("u");
  expect(await waitForScreen(app, /Compact up to #\d+\?/)).toMatch(/summary by +anthropic\/claude-sonnet-4-5/);
  app.terminal.press(ENTER);
  await waitForScreen(app, "compacted:");
  await waitUntilIdle(app);
  app.submit("question 6");
  await app.waitForText("Answer 6 ends here");
  expect(requests(app)).toContain("Answer 4 ends here");
  expect(requests(app)).not.toContain("Answer 3 ends here");
});

test('CUT13 "From here" replaces the entries after it with a summary and keeps the others', async () => {
  const app = await startLongSession();
  await exchangeMessages(app, 5);
  await openTree(app);
  // The answer 3.
  app.terminal.press(UP, UP, UP, UP, "c");
  await waitForScreen(app, /a summary replaces 4 entries after #\d+/);
  app.terminal.type("f");
  const preview = await waitForScreen(app, /Replace everything after #\d+ with a summary\?/);
  expect(preview).toContain("they stay on their own branch");
  expect(preview).toMatch(/summarized +4 entries, /);
  app.terminal.type("the names");
  app.terminal.press(ENTER);
  await waitForScreen(app, "summary of the branch you left");
  await waitForScreen(app, /: a summary replaces 4 entries after #\d+\. To\s+go\s+back\s+to\s+them: \/tree [\w-]+\./);
  await waitUntilIdle(app);
  expect(requests(app)).toContain("the names");
  app.submit("question 6");
  await app.waitForText("Answer 6 ends here");
  expect(requests(app)).toContain("Answer 3 ends here");
  expect(requests(app)).not.toContain("Answer 4 ends here");
});

test("CUT13 /compact --from with a focus starts at once, says how to go back, and refuses an entry of another branch", async () => {
  const app = await startLongSession({ words: 100 });
  await exchangeMessages(app, 3);
  app.submit("/pin Never push to main.");
  await app.waitForText("pinned: Never push to main.");
  app.submit("/compact --from #4");
  const preview = await waitForScreen(app, "Replace everything");
  expect(preview).toMatch(/pinned +0 pins +1 pin stays on the branch you leave/);
  app.terminal.press(ESC);
  await app.waitUntilGone("Replace everything");
  app.submit("/compact --from #4 the names");
  const screenText = await waitForScreen(app, /To\s+go\s+back\s+to\s+them: \/tree/);
  expect(screenText).toMatch(/a summary replaces \d+ entries (?:after|from) #4/);
  await waitUntilIdle(app);
  const requestCount = app.server.requests.length;
  app.submit("/compact --from #6 the names");
  await waitForScreen(app, "#6 is on another branch; /tree #6 goes there");
  expect(app.server.requests).toHaveLength(requestCount);
});

test("CUT13 impossible choices are not offered, and Esc returns to the tree without a change", async () => {
  const app = await startLongSession();
  await exchangeMessages(app, 5);
  app.submit("/compact the numbers");
  await waitForScreen(app, "compacted:");
  await waitUntilIdle(app);
  const requestCount = app.server.requests.length;
  await openTree(app);
  app.terminal.press("g", "c");
  const screenText = await waitForScreen(app, /Compact at #\d+/);
  expect(screenText).toContain("Can't compact up to here: the entry is not in the context");
  expect(screenText).not.toContain("Up to here (u)");
  app.terminal.type("o");
  await waitForScreen(app, "Compact now, with a summary from the original entries?");
  app.terminal.press(ESC);
  await waitForScreen(app, "c compact");
  app.terminal.press(ESC);
  await app.waitUntilGone("c compact");
  expect(app.server.requests).toHaveLength(requestCount);
});

test("CUT12 CUT13 /compact --from-originals shows a preview and then rewrites the summary", async () => {
  const app = await startLongSession();
  await exchangeMessages(app, 5);
  app.submit("/compact the numbers");
  await waitForScreen(app, "compacted:");
  await waitUntilIdle(app);
  app.submit("/compact --from-originals");
  await waitForScreen(app, "Compact now, with a summary from the original entries?");
  const requestCount = app.server.requests.length;
  app.terminal.press(ENTER);
  await app.waitUntil(() => app.server.requests.length > requestCount);
  await waitUntilIdle(app);
  expect(requests(app)).toContain("Answer 1 ends here");
  expect(requests(app)).not.toContain("previous-summary");
});

test("CUT13 c on an entry of another branch says why nothing can be compacted there", async () => {
  const app = await startLongSession({ words: 100 });
  await exchangeMessages(app, 2);
  await openTree(app);
  app.terminal.press("g", DOWN, ENTER);
  await waitForScreen(app, "Summarize the branch you are leaving?");
  app.terminal.type("n");
  await waitForScreen(app, "went to another entry in the tree");
  await openTree(app);
  app.terminal.press("b", "c");
  const screenText = await waitForScreen(app, "Nothing can be compacted there");
  expect(screenText.replaceAll(/\s+/g, " ")).toMatch(
    /#\d+ is on another branch; \/tree #\d+ goes there\. Can't compact up to here: /,
  );
});

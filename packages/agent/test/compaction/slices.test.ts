/** Tests that an agent measures a session that it has just opened in slices: how much it reads between two pauses, and not how long that takes. */

import "../../src/compaction/remove-outdated.ts";
import { type Entry, MemoryStore, Session } from "@pith/context";
import { story, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { Agent } from "../../src/index.ts";
import { heldModel, text } from "../support/held-agent.ts";

const TURNS = 200;
const MAX_RESULTS_PER_SLICE = 60;

/** Calls `onFirstRead` when the content of a tool result is read for the first time. */
function watchEntry(entry: Entry, onFirstRead: () => void): Entry {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return entry;
  const { content } = entry.message;
  let wasRead = false;
  const message = {
    ...entry.message,
    get content() {
      if (!wasRead) onFirstRead();
      wasRead = true;
      return content;
    },
  };
  return { ...entry, message };
}

test("PREP7 before its first request, an agent measures a long session in slices", async () => {
  const slices: number[] = [0];
  const onFirstRead = (): void => void slices.push((slices.pop() ?? 0) + 1);
  const ports = testRuntime("n");
  const result = `result: ${"const value = 1; ".repeat(300)}`;
  const turns = Array.from({ length: TURNS }, (_, index) => [`calls: read path=${index}.ts`, result]);
  const store = MemoryStore.create({ ...ports, now: () => 0 });
  for (const entry of story("user: go", ...turns.flat(), "says: done"))
    await store.append([entry], { expectedLeaf: await store.leaf() });
  const branch = await store.loadBranch(await store.leaf());
  store.loadBranch = async () => ({
    ...branch,
    entries: branch.entries.map((entry) => watchEntry(entry, onFirstRead)),
  });
  const model = heldModel();
  const runtime = {
    ...ports,
    now: () => Date.now(),
    sleep: async (): Promise<void> => void slices.push(0),
  };
  const agent = new Agent({ session: await Session.open(store, runtime), model, runtime, tools: [] });
  const run = (async () => {
    for await (const event of agent.prompt("next")) void event;
  })();
  while (!model.waiting[0]) await new Promise(setImmediate);
  model.waiting[0].end(text("Good."));
  await run;
  expect(slices.reduce((sum, count) => sum + count, 0)).toBe(TURNS);
  expect(Math.max(...slices)).toBeLessThanOrEqual(MAX_RESULTS_PER_SLICE);
});

/** Tests branches/pi-calls.ts: pi's calls for branch summaries run the same engine as ours. */

import { expect, test } from "vitest";
import { type Entry, estimateTokens, generateBranchSummary, prepareBranchEntries } from "../../src/index.ts";
import { type ScriptedReply, scriptedModel, story, testRuntime } from "../../src/testing/index.ts";
import { repeatWord } from "../support/small-session.ts";

const branch = story(
  "user: Try a cache.",
  "calls: write path=cache.ts content=new",
  "result: written",
  "calls: read path=log.txt",
  "result: never hit",
  "says: The cache is never hit.",
);

const messages = branch.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));

function opened(...replies: readonly ScriptedReply[]) {
  return Object.assign(scriptedModel(...replies), { runtime: testRuntime("p") });
}

const record = `## Goal
- Try a cache. [#1]

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] wrote cache.ts [#2]

### In Progress
- (none)

### Blocked
- The cache is never hit. [#6]

## Key Decisions
- (none)

## Next Steps
1. (none)`;

test("SRC1 prepareBranchEntries(entries) returns all messages, their tokens and the files", () => {
  expect(prepareBranchEntries(branch)).toEqual({
    messages,
    fileOps: { read: new Set(["log.txt"]), written: new Set(["cache.ts"]), edited: new Set() },
    totalTokens: messages.reduce((sum, message) => sum + estimateTokens(message), 0),
  });
  expect(prepareBranchEntries(branch, 0)).toEqual(prepareBranchEntries(branch));
});

test("SRC1 BR2 prepareBranchEntries with a budget returns the newest messages that fit, and the files of all", () => {
  const { messages: taken, fileOps, totalTokens } = prepareBranchEntries(branch, 30);
  expect([taken, totalTokens <= 30]).toEqual([messages.slice(-1), true]);
  expect([...fileOps.written]).toEqual(["cache.ts"]);
});

test("SRC1 prepareBranchEntries uses an existing branch summary as a message", () => {
  const summary: Entry = {
    ...{ type: "branch_summary", id: "s1", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", fromId: "x" },
    summary: "An index was tried.",
    details: { readFiles: ["old.ts"], modifiedFiles: [] },
  };
  const { messages: all, fileOps } = prepareBranchEntries([summary, ...branch]);
  expect(all[0]).toMatchObject({ role: "branchSummary", summary: "An index was tried." });
  expect([...fileOps.read]).toEqual(["old.ts", "log.txt"]);
});

test("SRC1 generateBranchSummary(entries, options) returns a summary with the files", async () => {
  const model = opened(record);
  const result = await generateBranchSummary(branch, { model, apiKey: "any", customInstructions: "the contract" });
  expect(result).toEqual({
    summary: expect.stringContaining("- The cache is never hit. [#6]"),
    readFiles: ["log.txt"],
    modifiedFiles: ["cache.ts"],
  });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Additional focus: the contract");
});

test("SRC1 replaceInstructions replaces the default task with the custom instructions", async () => {
  const model = opened("One line.");
  const options = { model, customInstructions: "Write one line.", replaceInstructions: true };
  expect(await generateBranchSummary(branch, options)).toMatchObject({
    summary: expect.stringMatching(/^One line\./),
  });
  expect(JSON.stringify(model.requests[0]?.messages)).not.toContain("## Goal");
});

test.each([
  ["the default reserve takes a quarter of a small window", undefined, false],
  ["a larger reserve takes a quarter of a small window", 1_000_000, false],
  ["without a reserve all of the window is filled", 0, true],
])("SRC1 DUE3 generateBranchSummary: %s", async (_, reserveTokens, includesOldSummary) => {
  const entries = story(`user: The oldest. ${repeatWord(1_400)}`, `says: ${repeatWord(1_600)}`);
  const contextWindow = Math.ceil(prepareBranchEntries(entries).totalTokens * 1.2);
  const model = Object.assign(opened(record, record, record, record, record), { contextWindow });
  await generateBranchSummary(entries, { model, ...(reserveTokens !== undefined && { reserveTokens }) });
  expect(JSON.stringify(model.requests).includes("The oldest.")).toBe(includesOldSummary);
});

test("SRC1 generateBranchSummary returns failures and aborts as values", async () => {
  const failing = opened({ failure: { kind: "refused", message: "no such model" } });
  expect(await generateBranchSummary(branch, { model: failing })).toEqual({
    error: "anthropic/storyteller: no such model",
  });
  const stop = new AbortController();
  stop.abort();
  expect(await generateBranchSummary(branch, { model: opened(record), signal: stop.signal })).toEqual({
    aborted: true,
  });
  const model = opened();
  expect(await generateBranchSummary([], { model })).toEqual({ error: "The branch has nothing to summarize." });
  expect(model.requests).toEqual([]);
});

const wrong: Readonly<Record<string, readonly [call: () => unknown, says: string]>> = {
  "prepareBranchEntries with a wish": [
    () => prepareBranchEntries(branch, { tokens: 30 } as never),
    "prepareBranchEntries(entries, 100_000)",
  ],
  "prepareBranchEntries without room": [
    () => prepareBranchEntries({ entries: branch, edits: [] }, undefined as never),
    "prepareBranchEntries(left, { tokens: 100_000 })",
  ],
  "generateBranchSummary without a model": [
    () => generateBranchSummary(branch, {} as never),
    "await openModel({ provider",
  ],
};

test.each(Object.entries(wrong))("SRC2 %s throws an error that says what to write", async (_, [call, says]) => {
  await expect(Promise.resolve().then(call)).rejects.toThrow(says);
});

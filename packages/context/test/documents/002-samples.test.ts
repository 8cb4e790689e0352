/** Document 002, its code as programs of ours, in which a hook returns its answer (B73, B74). */

import { expect, test } from "vitest";
import {
  type CompactionHooks,
  compact,
  compactionDue,
  compactionLimits,
  convertToLlm,
  modelSummarizer,
  moveTo,
  serializeConversation,
  shouldCompact,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createSample, sampleLines } from "../support/document-sessions.ts";

test("SUM6 HOOK1 B37 B73 a hook can convert messages, serialize them and return the summary of its own model", async () => {
  const parts = await createSample(...sampleLines);
  const read: string[] = [];
  const hooks: CompactionHooks = {
    session_before_compact: [
      async ({ preparation }) => {
        const { messagesToSummarize, firstKeptEntryId, tokensBefore } = preparation;
        const text = serializeConversation(convertToLlm(messagesToSummarize));
        read.push(text);
        const summary = await firstLines(text);
        return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { version: "2.0" } } };
      },
    ],
  };
  const outcome = await compact({ ...parts, hooks, reason: "asked" });
  expect(read[0]?.split("\n\n").map((block) => block.split("\n")[0])).toEqual([
    "[User]: read the schema",
    '[Assistant tool calls]: read(path="schema.sql")',
    "[Tool result]: line 0 of the report",
    "[Assistant]: there are nine tables",
  ]);
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "hook" } });
});

/** A summarizer of one's own: it needs no model. Labels of speakers have no place in what it writes. */
async function firstLines(text: string): Promise<string> {
  return text
    .split("\n\n")
    .map((block) => `- ${block.split("\n")[0]?.replace(/^\[[^\]]+\]: /, "")}`)
    .join("\n");
}

test("SUM5 B39 the instructions of a compaction are in every request for its summary", async () => {
  const parts = await createSample(...sampleLines);
  const model = scriptedModel("no record", "no record");
  const outcome = await compact({
    ...parts,
    reason: "asked",
    instructions: "Focus on authentication changes",
    summarizers: [modelSummarizer(model, parts)],
  });
  expect(outcome).toMatchObject({ type: "compacted" });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Additional focus: Focus on authentication changes");
});

test("CMP8 the compaction entry has the summary, the first kept entry, the tokens before and the details", async () => {
  const parts = await createSample(...sampleLines);
  const outcome = await compact({ ...parts, reason: "asked" });
  const entry = outcome.type === "compacted" ? await parts.session.store.entry(outcome.id) : undefined;
  expect(entry).toMatchObject({
    type: "compaction",
    summary: expect.stringContaining("read the schema → there are nine tables"),
    firstKeptEntryId: "e5",
    tokensBefore: expect.any(Number),
    details: { readFiles: ["schema.sql"], modifiedFiles: [] },
  });
});

test("HOOK1 B74 customInstructions returned by a hook are added to the request", async () => {
  const parts = await createSample(...sampleLines, "moves: e4", "user: drop a table", "says: dropped");
  const model = scriptedModel("no record", "no record");
  const instructions = { customInstructions: "Focus on API contract changes", replaceInstructions: false };
  const moved = await moveTo({
    ...parts,
    target: "e6",
    summary: { models: [model] },
    hooks: { session_before_tree: [() => instructions] },
  });
  expect(moved).toMatchObject({ type: "failed", why: "summary" });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Additional focus: Focus on API contract changes");
});

test("DUE4 B22 auto-compaction is turned on and off by a limit", async () => {
  const { session, budget } = await createSample(...sampleLines);
  const small = { ...budget, limit: 100 };
  expect(compactionDue(session.branch, small)).toMatchObject({ type: "due" });
  const off = { ...small, limits: { ...compactionLimits, enabled: false } };
  expect(compactionDue(session.branch, off)).toMatchObject({ type: "not-due", why: "off" });
});

test("DUE1 B13 shouldCompact takes the size and the budget instead of three numbers", async () => {
  const { session, budget } = await createSample(...sampleLines);
  const { size } = compactionDue(session.branch, budget);
  expect(shouldCompact(size, budget)).toBeNull();
  expect(shouldCompact({ ...size, tokens: 200_000 - 16_384 + 1 }, budget)).toBe("tokens");
});

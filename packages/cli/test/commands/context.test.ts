/** What fills a window, and that the parts of it add up. */

import { compactionLimits, contextSize, createBudget, type Entry } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { buildContextReport, computeContextParts, formatContextReport } from "../../src/context-report/report.ts";
import { createCommandContext, runForText } from "../support/command-context.ts";

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });

const lines = [
  "system: You work.",
  "user: read it",
  "thinks: hm",
  "calls: read path=a.ts",
  "result: a long file",
  "says: read",
  "note: something",
  "bash: ls -> a.ts",
];

test("COM14 the parts of a context, by place and by kind, add up to the size of the next request", () => {
  const window = loadBranch(story(...lines));
  const parts = computeContextParts(window, budget);
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(contextSize(window, budget).tokens);
  expect(parts.map(({ place, kind }) => `${place}: ${kind}`)).toEqual([
    "system: system prompt",
    "messages: your messages",
    "messages: thinking",
    "messages: tool calls",
    "messages: read results",
    "messages: replies",
    "messages: extension messages",
    "messages: your shell commands",
  ]);
});

test("COM14 the parts add up even if the system prompt is estimated larger than the measured whole", () => {
  const window = loadBranch(story(...lines));
  const { tokens } = contextSize(window, budget);
  const heavy = { ...budget, fixed: tokens + 500 };
  const parts = computeContextParts(window, heavy);
  expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(contextSize(window, heavy).tokens);
});

test("COM14 blocks of unknown types are in no part", () => {
  const entries = story("user: read it", "says: read");
  const [, reply] = entries;
  if (reply?.type !== "message") throw new Error("no reply");
  const content = [null, { type: "citation" }, { type: "text" }, { type: "toolCall" }, { type: "text", text: "read" }];
  const window = loadBranch([...entries.slice(0, 1), { ...reply, message: { ...reply.message, content } } as Entry]);
  expect(computeContextParts(window, budget).map(({ kind }) => kind)).toEqual(["your messages", "replies"]);
});

test("COM14 after a compaction, the summary is a part and the summarized messages are in none", () => {
  const window = loadBranch(story(...lines, "user: go on", "compacts: a story of it, keeps e9", "says: going on"));
  const parts = computeContextParts(window, budget);
  expect(parts.filter(({ place }) => place === "summary")).toMatchObject([{ kind: "summary" }]);
  expect(parts.map(({ kind }) => kind)).not.toContain("read results");
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(contextSize(window, budget).tokens);
});

test("COM15 MET19 the report shows the limit, the warning threshold and what a compaction would free", () => {
  const window = loadBranch(story("user: go", ...Array.from({ length: 30 }, () => `says: ${"work ".repeat(2_000)}`)));
  const report = buildContextReport(window, budget);
  expect(report).toMatchObject({
    limit: 183_616,
    soft: Math.floor(183_616 * 0.8),
    isAutomatic: true,
    pauseReason: null,
  });
  expect(report.afterCompaction).toBeLessThan(report.tokens / 2);
  const text = formatContextReport(report);
  expect(text).toMatch(/^█+░+ about [\d,]+ of 183,616 tokens \(\d+%; context window: 200,000\)\n/);
  expect(text).toMatch(/Pith compacts automatically above 183,616 tokens and warns above 146,892\.\n/);
  expect(text).toMatch(/A compaction now would free about [\d,]+ tokens \(\/compact --preview\)\.$/);
});

test("COM15 the report says that a size is an estimate, and since when", () => {
  const first = buildContextReport(loadBranch(story("user: go", "says: gone")), budget);
  expect(formatContextReport(first)).toContain("This is an estimate: the provider has not reported the size yet.");
  const compacted = loadBranch(story(...lines, "user: go on", "compacts: a story of it, keeps e9"));
  expect(formatContextReport(buildContextReport(compacted, budget))).toContain(
    "This is an estimate: the provider has not reported the size since the last compaction.",
  );
});

test("COM15 /context reports an empty session, an unknown window and a full window", async () => {
  expect(await runForText("/context", await createCommandContext([]))).toContain("There is nothing to compact.");
  const unknown = await createCommandContext(lines, { model: { contextWindow: 0 } });
  expect(await runForText("/context", unknown)).toMatch(/^about [\d,]+ tokens \(context window unknown\)\n/);
  const full = await createCommandContext(
    ["user: go", ...Array.from({ length: 30 }, () => `says: ${"work ".repeat(2_000)}`)],
    {
      model: { contextWindow: 20_000 },
    },
  );
  expect(await runForText("/context", full)).toMatch(/^█{30} about [\d,]+ of 15,000 tokens \(\d{3}%/);
});

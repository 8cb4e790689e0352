/** What people are told of a context that grows too long: few lines, each of which says something. */

import type { AgentEvent } from "@pith/agent";
import { noUsage } from "@pith/context";
import { expect, test } from "vitest";
import { noteOn } from "../../src/printing/note-on.ts";

const note = (event: object): string | null => noteOn(event as AgentEvent, []);

test("PRT12 what takes long is told while it does, the rest is not", () => {
  const step = (progress: object) => note({ type: "compaction_progress", reason: "threshold", ...progress });
  expect(step({ step: "asking", model: "p/m" })).toBe("  p/m tells it in short …");
  expect(step({ step: "asking", model: "p/m", part: 2, parts: 5 })).toBe("  p/m tells it in short, part 2 of 5 …");
  expect([200, 1_800, 2_000, 2_200, 4_100].map((tokens) => step({ step: "writing", tokens }))).toEqual([
    ...[null, null, "  2.0k tokens so far …", null, "  4.1k tokens so far …"],
  ]);
  expect(step({ step: "falling-back", why: "p/m: empty:\nits answer is empty" })).toBe(
    "  p/m: empty: its answer is empty",
  );
  expect(["planning", "auditing"].map((name) => step({ step: name }))).toEqual([null, null]);
  const wait = { type: "summarization_retry_scheduled", source: "branchSummary", attempt: 1, delayMs: 900 };
  expect(note({ ...wait, errorMessage: "overloaded" })).toBe("· overloaded; asking again in 1 s");
});

test("PRT12 its end says what it freed, who told it, and what it cost", () => {
  const receipt = { tokens: { before: 90_000, after: 12_000, limit: null }, by: "p/m" };
  const usage = { ...noUsage, cost: { ...noUsage.cost, total: 0.0512 } };
  const end = { type: "compaction_end", reason: "threshold", compaction: { type: "compacted", receipt } };
  expect(note({ ...end, usage, calls: 1, durationMs: 14_200 })).toBe(
    "  90000 → 12000 tokens, told by p/m, $0.0512, 15 s",
  );
  expect(note({ ...end, compaction: { type: "postponed" } })).toBeNull();
});

test("PRT12 what did not happen, what is coming, and what is worth knowing is told", () => {
  const skipped = { type: "compaction_skipped", reason: "threshold", why: "off", note: "it is off; /compact does it" };
  expect(note(skipped)).toBe("· not compacted: it is off; /compact does it");
  expect(note({ ...skipped, reason: "manual" })).toBeNull();
  const soft = { type: "compaction_soft_threshold", tokens: 148_000, limit: 183_616, contextWindow: 200_000 };
  expect(note(soft)).toBe("· the context is 80 % full (148k of 184k tokens)");
  const findings = [
    { code: "words-evicted", note: "two are gone" },
    { code: "compacted-again", note: "pin it" },
  ];
  expect(note({ type: "compaction_quality", compactionId: "e", findings })).toBe(
    "  worth knowing: two are gone; pin it",
  );
  expect(note({ type: "compaction_undone", compactionId: "e", leafId: "f" })).toContain("undone");
});

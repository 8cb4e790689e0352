/** Tests modes/print/progress-notes.ts: compactions, events, totals. */

import type { AgentEvent, Intent, Tool } from "@pith/agent";
import { zeroUsage } from "@pith/context/host";
import { describe, expect, test } from "vitest";
import { addEventUsage, emptyTotals, formatProgressNote, formatTotals } from "../../src/text/event-text.ts";

describe("compactions", () => {
  const note = (event: object): string | null => formatProgressNote(event as AgentEvent, []);

  test("PRT12 long compaction steps are printed, and short ones are not", () => {
    const step = (progress: object) => note({ type: "compaction_progress", reason: "threshold", ...progress });
    expect(step({ step: "asking", model: "p/m" })).toBe("  p/m is summarizing …");
    expect(step({ step: "asking", model: "p/m", part: 2, parts: 5 })).toBe("  p/m is summarizing (2 of 5) …");
    expect([200, 1_800, 2_000, 2_200, 4_100].map((tokens) => step({ step: "writing", tokens }))).toEqual([
      ...[null, null, "  summarizing, 2.0k tokens so far …", null, "  summarizing, 4.1k tokens so far …"],
    ]);
    expect(step({ step: "falling-back", why: "p/m:\nthe reply is empty" })).toBe("  p/m: the reply is empty");
    expect(step({ step: "awaiting-first-token", elapsedMs: 120_000, limitMs: 600_000 })).toBe(
      "  no response after 2 min, waiting up to 10 min …",
    );
    expect(["planning", "auditing"].map((name) => step({ step: name }))).toEqual([null, null]);
    const wait = { type: "summarization_retry_scheduled", source: "branchSummary", attempt: 1, delayMs: 900 };
    expect(note({ ...wait, errorMessage: "overloaded" })).toBe("· overloaded; retrying in 1 s");
  });

  test("PRT12 the end of a compaction is printed with the tokens, the summarizer, the cost and the time", () => {
    const receipt = { tokens: { before: 90_000, after: 12_000, limit: null }, by: "p/m" };
    const usage = { ...zeroUsage, cost: { ...zeroUsage.cost, total: 0.0512 } };
    const end = { type: "compaction_end", reason: "threshold", compaction: { type: "compacted", receipt } };
    expect(note({ ...end, usage, calls: 1, durationMs: 14_200 })).toBe(
      "  90,000 → 12,000 tokens, summary by p/m, $0.0512, 15 s",
    );
    const prepared = { type: "compacted", receipt: { ...receipt, preparedMs: 21_000 } };
    expect(note({ ...end, compaction: prepared, durationMs: 12 })).toBe(
      "  90,000 → 12,000 tokens, summary by p/m, prepared in the background",
    );
    expect(note({ type: "compaction_preparation", state: "ready" })).toBeNull();
    expect(note({ ...end, compaction: { type: "postponed" } })).toBeNull();
  });

  test("PRT12 a skipped compaction, the warning threshold and findings are printed", () => {
    const skipped = {
      type: "compaction_skipped",
      reason: "threshold",
      why: "off",
      note: "it is off; /compact does it",
    };
    expect(note(skipped)).toBe("· not compacted: it is off; /compact does it");
    expect(note({ ...skipped, reason: "manual" })).toBeNull();
    const soft = {
      type: "compaction_soft_threshold",
      tokens: 148_000,
      isEstimate: false,
      limit: 183_616,
      contextWindow: 200_000,
    };
    expect(note(soft)).toBe("· the context is 80% full (148k of 184k tokens)");
    const findings = [
      { code: "user-messages-hidden", note: "two are gone" },
      { code: "compacted-again", note: "pin it" },
    ];
    expect(note({ type: "compaction_quality", compactionId: "e", findings })).toBe("  note: two are gone; pin it");
    const removed = { type: "outdated_results_removed", removalId: "e", count: 14, tokens: 23_000 };
    expect(note(removed)).toBe(
      "· removed 14 outdated tool results from the context: −23.0k tokens; /undo brings them back",
    );
    expect(note({ type: "compaction_undone", compactionId: "e", leafId: "f" })).toContain("undone");
  });
});

describe("events", () => {
  test("PRT9 each command is printed with whether it runs in the sandbox", () => {
    const bash = (isConfined: boolean) => tool("bash", { type: "command", command: "ls", isConfined });
    const start = started("bash", { command: "ls\n  -l" });
    expect(formatProgressNote(start, [bash(true)])).toBe("· bash [sandbox] ls -l");
    expect(formatProgressNote(start, [bash(false)])).toBe("· bash [no sandbox] ls -l");
    const outside = tool("bash", { type: "command", command: "ls", isConfined: false, isOutside: true });
    expect(formatProgressNote(start, [outside])).toBe("· bash [outside the sandbox] ls -l");
    expect(
      formatProgressNote(started("read", { path: "a.ts", limit: 3 }), [tool("read", { type: "look", paths: [] })]),
    ).toBe("· read a.ts limit=3");
  });

  test("PRT9 a tool call is one short line, cut between characters", () => {
    const note = formatProgressNote(started("write", { path: "a", text: "👩".repeat(1_000) }), []) ?? "";
    expect(Array.from(note).length).toBeLessThan(180);
    expect(note.isWellFormed()).toBe(true);
    expect(note).toMatch(/👩…$/);
  });

  test("PRT9 a failed and a refused call are printed with the reason", () => {
    const content = [{ type: "text", text: "not permitted:\nno user is available to ask" }] as const;
    const result = {
      role: "toolResult",
      toolCallId: "1",
      toolName: "bash",
      content,
      isError: true,
      timestamp: 0,
    } as const;
    const end: AgentEvent = {
      ...started("bash", {}),
      type: "tool_execution_end",
      result,
      isError: true,
      durationMs: 1,
    };
    expect(formatProgressNote(end, [])).toBe("  bash failed: not permitted: no user is available to ask");
    const denied = { ...end, result: { ...result, details: { pith: { denied: true } } } };
    const reason = [{ type: "text", text: "not permitted: no user is available to ask" }] as const;
    expect(formatProgressNote({ ...denied, result: { ...denied.result, content: reason } }, [])).toBe(
      "  bash denied: no user is available to ask",
    );
    expect(formatProgressNote({ ...end, isError: false }, [])).toBeNull();
  });

  test("RUN18 a stopped call is printed with the end of its output, not as a failure", () => {
    const output = `${"line\n".repeat(500)}last line\n\ncommand stopped by the user`;
    const result = {
      role: "toolResult",
      toolCallId: "1",
      toolName: "bash",
      content: [{ type: "text", text: output }],
      details: { pith: { stopped: true } },
      isError: true,
      timestamp: 0,
    } as const;
    const end: AgentEvent = {
      ...started("bash", {}),
      type: "tool_execution_end",
      result,
      isError: true,
      durationMs: 1,
    };
    expect(formatProgressNote(end, [])).toMatch(/^ {2}bash stopped: ….*last line command stopped by the user$/);
  });

  test("PRT9 retries and compactions are printed, with the tokens before and after", () => {
    const retry = { type: "auto_retry_start", attempt: 1, delayMs: 1_200, errorMessage: "overloaded" } as const;
    expect(formatProgressNote(retry as AgentEvent, [])).toBe("· overloaded; retrying in 2 s");
    expect(formatProgressNote({ type: "compaction_start", reason: "threshold" }, [])).toBe(
      "· compacting: the context is full",
    );
    const receipt = { tokens: { before: 90_000, after: 12_000, limit: null }, by: null };
    const compaction = { type: "compacted", id: "c", receipt };
    const ended = { type: "compaction_end", reason: "threshold", aborted: false, willRetry: false };
    expect(formatProgressNote({ ...ended, compaction } as AgentEvent, [])).toBe(
      "  90,000 → 12,000 tokens, summary built without a model",
    );
    const failed = { ...ended, compaction: { type: "failed" }, errorMessage: "the pins alone are too much" };
    expect(formatProgressNote(failed as AgentEvent, [])).toBe("  the pins alone are too much");
  });

  function started(toolName: string, args: Readonly<Record<string, unknown>>) {
    return { type: "tool_execution_start", toolCallId: "1", toolName, args } as const;
  }

  function tool(name: string, intent: Intent): Tool {
    const run = async () => ({ content: [] });
    return { name, description: "", parameters: {}, isIdempotent: true, intent: () => intent, run };
  }
});

describe("totals", () => {
  test("PRT9 requests, tokens and cost are added up, including those of a summary", () => {
    const usage = { ...zeroUsage, input: 900, cacheRead: 100, output: 20, cost: { ...zeroUsage.cost, total: 0.02 } };
    const events = [
      replied({ input: 900, cacheRead: 100, cost: 0.01 }),
      { type: "compaction_end", calls: 2, usage } as AgentEvent,
      { type: "compaction_end", calls: 0 } as AgentEvent,
      { type: "usage", kind: "retry", provider: "p", model: "m", usage: { ...zeroUsage, output: 2 } } as AgentEvent,
      replied({ input: 50, cacheRead: 1_950, cost: 0.005 }),
    ];
    const tally = events.reduce(addEventUsage, emptyTotals);
    expect(tally).toMatchObject({ requests: 5, usage: { input: 1_850, cacheRead: 2_150, output: 62 } });
    expect(formatTotals(tally)).toBe("5 requests, 4.0k tokens in (2.1k from the cache), 62 out, $0.0350");
  });

  test("PRT9 totals without a price leave out the cost", () => {
    expect(formatTotals(addEventUsage(emptyTotals, replied({ input: 7, cacheRead: 0, cost: 0 })))).toBe(
      "1 request, 7 tokens in, 20 out",
    );
    expect(addEventUsage(emptyTotals, { type: "turn_start" })).toBe(emptyTotals);
  });

  function replied({ input, cacheRead, cost }: { input: number; cacheRead: number; cost: number }): AgentEvent {
    const usage = { input, cacheRead, cacheWrite: 0, output: 20, cost: { total: cost } };
    return { type: "message_end", message: { role: "assistant", content: [], usage } } as unknown as AgentEvent;
  }
});

/** Tests compaction/outcome-events.ts: quality findings, compaction events. */

import { compactionLimits, type Finding, type Receipt, type Summarizer } from "@pith/context";
import { describe, expect, test } from "vitest";
import { findQualityIssues } from "../../src/compaction/outcome-events.ts";
import type { AgentEvent, AgentOptions } from "../../src/index.ts";
import {
  createTestAgent,
  type HeldModel,
  heldModel,
  quiet,
  type TestAgent,
  text,
  tooLong,
} from "../support/held-agent.ts";

describe("quality findings", () => {
  const once = { hasSummarizers: true, wasCompactedBefore: false };

  function codes(route: string, findings: readonly Finding[], circumstances = once): readonly string[] {
    return findQualityIssues({ route, findings } as Receipt, circumstances).map(({ code }) => code);
  }

  const failed: Finding = { code: "summarizer-failed", note: "p/m: empty" };
  const mended: Finding = { code: "unfounded", note: "line 2 is made up." };
  const evicted: Finding = { code: "user-messages-hidden", note: "2 messages are no longer shown" };
  const reduced: Finding = { code: "result-reduced", note: "entry:e3 is shortened to its beginning and end" };

  test("EVT4 a good summary has no findings", () => {
    expect(codes("model", [])).toEqual([]);
    expect(codes("model", [reduced])).toEqual([]);
  });

  test("EVT4 distinguishes failed summarizers, repairs and evicted user messages", () => {
    expect(codes("model", [failed, mended, evicted, reduced])).toEqual([
      "repaired",
      "summarizer-failed",
      "user-messages-hidden",
    ]);
    expect(codes("model-free", [failed, evicted])).toEqual(["no-model-summary", "user-messages-hidden"]);
    expect(codes("model-free", [failed], { ...once, hasSummarizers: false })).toEqual(["summarizer-failed"]);
    expect(codes("model", [], { ...once, wasCompactedBefore: true })).toEqual(["compacted-again"]);
  });

  test("EVT4 the note of a summary without a model says why; that of a repaired one says where and how often", () => {
    const noteOf = (route: string, findings: readonly Finding[]) =>
      findQualityIssues({ route, findings } as Receipt, once)[0]?.note;
    expect(noteOf("model-free", [failed])).toContain("The reason: p/m: empty");
    expect(noteOf("model", [mended, mended])).toBe(
      "2 lines of the summary could not be verified. The first: line 2 is made up",
    );
    expect(noteOf("model", [mended])).toBe("1 line of the summary could not be verified: line 2 is made up");
  });

  test("EVT4 a finding that is not about a line keeps its own note", () => {
    const language: Finding = { code: "other-language", note: "The summary is in another language." };
    expect(findQualityIssues({ route: "model", findings: [language] } as unknown as Receipt, once)).toEqual([language]);
  });
});

describe("compaction events", () => {
  const WORDS = "Here is more of it. ".repeat(300);

  /** It fails the first time, and tells a story afterwards. */
  function writer(fails = 0): Summarizer {
    let times = 0;
    return {
      name: "teller",
      isPaid: false,
      summarize: async (plan, { progress }) => {
        progress?.({ step: "asking", model: "anthropic/teller" });
        if (times++ < fails) return { type: "failed", why: "it lost its voice" };
        const covers = new Set(plan.covered.map(({ id }) => id));
        return { type: "written", candidate: { route: "teller", narrative: "## Goal\nWork on.", notes: "", covers } };
      },
    };
  }

  interface Scene extends TestAgent {
    readonly model: HeldModel;
    readonly say: (times: number, words?: string) => Promise<void>;
  }

  async function scene(parts: Partial<AgentOptions> = {}): Promise<Scene> {
    const model = heldModel({ contextWindow: 8_192 });
    const set = await createTestAgent(model, { summarizers: [writer()], ...parts });
    const say = async (times: number, words = WORDS): Promise<void> => {
      for (let at = 0; at < times; at += 1) {
        const end = set.prompt(`${at} ${words}`);
        while (model.waiting.length === 0) await quiet();
        model.waiting[0]?.end(text("Good."));
        await end;
      }
    };
    return { ...set, model, say };
  }

  const of = <Type extends AgentEvent["type"]>({ events }: TestAgent, type: Type) =>
    events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);

  const eventLines = ({ events }: TestAgent): readonly string[] =>
    events.filter(({ type }) => type.startsWith("compaction_")).map((event) => event.type.slice("compaction_".length));

  describe("from its start to its end", () => {
    test("EVT1 reports progress, result, duration and freed tokens", async () => {
      const at = await scene();
      await at.say(8);
      expect(eventLines(at).slice(0, 5)).toEqual(["soft_threshold", "start", "progress", "progress", "end"]);
      const [end] = of(at, "compaction_end");
      expect(end).toMatchObject({ reason: "threshold", aborted: false, willRetry: false, calls: 0 });
      expect(end?.durationMs).toBeGreaterThanOrEqual(0);
      expect(end?.result?.estimatedTokensAfter).toBeLessThan(end?.result?.tokensBefore ?? 0);
      const steps = of(at, "compaction_progress").slice(0, 2);
      expect(steps).toMatchObject([{ step: "planning" }, { step: "asking", model: "anthropic/teller" }]);
    });

    test("EVT2 a failed compaction emits compaction_end and compaction_failed", async () => {
      const at = await scene();
      const end = at.prompt("Begin.");
      let isOver = false;
      void end.then(() => {
        isOver = true;
      });
      while (!isOver) {
        await quiet();
        at.model.waiting[0]?.end(tooLong);
      }
      expect(await end).toMatchObject({ type: "failed" });
      const order = eventLines(at);
      expect(order.slice(-2)).toEqual(["end", "failed"]);
      expect(of(at, "compaction_end").at(-1)).toMatchObject({
        errorMessage: expect.stringContaining("larger window"),
        aborted: false,
      });
      expect(of(at, "compaction_failed")).toMatchObject([{ reason: "overflow", code: "cannot-fit" }]);
    });

    test("EVT7 undo and redo name the compaction, a move names both ends", async () => {
      const at = await scene();
      await at.say(8);
      const end = of(at, "compaction_end").at(-1);
      const compactionId = end?.compaction.type === "compacted" ? end.compaction.id : "";
      await at.agent.undoCompaction();
      await at.agent.undoCompaction("redo");
      expect(of(at, "compaction_undone")).toMatchObject([{ compactionId }]);
      expect(of(at, "compaction_redone")).toMatchObject([{ compactionId, leafId: at.agent.session.leaf }]);
      const oldLeafId = at.agent.session.leaf;
      await at.agent.navigateTree(null);
      expect(of(at, "session_tree")).toEqual([{ type: "session_tree", oldLeafId, newLeafId: at.agent.session.leaf }]);
    });
  });

  describe("a compaction that was not made", () => {
    test("EVT2 FIT4 reports once that compaction is off, and again after it was on", async () => {
      const at = await scene();
      at.agent.setAutoCompactionEnabled(false);
      await at.say(9);
      expect(of(at, "compaction_skipped")).toMatchObject([
        { reason: "threshold", why: "off", note: expect.stringContaining("/compact") },
      ]);
      expect(of(at, "compaction_start")).toEqual([]);
      at.agent.setAutoCompactionEnabled(true);
      await at.say(1);
      at.agent.setAutoCompactionEnabled(false);
      await at.say(6);
      expect(of(at, "compaction_end")).toHaveLength(1);
      expect(of(at, "compaction_skipped")).toHaveLength(2);
    });

    test("EVT2 reports a skip because the last compaction was undone", async () => {
      const at = await scene();
      await at.say(7);
      await at.agent.undoCompaction();
      expect(of(at, "compaction_undone")).toHaveLength(1);
      at.events.length = 0;
      const end = at.prompt("And now?");
      await quiet();
      at.model.waiting[0]?.end(text("Good."));
      await end;
      expect(of(at, "compaction_skipped")).toMatchObject([{ why: "undone" }]);
    });

    test("EVT2 reports why a requested compaction did nothing, also if a hook postponed it", async () => {
      const empty = await scene();
      await empty.agent.compact();
      await empty.agent.compact();
      expect(of(empty, "compaction_skipped").map(({ why }) => why)).toEqual(["empty", "empty"]);
      const at = await scene({ hooks: { session_before_compact: [async () => ({ postpone: true })] } });
      await at.say(20, WORDS.slice(0, 1_500));
      expect(of(at, "compaction_skipped")[0]).toMatchObject({ reason: "threshold", why: "postponed" });
    });
  });

  describe("notices for the user", () => {
    test("EVT4 reports the soft threshold once, and again after each compaction", async () => {
      const at = await scene();
      await at.say(4);
      expect(of(at, "compaction_soft_threshold")).toHaveLength(1);
      const [soft] = of(at, "compaction_soft_threshold");
      expect(soft).toMatchObject({ limit: 6_144, contextWindow: 8_192 });
      expect(soft?.tokens).toBeGreaterThan(6_144 * compactionLimits.soft);
      await at.say(12);
      const ends = of(at, "compaction_end").length;
      expect(ends).toBeGreaterThan(1);
      expect(of(at, "compaction_soft_threshold").length).toBeLessThanOrEqual(ends + 1);
    });

    test("EVT4 reports a summary without a model and an earlier compaction (B84)", async () => {
      const at = await scene({ summarizers: [writer(1)] });
      await at.say(16);
      const findings = of(at, "compaction_quality").map((event) => event.findings);
      expect(findings[0]).toMatchObject([
        { code: "no-model-summary", note: expect.stringContaining("it lost its voice") },
      ]);
      expect(findings[1]?.map(({ code }) => code)).toContain("compacted-again");
      expect(findings.slice(1).flat()).not.toContainEqual(expect.objectContaining({ code: "no-model-summary" }));
    });
  });

  describe("a slow listener", () => {
    const asks = ({ model }: Scene): number => model.requests.length;

    test("EVT6 is awaited before the work continues", async () => {
      let hear = (): void => {};
      const ended = new Promise<void>((resolve) => {
        hear = resolve;
      });
      const at = await scene({ onEvent: ({ type }) => (type === "turn_start" ? ended : undefined) });
      const end = at.prompt("Begin.");
      await quiet();
      expect(asks(at)).toBe(0);
      hear();
      await quiet();
      expect(asks(at)).toBe(1);
      at.model.waiting[0]?.end(text("Here."));
      expect(await end).toEqual({ type: "done" });
    });

    test("EVT6 does not prevent an abort, even if it never resolves", async () => {
      const at = await scene({ onEvent: () => new Promise<void>(() => {}) });
      const end = at.prompt("Begin.");
      await quiet();
      await at.agent.abort();
      expect(await end).toEqual({ type: "aborted" });
    });
  });
});

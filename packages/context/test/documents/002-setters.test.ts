/** Document 002, the methods of its events: what a hook sets counts like what it returns, a returned value wins, and a cancellation is never lost. */

import { expect, test } from "vitest";
import type { MoveToOptions } from "../../src/branches/move.ts";
import type { HookFailure } from "../../src/hooks.ts";
import {
  type CompactionHooks,
  compact,
  moveTo,
  type SessionBeforeCompactEvent,
  type SessionBeforeTreeEvent,
  type TreeHooks,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createSample, sampleLines } from "../support/document-sessions.ts";

type BeforeCompact = NonNullable<CompactionHooks["session_before_compact"]>[number];
type BeforeTree = NonNullable<TreeHooks["session_before_tree"]>[number];

const summaryBy = (summary: string, { preparation }: SessionBeforeCompactEvent) => ({
  summary,
  firstKeptEntryId: preparation.firstKeptEntryId,
  tokensBefore: preparation.tokensBefore,
});

async function compacted(...hooks: readonly BeforeCompact[]) {
  const parts = await createSample(...sampleLines);
  const reported: HookFailure[] = [];
  const report = (failure: HookFailure): void => void reported.push(failure);
  const outcome = await compact({ ...parts, reason: "asked", hooks: { session_before_compact: hooks, report } });
  const entry = outcome.type === "compacted" ? await parts.session.store.entry(outcome.id) : undefined;
  return { type: outcome.type, summary: entry?.type === "compaction" ? entry.summary : "", reported };
}

test("HOOK7 setResult has the same effect as a returned result", async () => {
  const { type, summary } = await compacted(async (event) => {
    await null;
    event.setResult(summaryBy("The schema has nine tables.", event));
  });
  expect([type, summary.includes("The schema has nine tables.")]).toEqual(["compacted", true]);
});

test("HOOK7 a returned value wins over setResult, field by field", async () => {
  const { summary } = await compacted((event) => {
    event.setResult(summaryBy("The schema has nine tables.", event));
    return { compaction: summaryBy("The schema was read whole.", event) };
  });
  expect(summary).toContain("The schema was read whole.");
  expect(summary).not.toContain("nine tables.\n");
  const cancelled = await compacted((event) => {
    event.cancel();
    return { customInstructions: "the indexes" };
  });
  expect(cancelled.type).toBe("cancelled");
  const goesOn = await compacted((event) => {
    event.cancel();
    return { cancel: false };
  });
  expect(goesOn.type).toBe("compacted");
});

test("HOOK7 HOOK2 the value of setResult is checked, and an invalid one is reported", async () => {
  const { type, reported } = await compacted((event) => event.setResult({ ...summaryBy("", event) }));
  expect(type).toBe("compacted");
  expect(reported).toEqual([{ event: "session_before_compact", why: "its summary is empty" }]);
});

test("HOOK7 HOOK4 a summary that a failing hook set is ignored", async () => {
  const { type, summary, reported } = await compacted(
    (event) => {
      event.setResult(summaryBy("The schema has nine tables.", event));
      throw new Error("no luck");
    },
    (event) => void event.branchEntries,
  );
  expect([type, reported]).toEqual(["compacted", [{ event: "session_before_compact", why: "no luck" }]]);
  expect(summary).not.toContain("nine tables.\n");
});

test.each<[string, () => ReturnType<BeforeCompact>]>([
  ["an undefined field", () => ({ cancel: undefined }) as never],
  ["a field that is null", () => ({ cancel: null }) as never],
  ["true", () => true as never],
  ["a text", () => "done" as never],
  ["an empty object", () => ({})],
])("HOOK7 cancel() applies if the hook returns %s", async (_, returned) => {
  const { type, reported } = await compacted((event) => {
    event.cancel();
    return returned();
  });
  expect([type, reported]).toEqual(["cancelled", []]);
});

test("HOOK7 setResult applies if the hook returns undefined for the same field", async () => {
  const { summary } = await compacted((event) => {
    event.setResult(summaryBy("The schema has nine tables.", event));
    return { compaction: undefined } as never;
  });
  expect(summary).toContain("The schema has nine tables.");
});

const failing: readonly [string, () => ReturnType<BeforeCompact>, string][] = [
  ["throws", () => Promise.reject(new Error("no luck")), "no luck"],
  ["hangs", () => new Promise<never>(() => {}), "no answer within 30 s"],
  ["returns what cannot be read", () => unreadable(), "not for you"],
];

function unreadable(): ReturnType<BeforeCompact> {
  return {
    get cancel(): never {
      throw new Error("not for you");
    },
  };
}

test.each(failing)("HOOK7 HOOK4 cancel() applies if the hook %s afterwards, which is reported", async (_, end, why) => {
  let callCount = 0;
  const { type, reported } = await compacted(
    (event) => {
      event.cancel();
      return end();
    },
    () => void callCount++,
  );
  expect([type, reported, callCount]).toEqual(["cancelled", [{ event: "session_before_compact", why }], 0]);
});

test("HOOK4 a result that cannot be read is reported and does not cancel", async () => {
  const { type, reported } = await compacted(unreadable);
  expect([type, reported]).toEqual(["compacted", [{ event: "session_before_compact", why: "not for you" }]]);
});

test("HOOK7 a returned cancel: false takes cancel() back, even if the rest of the result is invalid", async () => {
  const { type, reported } = await compacted((event) => {
    event.cancel();
    return { cancel: false, compaction: summaryBy("", event) };
  });
  expect([type, reported.length]).toEqual(["compacted", 1]);
});

const branches = [...sampleLines, "moves: e4", "user: drop a table", "says: dropped"];

async function moved(hook: BeforeTree, parts: Partial<MoveToOptions> = {}) {
  const scene = await createSample(...branches);
  const reported: HookFailure[] = [];
  const report = (failure: HookFailure): void => void reported.push(failure);
  const hooks = { session_before_tree: [hook], report };
  return { outcome: await moveTo({ ...scene, target: "e6", hooks, ...parts }), reported };
}

test("HOOK7 cancel() on session_before_tree prevents the move", async () => {
  const { outcome } = await moved((event) => event.cancel());
  expect(outcome).toEqual({ type: "cancelled" });
});

test.each<[string, BeforeTree]>([
  [
    "the hook throws afterwards",
    (event) => {
      event.cancel();
      throw new Error("no luck");
    },
  ],
  ["it is returned beside a summary that is empty", () => ({ cancel: true, summary: { summary: "" } })],
])("HOOK7 HOOK4 a cancelled move is not made if %s", async (_, hook) => {
  const { outcome, reported } = await moved(hook);
  expect(outcome).toEqual({ type: "cancelled" });
  expect(reported).toHaveLength(1);
});

const record = `## Goal
- drop a table [#8]

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] dropped [#9]

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. (none)`;

const onBeforeTree = (event: SessionBeforeTreeEvent): void => {
  event.setSummarize(true);
  event.setCustomInstructions("Focus on API contract changes");
  event.setReplaceInstructions(false);
};

test("HOOK7 HOOK8 a hook can request a summary with instructions that the user did not request", async () => {
  const model = scriptedModel(record);
  const { outcome } = await moved(onBeforeTree, { summaryForHooks: { models: [model] } });
  expect(outcome).toMatchObject({ type: "moved", summary: { fromId: "e9" } });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Additional focus: Focus on API contract changes");
});

test("HOOK8 a hook can drop the summary that the user requested", async () => {
  const model = scriptedModel();
  const { outcome } = await moved((event) => event.setSummarize(false), { summary: { models: [model] } });
  expect(outcome).toMatchObject({ type: "moved" });
  expect([outcome.type === "moved" && outcome.summary, model.requests.length]).toEqual([undefined, 0]);
});

test("HOOK8 a hook's request for a summary without a model is reported, and the move is made", async () => {
  const { outcome, reported } = await moved(() => ({ summarize: true }));
  expect(outcome).toMatchObject({ type: "moved" });
  const why = "it requests a summary, but no model is available to write one";
  expect(reported).toEqual([{ event: "session_before_tree", why }]);
});

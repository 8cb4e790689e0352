/** Tests that a compaction reads a long session in slices: how much it reads between two pauses, and not how long that takes. */

import { expect, test } from "vitest";
import { choosePlanInSteps } from "../../src/compaction/choose-plan.ts";
import { type CompactionPlan, planWithLevel } from "../../src/compaction/plan.ts";
import { measureWithPauses } from "../../src/context/context-size.ts";
import type { Entry } from "../../src/entry.ts";
import { runWithPauses } from "../../src/event-loop.ts";
import { type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { createSummaryDesign, defaultParts } from "../../src/summary-parts/default-parts.ts";
import { smallBudget } from "../support/small-session.ts";

const TURNS = 300;
const RESULT_CHARS = 4_000;

/** A branch of 1.5 MB. `onFirstRead` is called when the result of a tool is read for the first time. */
function longBranch(onFirstRead: () => void = () => undefined): LoadedBranch {
  const entries: Entry[] = [];
  const add = (message: object): void => {
    const id = `e${entries.length + 1}`;
    entries.push({ type: "message", id, parentId: entries.at(-1)?.id ?? null, timestamp: "", message } as Entry);
  };
  for (let turn = 0; turn < TURNS; turn++) {
    const call = { type: "toolCall", id: `call-${turn}`, name: "read", arguments: { path: `src/${turn}.ts` } };
    const text = `const file${turn} = "some code";\n`.repeat(RESULT_CHARS / 30);
    let wasRead = false;
    add({ role: "user", content: `Please look at file ${turn}. ${"It is long. ".repeat(80)}`, timestamp: turn });
    add({ role: "assistant", content: [call], stopReason: "toolUse", timestamp: turn });
    add({
      role: "toolResult",
      toolCallId: call.id,
      toolName: "read",
      get content() {
        if (!wasRead) onFirstRead();
        wasRead = true;
        return [{ type: "text", text }];
      },
      isError: false,
      timestamp: turn,
    });
    const reply = `File ${turn} is fine. ${"Nothing is wrong. ".repeat(20)}`;
    add({ role: "assistant", content: [{ type: "text", text: reply }], stopReason: "stop", timestamp: turn });
  }
  return loadBranch(entries);
}

/** Counts the results that are read for the first time between two pauses. */
class SliceMeter {
  readonly slices: number[] = [0];
  readonly onFirstRead = (): void => {
    this.slices.push((this.slices.pop() ?? 0) + 1);
  };
  readonly runtime = {
    sleep: async (): Promise<void> => {
      this.slices.push(0);
    },
  };
}

const MAX_RESULTS_PER_SLICE = 60;

test.each([
  ["measuring a branch", (branch: LoadedBranch, { runtime }: SliceMeter) => measureWithPauses(branch, runtime)],
  [
    "planning a compaction",
    (branch: LoadedBranch, { runtime }: SliceMeter) =>
      runWithPauses(
        choosePlanInSteps(branch, { budget: smallBudget(), design: createSummaryDesign(), reason: "due" }),
        runtime,
      ),
  ],
])("PREP7 %s reads its entries in slices", async (_, run) => {
  const meter = new SliceMeter();
  await run(longBranch(meter.onFirstRead), meter);
  expect(meter.slices.reduce((sum, count) => sum + count, 0)).toBe(TURNS);
  expect(Math.max(...meter.slices)).toBeLessThanOrEqual(MAX_RESULTS_PER_SLICE);
});

test("PREP7 measuring pauses neither in a short branch nor before the first entry", async () => {
  const meter = new SliceMeter();
  await measureWithPauses(loadBranch(longBranch(meter.onFirstRead).entries.slice(0, 8)), meter.runtime);
  expect(meter.slices).toEqual([2]);
});

test.each(
  defaultParts.flatMap(({ kind, collect, collectInSteps }) =>
    collectInSteps ? [{ kind, collect, collectInSteps }] : [],
  ),
)("PREP7 the part $kind is collected in many steps with the same result", ({ collect, collectInSteps }) => {
  const steps = collectInSteps(planLongBranch());
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count += 1;
  expect(count).toBeGreaterThan(5);
  expect(step.value).toEqual(collect(planLongBranch()));
});

function planLongBranch(): CompactionPlan {
  const { describeImages } = createSummaryDesign();
  const planned = planWithLevel(longBranch(), { budget: smallBudget(), describeImages });
  if (planned.type !== "planned") throw new Error(`no plan: ${planned.type}`);
  return planned.plan;
}

test("PREP7 the parts that read the covered entries are collected in steps", () => {
  const kinds = defaultParts.flatMap(({ kind, collectInSteps }) => (collectInSteps ? [kind] : []));
  expect(kinds).toEqual(["words", "ledger"]);
});

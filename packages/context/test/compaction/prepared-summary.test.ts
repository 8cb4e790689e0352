/** Tests when a prepared summary is used by a compaction: after edits, and when a message arrives in the last moment. */

import { expect, test } from "vitest";
import type { Summarizer } from "../../src/compaction/plan.ts";
import type { PreparedSummary } from "../../src/compaction/prepared-summary.ts";
import { prepareSummary } from "../../src/default-compaction.ts";
import { COMPACTION_USAGE } from "../../src/entry.ts";
import type { Runtime } from "../../src/runtime.ts";
import { Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "./small-session.ts";

const talk = ["user: one", `says: ${repeatWord(500)}`, `says: ${repeatWord(400)}`, "user: two"];

/** Writes a summary without a model and counts how often it is asked. */
function createSummarizer(): Summarizer & { readonly count: () => number } {
  let count = 0;
  return {
    route: "own",
    isPaid: true,
    count: () => count,
    summarize: ({ covered }) => {
      count += 1;
      const covers = new Set(covered.map(({ id }) => id));
      const candidate = {
        route: "own",
        narrative: `story ${count}`,
        notes: "",
        covers,
        calls: [{ usage: emptyUsage }],
      };
      return { type: "written", candidate };
    },
  };
}

async function prepare(session: Session, ...summarizers: readonly Summarizer[]): Promise<PreparedSummary> {
  const options = { session, budget: smallBudget(), reason: "due", runtime: testRuntime("p") } as const;
  const result = await prepareSummary({ ...options, summarizers });
  if (result.type !== "prepared") throw new Error(`it was not prepared: ${result.why}`);
  return result.summary;
}

const DROPPED = {
  code: "prepared-dropped",
  note: "a summary prepared in the background was not used: the entries that it summarizes have changed",
};

test("PREP2 after an edit of what it covers, a prepared summary is not used, and a new one is written", async () => {
  const session = await createSession(...talk);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  await session.append({ type: "context_edit", targetId: "e2", replacement: { content: "shortened by the user" } });
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [own] });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { findings: expect.arrayContaining([DROPPED]) } });
  expect(outcome).not.toHaveProperty("receipt.preparedMs");
  expect(contextLines(session)[0]).toContain("story 2");
});

test("PREP2 an edit of a kept entry, or a message after it, does not drop a prepared summary", async () => {
  const session = await createSession(...talk);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  await session.append({ type: "context_edit", targetId: "e4", replacement: { content: "two, edited" } });
  await session.addUserMessage("three");
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [own] });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { preparedMs: expect.any(Number) } });
  expect(contextLines(session).map((line) => line.slice(0, 60))).toEqual([
    expect.stringContaining("summary"),
    "1 user      two, edited",
    "2 user      three",
  ]);
  expect(contextLines(session)[0]).toContain("story 1");
});

/** A runtime with which a message is queued while the last batch is built, after the hooks have run. */
function createLateMessage(session: Session): {
  readonly runtime: Runtime;
  readonly hooks: { readonly session_before_compact: readonly [() => undefined] };
} {
  const base = testRuntime("c");
  let state: "waiting" | "hooked" | "sent" = "waiting";
  const before = (): undefined => {
    if (state === "waiting") state = "hooked";
  };
  const entryId = (): string => {
    if (state === "hooked") {
      state = "sent";
      void session.addUserMessage("queued in the last moment");
    }
    return base.entryId();
  };
  return { hooks: { session_before_compact: [before] }, runtime: { ...base, entryId } };
}

test("PREP2 a message that arrives in the last moment is kept, and the prepared summary is used all the same", async () => {
  const session = await createSession(...talk);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  const outcome = await compactSmall(session, {
    reason: "due",
    prepared,
    summarizers: [own],
    ...createLateMessage(session),
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { preparedMs: expect.any(Number) } });
  expect(own.count()).toBe(1);
  expect(contextLines(session).at(-1)).toContain("queued in the last moment");
});

test("PREP2 CMP3 if the prepared summary was dropped, no second one is paid for: the compaction fails, and its usage is in the log", async () => {
  const session = await createSession(...talk);
  const prepared = await prepare(session, createSummarizer());
  await session.append({ type: "context_edit", targetId: "e2", replacement: null });
  const own = createSummarizer();
  const outcome = await compactSmall(session, {
    reason: "due",
    prepared,
    summarizers: [own],
    ...createLateMessage(session),
  });
  expect(outcome).toEqual({ type: "failed", why: "leaf-moved", findings: [DROPPED] });
  expect(own.count()).toBe(1);
  const usages = session.branch.entries.filter((entry) => entry.type === "usage" && entry.kind === COMPACTION_USAGE);
  expect(usages).toHaveLength(1);
  expect(contextLines(session).at(-1)).toContain("queued in the last moment");
});

test("PREP3 after a restart, a saved summary is used although a kept entry was edited", async () => {
  const session = await createSession(...talk);
  const own = createSummarizer();
  const saved = JSON.stringify(await prepare(session, own));
  await session.append({ type: "context_edit", targetId: "e4", replacement: { content: "two, edited" } });
  const options = { session, budget: smallBudget(), reason: "due", runtime: testRuntime("r") } as const;
  expect(await prepareSummary({ ...options, summarizers: [own], saved })).toMatchObject({ type: "prepared" });
  await session.append({ type: "context_edit", targetId: "e2", replacement: { content: "one, edited" } });
  expect(await prepareSummary({ ...options, summarizers: [own], saved })).toMatchObject({ type: "not-prepared" });
});

test("PREP3 a saved summary contains no secret of an error that a summarizer reported before", async () => {
  const { store } = await createSession(...talk);
  const redact = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll("swordfish", "[secret]")) as Value;
  const session = await Session.open(store, testRuntime("s"), { redaction: { redact } });
  const failing: Summarizer = {
    route: "first",
    isPaid: true,
    summarize: () => ({ type: "failed", why: "the key swordfish is not valid" }),
  };
  const saved = JSON.stringify(await prepare(session, failing, createSummarizer()));
  expect(saved).toContain("the key [secret] is not valid");
  expect(saved).not.toContain("swordfish");
});

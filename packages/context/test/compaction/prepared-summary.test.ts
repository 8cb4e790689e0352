/** Tests when a prepared summary is used by a compaction: after edits, after a restart, and when a message arrives in the last moment. */

import { expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import type { Summarizer, SummaryCandidate } from "../../src/compaction/plan.ts";
import type { PreparedSummary } from "../../src/compaction/prepared-summary.ts";
import { prepareSummary } from "../../src/default-compaction.ts";
import { COMPACTION_USAGE } from "../../src/entry.ts";
import type { Usage } from "../../src/message.ts";
import { Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import {
  compactSmall,
  contextLines,
  createSession,
  repeatWord,
  smallBudget,
  smallLimits,
} from "../support/small-session.ts";

const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "another" };

const lines = ["user: one", `says: ${repeatWord(500)}`, `says: ${repeatWord(400)}`, "user: two"];

/** Writes a summary without a model and counts how often it is asked. */
function createSummarizer(parts: Partial<SummaryCandidate> = {}): Summarizer & { readonly count: () => number } {
  let count = 0;
  return {
    name: "own",
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
        ...parts,
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
  const session = await createSession(...lines);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  await session.append({ type: "context_edit", targetId: "e2", replacement: { content: "shortened by the user" } });
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [own] });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { findings: expect.arrayContaining([DROPPED]) } });
  expect(outcome).not.toHaveProperty("receipt.preparedMs");
  expect(contextLines(session)[0]).toContain("story 2");
});

test("PREP2 an edit of a kept entry, or a message after it, does not drop a prepared summary", async () => {
  const session = await createSession(...lines);
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

/** Queues a message just before the session appends the first batch. */
function queueBeforeAppend(session: Session): void {
  const appendAtLeaf = session.appendAtLeaf.bind(session);
  session.appendAtLeaf = (...batch) => {
    session.appendAtLeaf = appendAtLeaf;
    void session.addUserMessage("queued in the last moment");
    return appendAtLeaf(...batch);
  };
}

test("PREP2 a message that arrives just before the batch is kept, and the prepared summary is still used", async () => {
  const session = await createSession(...lines);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  queueBeforeAppend(session);
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [own] });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { preparedMs: expect.any(Number) } });
  expect(own.count()).toBe(1);
  expect(contextLines(session).at(-1)).toContain("queued in the last moment");
});

test("PREP2 CMP3 if the prepared summary was dropped, no second one is paid for: the compaction fails, and its usage is in the log", async () => {
  const session = await createSession(...lines);
  const prepared = await prepare(session, createSummarizer());
  await session.append({ type: "context_edit", targetId: "e2", replacement: null });
  const own = createSummarizer();
  queueBeforeAppend(session);
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [own] });
  expect(outcome).toEqual({ type: "failed", why: "leaf-moved", findings: [DROPPED] });
  expect(own.count()).toBe(1);
  const usages = session.branch.entries.filter((entry) => entry.type === "usage" && entry.kind === COMPACTION_USAGE);
  expect(usages).toHaveLength(1);
  expect(contextLines(session).at(-1)).toContain("queued in the last moment");
});

test("PREP5 CMP3 if a compaction is stopped before its batch is written, the cost of its prepared summary is not recorded again", async () => {
  const session = await createSession(...lines);
  const prepared = await prepare(session, createSummarizer());
  const before = session.branch.entries;
  const stop = new AbortController();
  const base = testRuntime("c");
  const stopOnce = (): string => {
    stop.abort();
    return base.entryId();
  };
  // The id of the compaction is chosen when its batch is built.
  const runtime = { ...base, entryId: stopOnce };
  const outcome = await compactSmall(session, { reason: "due", prepared, runtime, signal: stop.signal });
  expect(outcome).toEqual({ type: "cancelled" });
  expect(session.branch.entries).toEqual(before);
});

test("PREP2 a prepared summary is not used if so much was added after it that little would be free, and a new one is written", async () => {
  const session = await createSession(...lines);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  // Each message is too small to be shortened.
  for (let count = 0; count < 40; count += 1) await session.addUserMessage(repeatWord(10));
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [own] });
  const note = "a summary prepared in the background was not used: too much was added after it";
  expect(outcome).toMatchObject({
    type: "compacted",
    receipt: { findings: expect.arrayContaining([{ code: "prepared-dropped", note }]) },
  });
  expect(contextLines(session)[0]).toContain("story 2");
});

test("PREP2 HOOK2 a prepared summary is not used if a hook asks for another focus, and a new one with this focus is written", async () => {
  const session = await createSession(...lines);
  const own = createSummarizer();
  const prepared = await prepare(session, own);
  const requested: (string | undefined)[] = [];
  const recording: Summarizer = {
    ...own,
    summarize: (plan, options) => {
      requested.push(options.instructions);
      return own.summarize(plan, options);
    },
  };
  const hooks = { session_before_compact: [() => ({ customInstructions: "Mind the tests." })] };
  const outcome = await compactSmall(session, { reason: "due", prepared, summarizers: [recording], hooks });
  const note = "a summary prepared in the background was not used: a hook changed what the summary should say";
  expect(outcome).toMatchObject({
    type: "compacted",
    receipt: { findings: expect.arrayContaining([{ code: "prepared-dropped", note }]) },
  });
  expect(requested).toEqual(["Mind the tests."]);
  expect(contextLines(session)[0]).toContain("story 2");
});

test("PREP3 after a restart, a saved summary is used although a kept entry was edited", async () => {
  const session = await createSession(...lines);
  const own = createSummarizer();
  const saved = JSON.stringify(await prepare(session, own));
  await session.append({ type: "context_edit", targetId: "e4", replacement: { content: "two, edited" } });
  const options = { session, budget: smallBudget(), reason: "due", runtime: testRuntime("r") } as const;
  expect(await prepareSummary({ ...options, summarizers: [own], saved })).toMatchObject({ type: "prepared" });
  await session.append({ type: "context_edit", targetId: "e2", replacement: { content: "one, edited" } });
  expect(await prepareSummary({ ...options, summarizers: [own], saved })).toMatchObject({ type: "not-prepared" });
});

test.each([
  ["window", { budget: smallBudget({}, 2_100) }],
  ["model", { budget: createBudget(smallLimits, { contextWindow: 2_000, model: MODEL }) }],
  ["limit", { budget: smallBudget({ thresholds: [{ tokens: 1_400 }] }) }],
  ["tail", { budget: smallBudget({ tail: { tokens: 70, share: 1 } }) }],
  ["size of the summary", { budget: smallBudget({ checkpoint: { tokens: 500, share: 1 } }) }],
  ["size of the user's messages", { budget: smallBudget({ userMessages: { tokens: 300, share: 1 } }) }],
  ["focus", { instructions: "Mind the tests." }],
])("PREP3 after a restart, a saved summary is not used with another %s", async (_, changes) => {
  const session = await createSession(...lines);
  const own = createSummarizer();
  const saved = JSON.stringify(await prepare(session, own));
  const options = { session, budget: smallBudget(), reason: "due", runtime: testRuntime("r"), saved } as const;
  expect(await prepareSummary(options)).toMatchObject({ type: "prepared" });
  expect(await prepareSummary({ ...options, ...changes })).toMatchObject({ type: "not-prepared" });
});

test("PREP5 after a restart, the receipt has the calls, the cost and the errors of the attempts that failed before", async () => {
  const session = await createSession(...lines);
  const failing: Summarizer = {
    name: "first",
    isPaid: true,
    summarize: () => ({ type: "failed", why: "the reply was cut off", calls: [{ usage: paidUsage(0.5) }] }),
  };
  const own = createSummarizer({ calls: [{ usage: paidUsage(0.25) }] });
  const saved = JSON.stringify(await prepare(session, failing, own));
  const options = { session, budget: smallBudget(), reason: "due", runtime: testRuntime("r") } as const;
  const restored = await prepareSummary({ ...options, saved });
  const prepared = restored.type === "prepared" ? restored.summary : null;
  const outcome = await compactSmall(session, { reason: "due", prepared: Promise.resolve(prepared) });
  expect(outcome).toMatchObject({
    type: "compacted",
    receipt: {
      route: "own",
      calls: 2,
      cost: 0.75,
      findings: expect.arrayContaining([{ code: "summarizer-failed", note: "first: the reply was cut off" }]),
    },
  });
});

function paidUsage(total: number): Usage {
  return { ...emptyUsage, cost: { ...emptyUsage.cost, total } };
}

test("PREP3 a saved summary contains no secret of an error that a summarizer reported before", async () => {
  const session = await createRedactedSession();
  const failing: Summarizer = {
    name: "first",
    isPaid: true,
    summarize: () => ({ type: "failed", why: "the key swordfish is not valid" }),
  };
  const saved = JSON.stringify(await prepare(session, failing, createSummarizer()));
  expect(saved).toContain("the key [secret] is not valid");
  expect(saved).not.toContain("swordfish");
});

test.each<[string, Partial<SummaryCandidate>]>([
  ["text", { narrative: "the key swordfish is old" }],
  ["list of turns", { notes: "the key swordfish is old" }],
  ["details", { details: { login: { note: "the key swordfish is old" } } }],
  ["findings", { findings: [{ code: "reply-unused", note: "the key swordfish is old" }] }],
])("PREP3 a saved summary contains no secret in its %s", async (_, parts) => {
  const saved = JSON.stringify(await prepare(await createRedactedSession(), createSummarizer(parts)));
  expect(saved).toContain("the key [secret] is old");
  expect(saved).not.toContain("swordfish");
});

/** A session that redacts one word. */
async function createRedactedSession(): Promise<Session> {
  const { store } = await createSession(...lines);
  const redact = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll("swordfish", "[secret]")) as Value;
  return Session.open(store, testRuntime("s"), { redaction: { redact } });
}

/** Proves what hooks may say before a compaction, that all of it is checked, and that none of them can spoil it. */

import { describe, expect, test } from "vitest";
import type { Compaction, CompactParts } from "../../../src/compaction/compact.ts";
import { due } from "../../../src/compaction/due.ts";
import type {
  CompactionHooks,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
} from "../../../src/compaction/hooks/events.ts";
import { preparationOf } from "../../../src/compaction/hooks/preparation.ts";
import { type Plan, prepareCompaction } from "../../../src/compaction/planning/plan.ts";
import type { Reason } from "../../../src/compaction/receipt.ts";
import type { Writer } from "../../../src/compaction/writing/candidate.ts";
import type { HookFailure } from "../../../src/hook.ts";
import { Session } from "../../../src/session/session.ts";
import { nothingUsed } from "../../../src/testing/story.ts";
import { testPorts } from "../../../src/testing/test-ports.ts";
import { compactSmall, seenBy, sessionOf, smallBudget, words } from "../small-session.ts";

const talk = ["user: one", `says: ${words(900)}`, "user: two", "calls: read path=a.ts", "result: text", "user: three"];

type BeforeCompact = NonNullable<CompactionHooks["session_before_compact"]>[number];

interface Acted {
  readonly session: Session;
  readonly outcome: Compaction;
  readonly reported: readonly HookFailure[];
}

/** The session compacted with these hooks, and what was reported of them. */
async function acted(
  hooks: readonly BeforeCompact[],
  parts: Partial<CompactParts> = {},
  given?: Session,
): Promise<Acted> {
  const session = given ?? (await sessionOf(...talk));
  const reported: HookFailure[] = [];
  const host = { report: (failure: HookFailure) => void reported.push(failure), ...parts.hooks };
  const outcome = await compactSmall(session, { ...parts, hooks: { ...host, session_before_compact: hooks } });
  return { session, outcome, reported };
}

const saying =
  (result: SessionBeforeCompactResult): BeforeCompact =>
  () =>
    result;
const summary = (text: string, firstKeptEntryId = "e6") => saying({ compaction: { summary: text, firstKeptEntryId } });
const bytesOf = async (session: Session): Promise<string> => JSON.stringify(await session.branch());

describe("what they are told", () => {
  test("HOOK1 B73 the plan, the loaded end of the branch, the user's instructions, why", async () => {
    const session = await sessionOf(...talk);
    const prepared = prepareCompaction(session.window, smallBudget());
    const stop = new AbortController();
    const told: SessionBeforeCompactEvent[] = [];
    const hook: BeforeCompact = (event) => void told.push(event);
    await acted([hook], { instructions: " the tests ", signal: stop.signal }, session);
    expect(told).toStrictEqual([
      {
        type: "session_before_compact",
        preparation: preparationOf((prepared as { readonly plan: Plan }).plan),
        branchEntries: (await session.branch()).slice(0, 6),
        customInstructions: "the tests",
        signal: stop.signal,
        reason: "manual",
        willRetry: false,
      },
    ]);
  });

  test.each<[Reason, object]>([
    ["asked", { reason: "manual", willRetry: false }],
    ["due", { reason: "threshold", willRetry: false }],
    ["overflow", { reason: "overflow", willRetry: true }],
    ["model-switch", { reason: "threshold", willRetry: false }],
  ])("HOOK1 c1 a compaction that is %s, in the documents' words", async (reason, occurrence) => {
    const told: object[] = [];
    await acted([({ reason, willRetry }) => void told.push({ reason, willRetry })], { reason });
    expect(told).toStrictEqual([occurrence]);
  });

  test("HOOK1 without instructions there is none, and the signal is one that nobody aborts", async () => {
    const told: object[] = [];
    await acted([(event) => void told.push({ aborted: event.signal.aborted, has: "customInstructions" in event })]);
    expect(told).toStrictEqual([{ aborted: false, has: false }]);
  });

  test("HOOK1 HOOK4 all of it is a copy: what a hook does to it changes neither the session nor what the next one hears", async () => {
    const session = await sessionOf(...talk);
    const before = await bytesOf(session);
    const told: string[] = [];
    const spoiling: BeforeCompact = ({ preparation, branchEntries }) => {
      told.push(JSON.stringify({ preparation, branchEntries }));
      for (const entry of branchEntries)
        Object.assign(entry, { type: "message", message: { role: "user", content: "mine" } });
      for (const message of preparation.messagesToSummarize) Object.assign(message, { content: "mine" });
      branchEntries.length = 0;
    };
    await acted([spoiling, spoiling, saying({ cancel: true })], {}, session);
    expect(await bytesOf(session)).toBe(before);
    expect(session.window.entries).toStrictEqual(JSON.parse(before));
    expect(told[1]).toBe(told[0]);
  });
});

describe("what they may say", () => {
  test.each<[string, SessionBeforeCompactResult]>([
    ["alone", { cancel: true }],
    ["beside a summary", { cancel: true, compaction: { summary: "x", firstKeptEntryId: "e6" } }],
    ["beside nonsense", { cancel: true, compaction: { summary: "", firstKeptEntryId: "e99" } }],
    ["beside a wish to wait", { cancel: true, postpone: true }],
  ])("HOOK1 cancel, %s: nobody else is asked, nothing is written, nothing is wrong", async (_, result) => {
    let asked = 0;
    const later: BeforeCompact = () => void asked++;
    const { session, outcome, reported } = await acted([summary("mine"), saying(result), later], { reason: "due" });
    expect({ outcome, asked, reported }).toStrictEqual({ outcome: { type: "cancelled" }, asked: 0, reported: [] });
    expect(await session.branch()).toHaveLength(talk.length);
  });

  test("HOOK1 of several summaries the last holds", async () => {
    const { session, outcome } = await acted([
      summary("First story."),
      summary("Second story.", "e3"),
      () => undefined,
    ]);
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "hook", kept: { first: "e3" }, findings: [] },
    });
    expect(seenBy(session)[0]).toContain("Second story.");
    expect(seenBy(session)[0]).not.toContain("First story.");
  });

  test("HOOK1 what they want looked at joins what the user wants", async () => {
    const heard: (string | undefined)[] = [];
    const listening: Writer = {
      route: "listening",
      isPaid: false,
      write: (_, { instructions }) => {
        heard.push(instructions);
        return { type: "nothing" };
      },
    };
    const wishes = [
      saying({ customInstructions: " the tests " }),
      saying({ customInstructions: "  " }),
      saying({ customInstructions: 7 as never }),
      saying({ customInstructions: "the types" }),
    ];
    await acted(wishes, { writers: [listening], instructions: "the bugs\n" });
    await acted([], { writers: [listening] });
    expect(heard).toStrictEqual(["the bugs\nthe tests\nthe types", undefined]);
  });

  test("HOOK1 a summary of a hook's own needs no other writer", async () => {
    let asked = 0;
    const counting: Writer = { route: "counting", isPaid: false, write: () => ({ type: "failed", why: `${asked++}` }) };
    expect(await acted([summary("Mine.")], { writers: [counting] })).toMatchObject({
      outcome: { receipt: { route: "hook" } },
    });
    expect(asked).toBe(0);
  });
});

describe("what they bring is checked", () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const brought = (compaction: object) =>
    saying({ compaction: { summary: "mine", firstKeptEntryId: "e6", ...compaction } });

  test.each<[string, BeforeCompact, string]>([
    ["a wrong id", brought({ firstKeptEntryId: "e99" }), "nothing can be cut at e99"],
    ["a tool result as the first that is kept", brought({ firstKeptEntryId: "e5" }), "nothing can be cut at e5"],
    ["an empty summary", brought({ summary: " \n" }), "its summary is empty"],
    ["a summary that is no text", brought({ summary: 7 }), "its summary is empty"],
    ["absurd details", brought({ details: ring }), "its details are no JSON of at most 262144 letters"],
  ])("HOOK2 HOOK4 %s: it is reported, code writes, and the receipt says so", async (_, hook, why) => {
    const { session, outcome, reported } = await acted([hook]);
    expect(reported).toStrictEqual([{ event: "session_before_compact", why }]);
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "model-free", findings: [{ code: "hook-failed", note: why }] },
    });
    expect(seenBy(session)[0]).not.toContain("mine");
  });

  test("HOOK2 of several summaries the last that makes sense holds", async () => {
    const { outcome, reported } = await acted([summary("Mine."), summary("Mine too.", "e99")]);
    expect(outcome).toMatchObject({ receipt: { route: "hook", findings: [{ code: "hook-failed" }] } });
    expect(reported).toHaveLength(1);
  });

  test("HOOK2 one that is too long is not used; what it cost is known all the same", async () => {
    const usage = { ...nothingUsed, cost: { ...nothingUsed.cost, total: 0.5 } };
    const { outcome, reported } = await acted([brought({ summary: words(900), usage })]);
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "model-free", calls: 1, cost: 0.5, findings: [{ code: "too-long" }] },
    });
    expect(reported).toStrictEqual([]);
  });
});

describe("one that fails", () => {
  const failing: readonly [string, BeforeCompact, string][] = [
    ["throws", () => Promise.reject<never>(new Error("no")), "no"],
    ["hangs", () => new Promise<never>(() => {}), "no answer within 30 s"],
    ["brings nonsense", summary(""), "its summary is empty"],
  ];

  test.each(failing)("HOOK4 because it %s is reported once, and the act goes on", async (_, hook, why) => {
    const { outcome, reported } = await acted([hook, summary("Mine.")]);
    expect(reported).toStrictEqual([{ event: "session_before_compact", why }]);
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "hook", findings: [{ code: "hook-failed", note: why }] },
    });
  });

  test.each(failing)("HOOK4 because it %s cancels the act where the host wants that", async (_, hook, why) => {
    let asked = 0;
    const later: BeforeCompact = () => void asked++;
    const reported: HookFailure[] = [];
    const hooks = { onFailure: "cancel" as const, report: (failure: HookFailure) => void reported.push(failure) };
    const { session, outcome } = await acted([hook, later], { hooks });
    expect({ outcome, asked, reported }).toStrictEqual({
      outcome: { type: "cancelled" },
      asked: 0,
      reported: [{ event: "session_before_compact", why }],
    });
    expect(await session.branch()).toHaveLength(talk.length);
  });

  test.each<[string, BeforeCompact]>([
    ["throws a book", () => Promise.reject<never>(new Error("x".repeat(40_000_000)))],
    ["names a book", summary("mine", "x".repeat(40_000_000))],
  ])("HOOK4 one that %s does not fill the log", async (_, hook) => {
    const { session, outcome } = await acted([hook]);
    expect(outcome.type).toBe("compacted");
    expect((await bytesOf(session)).length).toBeLessThan(30_000);
  });

  test.each([[7], ["yes"], [true], [[]], [{ cancel: "yes", postpone: 1 }]])(
    "HOOK4 an answer like %j says nothing",
    async (answer) => {
      const { outcome, reported } = await acted([() => answer as never]);
      expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free", findings: [] } });
      expect(reported).toStrictEqual([]);
    },
  );

  test("HOOK4 one that is aborted is not waited for, and nothing is written", async () => {
    const stop = new AbortController();
    const hook: BeforeCompact = ({ signal }) => {
      stop.abort();
      expect(signal.aborted).toBe(true);
      return new Promise<never>(() => {});
    };
    const { session, outcome, reported } = await acted([hook], { signal: stop.signal });
    expect({ outcome, reported }).toStrictEqual({ outcome: { type: "cancelled" }, reported: [] });
    expect(await session.branch()).toHaveLength(talk.length);
  });
});

describe("one that wants to wait", () => {
  const waiting = saying({ postpone: true });
  const budget = smallBudget({ thresholds: [{ tokens: 1_000 }] });
  const full = ["user: one", `says: ${words(550)}`, "user: two"];
  const more = (session: Session) =>
    session.append({ type: "custom_message", customType: "note", content: words(500, "more"), display: true });
  const wait = (session: Session, parts: Partial<CompactParts> = {}) =>
    acted([waiting], { budget, reason: "due", ...parts }, session).then(({ outcome }) => outcome);

  test("HOOK3 one that is due is put off; the log says so, and the context is what it was", async () => {
    const session = await sessionOf(...full);
    expect(due(session.window, budget)).toMatchObject({ type: "due" });
    const seen = seenBy(session);
    expect(await wait(session)).toStrictEqual({ type: "postponed" });
    const [added, ...rest] = (await session.branch()).slice(full.length);
    expect({ added, rest }).toMatchObject({ added: { type: "custom", customType: "pith.postponed" }, rest: [] });
    expect(seenBy(session)).toStrictEqual(seen);
    expect(due(session.window, budget)).toMatchObject({ type: "due" });
  });

  test("HOOK3 the second time it is not heard, nor after a restart", async () => {
    const session = await sessionOf(...full);
    expect(await wait(session)).toStrictEqual({ type: "postponed" });
    const again = await Session.open(session.store, testPorts("r"));
    expect(await wait(again, { ports: testPorts("s") })).toMatchObject({ type: "compacted" });
    const other = await sessionOf(...full);
    expect(await wait(other)).toStrictEqual({ type: "postponed" });
    expect(await wait(other)).toMatchObject({ type: "compacted" });
  });

  test("HOOK3 after a compaction it may again", async () => {
    const session = await sessionOf(...full);
    await wait(session);
    expect(await wait(session)).toMatchObject({ type: "compacted" });
    await more(session);
    expect(due(session.window, budget)).toMatchObject({ type: "due" });
    expect(await wait(session)).toStrictEqual({ type: "postponed" });
    expect(await wait(session)).toMatchObject({ type: "compacted" });
  });

  test.each<[Reason]>([["asked"], ["overflow"], ["model-switch"]])(
    "HOOK3 one that is %s does not wait",
    async (reason) => {
      expect(await wait(await sessionOf(...full), { reason })).toMatchObject({ type: "compacted" });
    },
  );

  test("HOOK3 one that has used up half of the reserve does not wait", async () => {
    const session = await sessionOf(...full);
    await more(session);
    expect(await wait(session)).toMatchObject({ type: "compacted" });
  });

  test("HOOK3 it wins over a summary, and nobody is told of a failure", async () => {
    const told: object[] = [];
    const hooks: CompactionHooks = { session_compact_failed: [(event) => void told.push(event)] };
    const session = await sessionOf(...full);
    const { outcome } = await acted([summary("Mine.", "e3"), waiting], { budget, reason: "due", hooks }, session);
    expect({ outcome, told }).toStrictEqual({ outcome: { type: "postponed" }, told: [] });
  });
});

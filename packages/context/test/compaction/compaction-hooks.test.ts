/** Tests compaction/compaction-hooks.ts: after compact, before compact, hook candidate. */

import { describe, expect, test } from "vitest";
import type { CompactionOutcome } from "../../src/compaction/compact.ts";
import type { CompactionPlan, PlannedCandidate, Summarizer } from "../../src/compaction/plan.ts";
import type { CompactionTrigger } from "../../src/compaction/receipt.ts";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import {
  type CompactionHooks,
  parseHookCandidate,
  type SessionBeforeCompactEvent,
  type SessionBeforeCompactResult,
} from "../../src/compaction-hooks/compaction-hooks.ts";
import { toCompactionPreparation } from "../../src/compaction-hooks/hook-preparation.ts";
import type { CompactOptions } from "../../src/default-compaction.ts";
import type { HookFailure } from "../../src/hooks.ts";
import { prepareCompaction } from "../../src/pi-calls.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { Session } from "../../src/session/session.ts";
import { describeImages } from "../../src/summary-parts/default-parts.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage, story } from "../../src/testing/story.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

describe("after compact", () => {
  const storyLines = ["user: one", `says: ${repeatWord(900)}`, "user: two", "says: three", "user: four"];

  type AfterCompact = NonNullable<CompactionHooks["session_compact"]>[number];

  interface Acted {
    readonly session: Session;
    readonly outcome: CompactionOutcome;
    readonly reported: readonly HookFailure[];
  }

  async function acted(hooks: CompactionHooks, parts: Partial<CompactOptions> = {}, given?: Session): Promise<Acted> {
    const session = given ?? (await createSession(...storyLines));
    const reported: HookFailure[] = [];
    const report = (failure: HookFailure): void => void reported.push(failure);
    return { session, outcome: await compactSmall(session, { ...parts, hooks: { report, ...hooks } }), reported };
  }

  const note = (content: string) => ({ type: "custom_message" as const, customType: "note", content, display: true });
  const adding =
    (...contents: readonly string[]): AfterCompact =>
    () => ({ entries: contents.map(note) });
  /** What stands behind the compaction. */
  const behind = async (session: Session): Promise<readonly unknown[]> => {
    const branch = await session.branchEntries();
    return branch.slice(branch.findLastIndex(({ type }) => type === "compaction") + 1);
  };

  describe("after a successful compaction", () => {
    test("HOOK5 B75 a hook gets the entry as it is in the log", async () => {
      const events: unknown[] = [];
      const { session, outcome } = await acted({
        session_compact: [(event) => void events.push(structuredClone(event))],
      });
      const compactionEntry = (await session.branchEntries()).at(-1);
      expect(compactionEntry).toMatchObject({ type: "compaction", id: (outcome as { readonly id: string }).id });
      expect(events).toStrictEqual([
        { type: "session_compact", compactionEntry, fromExtension: false, reason: "manual", willRetry: false },
      ]);
    });

    test("HOOK5 a hook gets who wrote the summary, the reason and whether the request is repeated", async () => {
      const events: unknown[] = [];
      const summary = { summary: "Mine.", firstKeptEntryId: "e3" };
      const hooks: CompactionHooks = {
        session_before_compact: [() => ({ compaction: summary })],
        session_compact: [
          ({ fromExtension, reason, willRetry }) => void events.push({ fromExtension, reason, willRetry }),
        ],
      };
      await acted(hooks, { reason: "overflow" });
      expect(events).toStrictEqual([{ fromExtension: true, reason: "overflow", willRetry: true }]);
    });

    test("HOOK5 each hook gets its own copy, and changes to it have no effect", async () => {
      const calls: string[] = [];
      const spoiling: AfterCompact = ({ compactionEntry }) => {
        calls.push(compactionEntry.summary);
        Object.assign(compactionEntry, { summary: "mine", firstKeptEntryId: "e1" });
        Object.assign(compactionEntry.details as object, { pith: null });
      };
      const { session } = await acted({ session_compact: [spoiling, spoiling] });
      expect(calls[1]).toBe(calls[0]);
      expect(contextLines(session)[0]).not.toContain("mine");
      expect((await session.branchEntries()).at(-1)).toMatchObject({ firstKeptEntryId: "e3", details: { pith: {} } });
    });

    test("HOOK5 entries of hooks are appended in order, and their messages are in the next context", async () => {
      const state: AfterCompact = () => ({ entries: [{ type: "custom", customType: "mine", data: { count: 1 } }] });
      const { session, outcome, reported } = await acted({
        session_compact: [adding("first", "second"), state, adding("third")],
      });
      expect(outcome).toMatchObject({ type: "compacted", receipt: { findings: [] } });
      expect(await behind(session)).toMatchObject([
        note("first"),
        note("second"),
        { customType: "mine" },
        note("third"),
      ]);
      expect(
        contextLines(session)
          .slice(1)
          .map((line) => line.replace(/^\d+ \w+\s+/, "")),
      ).toStrictEqual(["two", "three", "four", "first", "second", "third"]);
      expect(reported).toStrictEqual([]);
    });

    test.each<[string, AfterCompact, unknown]>([
      [
        "Pith's own kind",
        () => ({ entries: [{ ...note("x"), customType: "pith.pin" }] }),
        'its entry needs a "customType" that does not start with "pith."',
      ],
      ["too much", adding(repeatWord(700)), expect.stringMatching(/^its entries have \d+ tokens; the limit is \d+$/)],
      [
        "another kind",
        () => ({ entries: [{ type: "message" } as never] }),
        'its entry needs a "customType" that does not start with "pith."',
      ],
      ["an error", () => Promise.reject<never>(new Error("no")), "no"],
      ["no end", () => new Promise<never>(() => {}), "no answer within 30 s"],
    ])(
      "HOOK5 HOOK4 a hook that returns %s is reported once; the compaction and the entries of others stay",
      async (_, hook, why) => {
        const { session, outcome, reported } = await acted({
          session_compact: [adding("first"), hook, adding("second")],
        });
        expect(reported).toStrictEqual([{ event: "session_compact", why }]);
        expect(outcome.type).toBe("compacted");
        expect(await behind(session)).toMatchObject([note("first"), note("second")]);
      },
    );

    test("HOOK5 HOOK4 a failing hook does not stop the others, even with onFailure cancel", async () => {
      const throwing: AfterCompact = () => Promise.reject<never>(new Error("no"));
      const { session, outcome, reported } = await acted({
        onFailure: "cancel",
        session_compact: [throwing, adding("mine")],
      });
      expect(outcome.type).toBe("compacted");
      expect(reported).toStrictEqual([{ event: "session_compact", why: "no" }]);
      expect(await behind(session)).toMatchObject([note("mine")]);
    });

    test("HOOK5 entries of a hook are dropped if the leaf has moved to another branch", async () => {
      const session = await createSession(...storyLines);
      const leaving: AfterCompact = async () => {
        await session.move("e1");
        return { entries: [note("mine")] };
      };
      const { outcome, reported } = await acted({ session_compact: [leaving] }, {}, session);
      expect(outcome.type).toBe("compacted");
      expect((await session.branchEntries()).map(({ type }) => type)).toStrictEqual(["message", "custom"]);
      expect(reported).toStrictEqual([
        { event: "session_compact", why: "the session has moved to another branch in the meantime" },
      ]);
    });

    test("HOOK5 entries that were appended while a hook ran come before its own", async () => {
      const session = await createSession(...storyLines);
      const slow: AfterCompact = async () => {
        await session.append(note("meanwhile"));
        return { entries: [note("mine")] };
      };
      await acted({ session_compact: [slow] }, {}, session);
      expect(await behind(session)).toMatchObject([note("meanwhile"), note("mine")]);
    });
  });

  describe("after a compaction that was not made", () => {
    const compactWithEvents = async (parts: Partial<CompactOptions>, ...lines: readonly string[]) => {
      const events: unknown[] = [];
      const hooks: CompactionHooks = {
        ...parts.hooks,
        session_compact: [() => void events.push("done")],
        session_compact_failed: [(event) => void events.push(event)],
      };
      const session = await createSession(...(lines.length > 0 ? lines : storyLines));
      const { outcome } = await acted(hooks, parts, session);
      return { type: outcome.type, events };
    };
    const event = { type: "session_compact_failed", fromExtension: false, reason: "manual", willRetry: false };

    test("HOOK5 c1 hooks get aborted true if a hook or the user cancelled it", async () => {
      const expectedEvents = [{ ...event, aborted: true }];
      const cancelling = { session_before_compact: [() => ({ cancel: true })] };
      expect(await compactWithEvents({ hooks: cancelling })).toStrictEqual({
        type: "cancelled",
        events: expectedEvents,
      });
      expect(await compactWithEvents({ signal: AbortSignal.abort() })).toStrictEqual({
        type: "cancelled",
        events: expectedEvents,
      });
    });

    test("HOOK5 c1 hooks get the error if nothing fits", async () => {
      const expectedEvents = [
        { ...event, aborted: false, errorMessage: "cannot-fit", reason: "overflow", willRetry: true },
      ];
      expect(await compactWithEvents({ reason: "overflow", attempt: 4 })).toStrictEqual({
        type: "failed",
        events: expectedEvents,
      });
    });

    test("HOOK5 c1 hooks get the error if the leaf has moved", async () => {
      const session = await createSession(...storyLines);
      const events: unknown[] = [];
      const leaving: Summarizer = {
        name: "leaving",
        isPaid: false,
        summarize: async () => {
          await session.move("e1");
          return { type: "nothing" };
        },
      };
      const hooks: CompactionHooks = { session_compact_failed: [(failed) => void events.push(failed)] };
      expect(await acted(hooks, { summarizers: [leaving] }, session)).toMatchObject({ outcome: { why: "leaf-moved" } });
      expect(events).toStrictEqual([{ ...event, aborted: false, errorMessage: "leaf-moved" }]);
    });

    test("HOOK5 hooks are not called if there was nothing to do", async () => {
      expect(await compactWithEvents({}, "user: hello")).toStrictEqual({ type: "nothing-to-do", events: [] });
      const off = smallBudget({ enabled: false });
      expect(await compactWithEvents({ budget: off, reason: "due" })).toStrictEqual({
        type: "nothing-to-do",
        events: [],
      });
    });

    test("HOOK5 HOOK4 a hook that fails or returns entries changes nothing", async () => {
      const hooks: CompactionHooks = {
        session_before_compact: [() => ({ cancel: true })],
        session_compact_failed: [
          () => Promise.reject<never>(new Error("no")),
          () => new Promise<never>(() => {}),
          () => ({ entries: [note("mine")] }) as never,
        ],
      };
      const { session, outcome, reported } = await acted(hooks);
      expect(outcome).toStrictEqual({ type: "cancelled" });
      expect(reported.map(({ why }) => why)).toStrictEqual(["no", "no answer within 30 s"]);
      expect(await session.branchEntries()).toHaveLength(storyLines.length);
    });
  });
});

describe("before compact", async () => {
  const lines = [
    "user: one",
    `says: ${repeatWord(900)}`,
    "user: two",
    "calls: read path=a.ts",
    "result: text",
    "user: three",
  ];

  type BeforeCompact = NonNullable<CompactionHooks["session_before_compact"]>[number];

  interface Acted {
    readonly session: Session;
    readonly outcome: CompactionOutcome;
    readonly reported: readonly HookFailure[];
  }

  /** The session compacted with these hooks, and what was reported of them. */
  async function acted(
    hooks: readonly BeforeCompact[],
    parts: Partial<CompactOptions> = {},
    given?: Session,
  ): Promise<Acted> {
    const session = given ?? (await createSession(...lines));
    const reported: HookFailure[] = [];
    const host = { report: (failure: HookFailure) => void reported.push(failure), ...parts.hooks };
    const outcome = await compactSmall(session, { ...parts, hooks: { ...host, session_before_compact: hooks } });
    return { session, outcome, reported };
  }

  const saying =
    (result: SessionBeforeCompactResult): BeforeCompact =>
    () =>
      result;
  const summary = (text: string, firstKeptEntryId = "e6") =>
    saying({ compaction: { summary: text, firstKeptEntryId } });
  const bytesOf = async (session: Session): Promise<string> => JSON.stringify(await session.branchEntries());

  describe("a hook gets", () => {
    test("HOOK1 B73 the plan, the loaded part of the branch, the user's instructions and the reason", async () => {
      const session = await createSession(...lines);
      const prepared = prepareCompaction(session.branch, smallBudget());
      const stop = new AbortController();
      const events: SessionBeforeCompactEvent[] = [];
      const hook: BeforeCompact = (event) => void events.push(event);
      await acted([hook], { instructions: " the tests ", signal: stop.signal }, session);
      expect(events).toStrictEqual([
        {
          type: "session_before_compact",
          preparation: toCompactionPreparation((prepared as { readonly plan: CompactionPlan }).plan),
          branchEntries: (await session.branchEntries()).slice(0, 6),
          customInstructions: "the tests",
          signal: stop.signal,
          reason: "manual",
          willRetry: false,
          setResult: expect.any(Function),
          cancel: expect.any(Function),
        },
      ]);
    });

    test.each<[CompactionTrigger, object]>([
      ["asked", { reason: "manual", willRetry: false }],
      ["due", { reason: "threshold", willRetry: false }],
      ["overflow", { reason: "overflow", willRetry: true }],
      ["model-switch", { reason: "threshold", willRetry: false }],
    ])("HOOK1 c1 the documented reason of a compaction that is %s", async (reason, occurrence) => {
      const events: object[] = [];
      await acted([({ reason, willRetry }) => void events.push({ reason, willRetry })], { reason });
      expect(events).toStrictEqual([occurrence]);
    });

    test("HOOK1 no instructions if there are none, and a signal that is not aborted", async () => {
      const events: object[] = [];
      await acted([(event) => void events.push({ aborted: event.signal.aborted, has: "customInstructions" in event })]);
      expect(events).toStrictEqual([{ aborted: false, has: false }]);
    });

    test("HOOK1 HOOK4 a copy whose changes affect neither the session nor the next hook", async () => {
      const session = await createSession(...lines);
      const before = await bytesOf(session);
      const calls: string[] = [];
      const spoiling: BeforeCompact = ({ preparation, branchEntries }) => {
        calls.push(JSON.stringify({ preparation, branchEntries }));
        for (const entry of branchEntries)
          Object.assign(entry, { type: "message", message: { role: "user", content: "mine" } });
        for (const message of preparation.messagesToSummarize) Object.assign(message, { content: "mine" });
        branchEntries.length = 0;
      };
      await acted([spoiling, spoiling, saying({ cancel: true })], {}, session);
      expect(await bytesOf(session)).toBe(before);
      expect(session.branch.entries).toStrictEqual(JSON.parse(before));
      expect(calls[1]).toBe(calls[0]);
    });
  });

  describe("a hook can", () => {
    test.each<[string, SessionBeforeCompactResult]>([
      ["alone", { cancel: true }],
      ["beside a summary", { cancel: true, compaction: { summary: "x", firstKeptEntryId: "e6" } }],
      ["beside nonsense", { cancel: true, compaction: { summary: "", firstKeptEntryId: "e99" } }],
      ["beside a wish to wait", { cancel: true, postpone: true }],
    ])("HOOK1 cancel, %s: later hooks are not called, and nothing is written or reported", async (_, result) => {
      let callCount = 0;
      const later: BeforeCompact = () => void callCount++;
      const { session, outcome, reported } = await acted([summary("mine"), saying(result), later], { reason: "due" });
      expect({ outcome, callCount, reported }).toStrictEqual({
        outcome: { type: "cancelled" },
        callCount: 0,
        reported: [],
      });
      expect(await session.branchEntries()).toHaveLength(lines.length);
    });

    test("HOOK1 provide a summary, of which the last one is used", async () => {
      const { session, outcome } = await acted([
        summary("First story."),
        summary("Second story.", "e3"),
        () => undefined,
      ]);
      expect(outcome).toMatchObject({
        type: "compacted",
        receipt: { route: "hook", kept: { first: "e3" }, findings: [] },
      });
      expect(contextLines(session)[0]).toContain("Second story.");
      expect(contextLines(session)[0]).not.toContain("First story.");
    });

    test("HOOK1 add instructions to those of the user", async () => {
      const reasons: (string | undefined)[] = [];
      const listening: Summarizer = {
        name: "listening",
        isPaid: false,
        summarize: (_, { instructions }) => {
          reasons.push(instructions);
          return { type: "nothing" };
        },
      };
      const hooks = [
        saying({ customInstructions: " the tests " }),
        saying({ customInstructions: "  " }),
        saying({ customInstructions: 7 as never }),
        saying({ customInstructions: "the types" }),
      ];
      await acted(hooks, { summarizers: [listening], instructions: "the bugs\n" });
      await acted([], { summarizers: [listening] });
      expect(reasons).toStrictEqual(["the bugs\nthe tests\nthe types", undefined]);
    });

    test("HOOK1 replace the summarizer by its own summary", async () => {
      let callCount = 0;
      const counting: Summarizer = {
        name: "counting",
        isPaid: false,
        summarize: () => ({ type: "failed", why: `${callCount++}` }),
      };
      expect(await acted([summary("Mine.")], { summarizers: [counting] })).toMatchObject({
        outcome: { receipt: { route: "hook" } },
      });
      expect(callCount).toBe(0);
    });
  });

  describe("the result of a hook is checked", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    const brought = (compaction: object) =>
      saying({ compaction: { summary: "mine", firstKeptEntryId: "e6", ...compaction } });

    test.each<[string, BeforeCompact, string]>([
      ["a wrong id", brought({ firstKeptEntryId: "e99" }), "the context cannot be cut at e99"],
      [
        "a tool result as the first that is kept",
        brought({ firstKeptEntryId: "e5" }),
        "the context cannot be cut at e5",
      ],
      ["an empty summary", brought({ summary: " \n" }), "its summary is empty"],
      ["a summary that is no text", brought({ summary: 7 }), "its summary is empty"],
      ["absurd details", brought({ details: ring }), "its details are not JSON of at most 262144 characters"],
    ])(
      "HOOK2 HOOK4 %s is reported, the summary is built without a model, and the receipt has the finding",
      async (_, hook, why) => {
        const { session, outcome, reported } = await acted([hook]);
        expect(reported).toStrictEqual([{ event: "session_before_compact", why }]);
        expect(outcome).toMatchObject({
          type: "compacted",
          receipt: { route: "model-free", findings: [{ code: "hook-failed", note: why }] },
        });
        expect(contextLines(session)[0]).not.toContain("mine");
      },
    );

    test("HOOK2 the last valid summary of several hooks is used", async () => {
      const { outcome, reported } = await acted([summary("Mine."), summary("Mine too.", "e99")]);
      expect(outcome).toMatchObject({ receipt: { route: "hook", findings: [{ code: "hook-failed" }] } });
      expect(reported).toHaveLength(1);
    });

    test("HOOK2 a summary that is too long is rejected, and its cost is counted", async () => {
      const usage = { ...emptyUsage, cost: { ...emptyUsage.cost, total: 0.5 } };
      const { outcome, reported } = await acted([brought({ summary: repeatWord(900), usage })]);
      expect(outcome).toMatchObject({
        type: "compacted",
        receipt: { route: "model-free", calls: 1, cost: 0.5, findings: [{ code: "too-long" }] },
      });
      expect(reported).toStrictEqual([]);
    });
  });

  describe("a failing hook", () => {
    const failing: readonly [string, BeforeCompact, string][] = [
      ["throws", () => Promise.reject<never>(new Error("no")), "no"],
      ["hangs", () => new Promise<never>(() => {}), "no answer within 30 s"],
      ["returns an invalid summary", summary(""), "its summary is empty"],
    ];

    test.each(failing)("HOOK4 that %s is reported once, and the compaction continues", async (_, hook, why) => {
      const { outcome, reported } = await acted([hook, summary("Mine.")]);
      expect(reported).toStrictEqual([{ event: "session_before_compact", why }]);
      expect(outcome).toMatchObject({
        type: "compacted",
        receipt: { route: "hook", findings: [{ code: "hook-failed", note: why }] },
      });
    });

    test.each(failing)("HOOK4 that %s cancels the compaction with onFailure cancel", async (_, hook, why) => {
      let callCount = 0;
      const later: BeforeCompact = () => void callCount++;
      const reported: HookFailure[] = [];
      const hooks = { onFailure: "cancel" as const, report: (failure: HookFailure) => void reported.push(failure) };
      const { session, outcome } = await acted([hook, later], { hooks });
      expect({ outcome, callCount, reported }).toStrictEqual({
        outcome: { type: "cancelled" },
        callCount: 0,
        reported: [{ event: "session_before_compact", why }],
      });
      expect(await session.branchEntries()).toHaveLength(lines.length);
    });

    test.each<[string, BeforeCompact]>([
      ["throws a huge error", () => Promise.reject<never>(new Error("x".repeat(40_000_000)))],
      ["names a huge id", summary("mine", "x".repeat(40_000_000))],
    ])("HOOK4 that %s does not fill the log", async (_, hook) => {
      const { session, outcome } = await acted([hook]);
      expect(outcome.type).toBe("compacted");
      expect((await bytesOf(session)).length).toBeLessThan(30_000);
    });

    test.each([[7], ["yes"], [true], [[]], [{ cancel: "yes", postpone: 1 }]])(
      "HOOK4 that returns %j is ignored",
      async (answer) => {
        const { outcome, reported } = await acted([() => answer as never]);
        expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free", findings: [] } });
        expect(reported).toStrictEqual([]);
      },
    );

    test("HOOK4 that hangs is abandoned at an abort, and nothing is written", async () => {
      const stop = new AbortController();
      const hook: BeforeCompact = ({ signal }) => {
        stop.abort();
        expect(signal.aborted).toBe(true);
        return new Promise<never>(() => {});
      };
      const { session, outcome, reported } = await acted([hook], { signal: stop.signal });
      expect({ outcome, reported }).toStrictEqual({ outcome: { type: "cancelled" }, reported: [] });
      expect(await session.branchEntries()).toHaveLength(lines.length);
    });
  });

  describe("a hook that postpones", () => {
    const waiting = saying({ postpone: true });
    const budget = smallBudget({ thresholds: [{ tokens: 1_000 }] });
    const full = ["user: one", `says: ${repeatWord(550)}`, "user: two"];
    const more = (session: Session) =>
      session.append({ type: "custom_message", customType: "note", content: repeatWord(500, "more"), display: true });
    const wait = (session: Session, parts: Partial<CompactOptions> = {}) =>
      acted([waiting], { budget, reason: "due", ...parts }, session).then(({ outcome }) => outcome);

    test("HOOK3 delays a compaction that is due, with an entry in the log and an unchanged context", async () => {
      const session = await createSession(...full);
      expect(compactionDue(session.branch, budget)).toMatchObject({ type: "due" });
      const contextText = contextLines(session);
      expect(await wait(session)).toStrictEqual({ type: "postponed" });
      const [added, ...rest] = (await session.branchEntries()).slice(full.length);
      expect({ added, rest }).toMatchObject({ added: { type: "custom", customType: "pith.postponed" }, rest: [] });
      expect(contextLines(session)).toStrictEqual(contextText);
      expect(compactionDue(session.branch, budget)).toMatchObject({ type: "due" });
    });

    test("HOOK3 is ignored the second time, even after a restart", async () => {
      const session = await createSession(...full);
      expect(await wait(session)).toStrictEqual({ type: "postponed" });
      const again = await Session.open(session.store, testRuntime("r"));
      expect(await wait(again, { runtime: testRuntime("s") })).toMatchObject({ type: "compacted" });
      const other = await createSession(...full);
      expect(await wait(other)).toStrictEqual({ type: "postponed" });
      expect(await wait(other)).toMatchObject({ type: "compacted" });
    });

    test("HOOK3 may postpone again after a compaction", async () => {
      const session = await createSession(...full);
      await wait(session);
      expect(await wait(session)).toMatchObject({ type: "compacted" });
      await more(session);
      expect(compactionDue(session.branch, budget)).toMatchObject({ type: "due" });
      expect(await wait(session)).toStrictEqual({ type: "postponed" });
      expect(await wait(session)).toMatchObject({ type: "compacted" });
    });

    test.each<[CompactionTrigger]>([["asked"], ["overflow"], ["model-switch"]])(
      "HOOK3 is ignored if the compaction is %s",
      async (reason) => {
        expect(await wait(await createSession(...full), { reason })).toMatchObject({ type: "compacted" });
      },
    );

    test("HOOK3 is ignored once half of the reserve is used", async () => {
      const session = await createSession(...full);
      await more(session);
      expect(await wait(session)).toMatchObject({ type: "compacted" });
    });

    test("HOOK3 wins over a summary of another hook, without a failure event", async () => {
      const events: object[] = [];
      const hooks: CompactionHooks = { session_compact_failed: [(event) => void events.push(event)] };
      const session = await createSession(...full);
      const { outcome } = await acted([summary("Mine.", "e3"), waiting], { budget, reason: "due", hooks }, session);
      expect({ outcome, events }).toStrictEqual({ outcome: { type: "postponed" }, events: [] });
    });
  });
});

describe("hook candidate", () => {
  const lines = [
    "user: one",
    `says: ${repeatWord(900)}`,
    "calls: read path=a.ts",
    "result: a file",
    "drops e4",
    "user: two",
    `says: ${repeatWord(30)}`,
    "user: three",
  ];

  function planOf(...lines: readonly string[]): CompactionPlan {
    const prepared = prepareCompaction(loadBranch(story(...lines)), smallBudget());
    if (prepared.type !== "planned") throw new Error(`nothing is planned: ${prepared.why}`);
    return prepared.plan;
  }

  /** What is made of a hook's compaction. */
  function made(compaction: object, plan = planOf(...lines)): PlannedCandidate {
    return parseHookCandidate(
      plan,
      { summary: "mine", firstKeptEntryId: plan.kept[0]?.id, ...compaction },
      describeImages,
    );
  }

  function nested(depth: number): object {
    return Array.from({ length: depth }).reduce<object>((inner) => ({ inner }), {});
  }

  describe("the details of a hook's summary", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;

    test.each<[string, object]>([
      ["a ring", ring],
      ["a BigInt", { count: 1n }],
      ["40 MB", { text: "x".repeat(40_000_000) }],
      ["300 levels", nested(300)],
      ["a hundred thousand levels", nested(100_000)],
      [
        "a member that throws",
        {
          toJSON() {
            throw new Error("no");
          },
        },
      ],
    ])("CMP7 that are %s are rejected with a message", (_, details) => {
      expect(() => made({ details })).toThrow("its details are not JSON of at most 262144 characters");
    });

    test("CMP7 are stored as JSON, unaffected by later changes of the hook", () => {
      const details = { list: [1, undefined], when: new Date(0), none: undefined };
      const { candidate } = made({ details });
      details.list.push(2);
      expect(candidate.details).toStrictEqual({ list: [1, null], when: "1970-01-01T00:00:00.000Z" });
    });

    test.each([[null], ["text"], [["list"]], [7], [{ toJSON: () => 7 }]])(
      "CMP7 are left out if they are %j",
      (details) => {
        expect(made({ details }).candidate).not.toHaveProperty("details");
      },
    );
  });

  describe("the usage of a hook's summary", () => {
    const usage = { ...emptyUsage, input: 10, totalTokens: 10, cost: { ...emptyUsage.cost, total: 0.5 } };

    test("CMP7 CMP8 is counted with its known fields only", () => {
      expect(made({ usage: { ...usage, more: 1n } }).candidate.calls).toStrictEqual([{ usage }]);
    });

    test.each<[string, unknown]>([
      ["a BigInt", { ...usage, input: 1n }],
      ["a text", { ...usage, output: "12" }],
      ["a negative cost", { ...usage, cost: { ...usage.cost, total: -1 } }],
      ["an infinite cost", { ...usage, cost: { ...usage.cost, total: Number.POSITIVE_INFINITY } }],
      ["a count that is NaN", { ...usage, totalTokens: Number.NaN }],
      ["no cost", { ...usage, cost: undefined }],
      ["an array", []],
      ["null", null],
    ])("CMP7 is left out if it is invalid: %s", (_, odd) => {
      expect(made({ usage: odd }).candidate).not.toHaveProperty("calls");
    });
  });

  describe("the cut of a hook's summary", () => {
    test("CMP7 CUT2 is never at a tool result, removed or not", () => {
      expect(() => made({ firstKeptEntryId: "e4" })).toThrow("the context cannot be cut at e4");
      const shown = planOf(...lines.filter((line) => line !== "drops e4"));
      expect(() => made({ firstKeptEntryId: "e4" }, shown)).toThrow("the context cannot be cut at e4");
      expect(made({ firstKeptEntryId: "e3" }).plan.kept[0]?.id).toBe("e3");
    });

    test.each<[string, unknown]>([
      ["no text", { toString: null }],
      ["a symbol", Symbol("e3")],
      ["the very first entry", "e1"],
    ])("CMP7 is rejected if it names %s", (_, firstKeptEntryId) => {
      expect(() => made({ firstKeptEntryId })).toThrow();
    });
  });

  describe("the preparation that a hook gets", () => {
    test("CMP7 B73 has the documented shape", () => {
      const { messagesToSummarize, ...rest } = toCompactionPreparation(planOf(...lines));
      expect(messagesToSummarize.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
      expect(rest).toEqual({
        firstKeptEntryId: "e7",
        turnPrefixMessages: [{ role: "user", content: "two", timestamp: expect.any(Number) }],
        isSplitTurn: true,
        tokensBefore: expect.any(Number),
        fileOps: { read: new Set(["a.ts"]), written: new Set(), edited: new Set() },
        settings: { enabled: true, reserveTokens: 500, keepRecentTokens: 60 },
      });
    });

    test("CMP7 is a copy, so that emptying its lists changes neither the plan nor the branch", () => {
      const plan = planOf(...lines);
      const before = structuredClone(plan);
      const preparation = toCompactionPreparation(plan);
      for (const message of preparation.messagesToSummarize) Object.assign(message, { content: "gone" });
      preparation.messagesToSummarize.length = 0;
      preparation.fileOps.read.clear();
      expect(plan).toEqual(before);
    });
  });

  test("CMP7 a result whose getters throw is rejected", () => {
    const answer = {
      get summary() {
        throw new Error("not today");
      },
    };
    expect(() => parseHookCandidate(planOf(...lines), answer, describeImages)).toThrow("not today");
  });
});

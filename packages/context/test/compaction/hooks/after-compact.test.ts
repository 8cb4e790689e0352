/** Proves that hooks hear what was done or failed, and that what they add stands behind it in the log. */

import { describe, expect, test } from "vitest";
import type { Compaction, CompactParts } from "../../../src/compaction/compact.ts";
import type { CompactionHooks } from "../../../src/compaction/hooks/events.ts";
import type { Writer } from "../../../src/compaction/writing/candidate.ts";
import type { HookFailure } from "../../../src/hook.ts";
import type { Session } from "../../../src/session/session.ts";
import { compactSmall, seenBy, sessionOf, smallBudget, words } from "../small-session.ts";

const talk = ["user: one", `says: ${words(900)}`, "user: two", "says: three", "user: four"];

type AfterCompact = NonNullable<CompactionHooks["session_compact"]>[number];

interface Acted {
  readonly session: Session;
  readonly outcome: Compaction;
  readonly reported: readonly HookFailure[];
}

async function acted(hooks: CompactionHooks, parts: Partial<CompactParts> = {}, given?: Session): Promise<Acted> {
  const session = given ?? (await sessionOf(...talk));
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
  const branch = await session.branch();
  return branch.slice(branch.findLastIndex(({ type }) => type === "compaction") + 1);
};

describe("after one that was done", () => {
  test("HOOK5 B75 it is told the entry as it is in the log", async () => {
    const told: unknown[] = [];
    const { session, outcome } = await acted({ session_compact: [(event) => void told.push(structuredClone(event))] });
    const compactionEntry = (await session.branch()).at(-1);
    expect(compactionEntry).toMatchObject({ type: "compaction", id: (outcome as { readonly id: string }).id });
    expect(told).toStrictEqual([
      { type: "session_compact", compactionEntry, fromExtension: false, reason: "manual", willRetry: false },
    ]);
  });

  test("HOOK5 it is told who wrote it, and whether a request is sent again", async () => {
    const told: unknown[] = [];
    const summary = { summary: "Mine.", firstKeptEntryId: "e3" };
    const hooks: CompactionHooks = {
      session_before_compact: [() => ({ compaction: summary })],
      session_compact: [({ fromExtension, reason, willRetry }) => void told.push({ fromExtension, reason, willRetry })],
    };
    await acted(hooks, { reason: "overflow" });
    expect(told).toStrictEqual([{ fromExtension: true, reason: "overflow", willRetry: true }]);
  });

  test("HOOK5 each has a copy: what it does to it changes nothing", async () => {
    const told: string[] = [];
    const spoiling: AfterCompact = ({ compactionEntry }) => {
      told.push(compactionEntry.summary);
      Object.assign(compactionEntry, { summary: "mine", firstKeptEntryId: "e1" });
      Object.assign(compactionEntry.details as object, { pith: null });
    };
    const { session } = await acted({ session_compact: [spoiling, spoiling] });
    expect(told[1]).toBe(told[0]);
    expect(seenBy(session)[0]).not.toContain("mine");
    expect((await session.branch()).at(-1)).toMatchObject({ firstKeptEntryId: "e3", details: { pith: {} } });
  });

  test("HOOK5 what they add stands behind it in their order, and messages are in the next context", async () => {
    const state: AfterCompact = () => ({ entries: [{ type: "custom", customType: "mine", data: { count: 1 } }] });
    const { session, outcome, reported } = await acted({
      session_compact: [adding("first", "second"), state, adding("third")],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { findings: [] } });
    expect(await behind(session)).toMatchObject([note("first"), note("second"), { customType: "mine" }, note("third")]);
    expect(
      seenBy(session)
        .slice(1)
        .map((line) => line.replace(/^\d+ \w+\s+/, "")),
    ).toStrictEqual(["two", "three", "four", "first", "second", "third"]);
    expect(reported).toStrictEqual([]);
  });

  test.each<[string, AfterCompact, unknown]>([
    [
      "Pith's own kind",
      () => ({ entries: [{ ...note("x"), customType: "pith.pin" }] }),
      "its entry has no type of its own",
    ],
    ["too much", adding(words(700)), expect.stringMatching(/^its entries have \d+ tokens, \d+ are allowed$/)],
    ["another kind", () => ({ entries: [{ type: "message" } as never] }), "its entry has no type of its own"],
    ["an error", () => Promise.reject<never>(new Error("no")), "no"],
    ["no end", () => new Promise<never>(() => {}), "no answer within 30 s"],
  ])(
    "HOOK5 HOOK4 one that brings %s is reported once; the compaction and what others add stand",
    async (_, hook, why) => {
      const { session, outcome, reported } = await acted({
        session_compact: [adding("first"), hook, adding("second")],
      });
      expect(reported).toStrictEqual([{ event: "session_compact", why }]);
      expect(outcome.type).toBe("compacted");
      expect(await behind(session)).toMatchObject([note("first"), note("second")]);
    },
  );

  test("HOOK5 HOOK4 there is nothing left to cancel: the others hear of it where a failure cancels an act", async () => {
    const throwing: AfterCompact = () => Promise.reject<never>(new Error("no"));
    const { session, outcome, reported } = await acted({
      onFailure: "cancel",
      session_compact: [throwing, adding("mine")],
    });
    expect(outcome.type).toBe("compacted");
    expect(reported).toStrictEqual([{ event: "session_compact", why: "no" }]);
    expect(await behind(session)).toMatchObject([note("mine")]);
  });

  test("HOOK5 what they add to a session that has left it meanwhile is not written elsewhere", async () => {
    const session = await sessionOf(...talk);
    const leaving: AfterCompact = async () => {
      await session.move("e1");
      return { entries: [note("mine")] };
    };
    const { outcome, reported } = await acted({ session_compact: [leaving] }, {}, session);
    expect(outcome.type).toBe("compacted");
    expect((await session.branch()).map(({ type }) => type)).toStrictEqual(["message", "custom"]);
    expect(reported).toStrictEqual([{ event: "session_compact", why: "the session has gone elsewhere meanwhile" }]);
  });

  test("HOOK5 what was said meanwhile comes first, and nothing is lost", async () => {
    const session = await sessionOf(...talk);
    const slow: AfterCompact = async () => {
      await session.append(note("meanwhile"));
      return { entries: [note("mine")] };
    };
    await acted({ session_compact: [slow] }, {}, session);
    expect(await behind(session)).toMatchObject([note("meanwhile"), note("mine")]);
  });
});

describe("after one that was not", () => {
  const heard = async (parts: Partial<CompactParts>, ...lines: readonly string[]) => {
    const told: unknown[] = [];
    const hooks: CompactionHooks = {
      ...parts.hooks,
      session_compact: [() => void told.push("done")],
      session_compact_failed: [(event) => void told.push(event)],
    };
    const session = await sessionOf(...(lines.length > 0 ? lines : talk));
    const { outcome } = await acted(hooks, parts, session);
    return { type: outcome.type, told };
  };
  const event = { type: "session_compact_failed", fromExtension: false, reason: "manual", willRetry: false };

  test("HOOK5 c1 because a hook or the user cancelled it", async () => {
    const told = [{ ...event, aborted: true }];
    const cancelling = { session_before_compact: [() => ({ cancel: true })] };
    expect(await heard({ hooks: cancelling })).toStrictEqual({ type: "cancelled", told });
    expect(await heard({ signal: AbortSignal.abort() })).toStrictEqual({ type: "cancelled", told });
  });

  test("HOOK5 c1 because nothing helps", async () => {
    const told = [{ ...event, aborted: false, errorMessage: "cannot-fit", reason: "overflow", willRetry: true }];
    expect(await heard({ reason: "overflow", attempt: 4 })).toStrictEqual({ type: "failed", told });
  });

  test("HOOK5 c1 because the session has moved on", async () => {
    const session = await sessionOf(...talk);
    const told: unknown[] = [];
    const leaving: Writer = {
      route: "leaving",
      isPaid: false,
      write: async () => {
        await session.move("e1");
        return { type: "nothing" };
      },
    };
    const hooks: CompactionHooks = { session_compact_failed: [(failed) => void told.push(failed)] };
    expect(await acted(hooks, { writers: [leaving] }, session)).toMatchObject({ outcome: { why: "leaf-moved" } });
    expect(told).toStrictEqual([{ ...event, aborted: false, errorMessage: "leaf-moved" }]);
  });

  test("HOOK5 where there was nothing to do, nobody is told", async () => {
    expect(await heard({}, "user: hello")).toStrictEqual({ type: "nothing-to-do", told: [] });
    const off = smallBudget({ enabled: false });
    expect(await heard({ budget: off, reason: "due" })).toStrictEqual({ type: "nothing-to-do", told: [] });
  });

  test("HOOK5 HOOK4 one that fails, or brings something, changes nothing", async () => {
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
    expect(await session.branch()).toHaveLength(talk.length);
  });
});

/** Proves that a summariser may fail in every way there is: the context is as it was, or rightly compacted, and the outcome has a name. */

import { describe, expect, test } from "vitest";
import { compact } from "../../src/compaction/compact.ts";
import { modelWriter } from "../../src/compaction/model-summarizer.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { contextSize } from "../../src/context/context-size.ts";
import type { AssistantMessage, Usage } from "../../src/message.ts";
import type { Model, ModelEvent, ModelFailure } from "../../src/model.ts";
import type { MemoryStore } from "../../src/session/memory-store.ts";
import { allApis, violations } from "../../src/testing/provider-rules/provider-rules.ts";
import { scriptedModel, testPorts } from "../../src/testing/scripted-model.ts";
import { nothingUsed } from "../../src/testing/story.ts";
import { seenBy, sessionOf, smallBudget, words } from "./small-session.ts";

const talk = [
  "user: never touch the lock file",
  "calls: bash command=make",
  "result: all is well",
  `says: ${words(900)}`,
  "user: go on with the parser",
  `says: ${words(40)}`,
  "user: and the printer",
];

const good = `## Goal
- go on with the parser [e5]

## Constraints & Preferences
- never touch the lock file [e1]

## Progress
### Done
- [x] ran make, all is well [e3]

### In Progress
- [ ] the parser [e5]

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. the parser

## Critical Context
- (none)`;

const usage: Usage = { ...nothingUsed, input: 100, totalTokens: 100, cost: { ...nothingUsed.cost, total: 0.01 } };
const said = (text: string, more: Partial<AssistantMessage> = {}): Partial<AssistantMessage> => ({
  content: [{ type: "text", text }],
  usage,
  ...more,
});
const failing = (failure: ModelFailure): { readonly failure: ModelFailure } => ({ failure });
const budget = smallBudget({ checkpoint: { tokens: 900, share: 1 } });

/** A model whose stream is what this makes of it. */
function streaming(stream: (good: readonly ModelEvent[]) => AsyncGenerator<ModelEvent>): Model {
  const model = scriptedModel();
  const reply = scriptedModel(said(good));
  return {
    ...model,
    async *stream(request, act) {
      const events: ModelEvent[] = [];
      for await (const event of reply.stream(request, act)) events.push(event);
      yield* stream(events);
    },
  };
}

const call = { type: "toolCall" as const, id: "c9", name: "bash", arguments: { command: "rm -rf /" } };

const ways: readonly (readonly [string, Model, string])[] = [
  ["says nothing", scriptedModel(said("")), "empty"],
  ["says whitespace", scriptedModel(said(" \n\t\n ")), "empty"],
  ["only thinks", scriptedModel({ content: [{ type: "thinking", thinking: good }], usage }), "empty"],
  ["is cut off", scriptedModel(said(good, { stopReason: "length" })), "truncated"],
  ["calls a tool", scriptedModel({ content: [call], usage }), "tool-call"],
  [
    "writes and calls a tool",
    scriptedModel(said(good, { content: [{ type: "text", text: good }, call] })),
    "tool-call",
  ],
  ["refuses in words", scriptedModel(said("I can't help with that."), said("I can't help with that.")), "sections"],
  ["refuses by its provider", scriptedModel(failing({ kind: "refused", message: "policy" })), "refused"],
  ["is busy", scriptedModel(failing({ kind: "busy", message: "429" })), "busy"],
  ["is busy, and busy again", busyTwice(), "busy"],
  ["finds it too long, in whatever parts", tooLong(), "overflow"],
  ["is not there", scriptedModel(failing({ kind: "unreachable", message: "ECONNREFUSED" })), "unreachable"],
  ["answers with headings alone", scriptedModel(said(headingsOf(good)), said(headingsOf(good))), "empty"],
  [
    "breaks off in the middle",
    streaming(async function* (events) {
      yield* events.slice(0, 1);
      throw new Error("socket hang up");
    }),
    "unreachable",
  ],
  [
    "ends without an ending",
    streaming(async function* (events) {
      yield* events.slice(0, 1);
    }),
    "unreachable",
  ],
  [
    "hangs before the first token",
    streaming(async function* () {
      await new Promise(() => {});
    }),
    "silent",
  ],
  [
    "hangs in the middle",
    streaming(async function* (events) {
      yield* events.slice(0, 1);
      await new Promise(() => {});
    }),
    "silent",
  ],
];

function busyTwice(): Model {
  const failure = failing({ kind: "busy", message: "429", retryAfterMs: 1000 });
  return scriptedModel(failure, failure);
}

function tooLong(): Model {
  return scriptedModel(...Array.from({ length: 20 }, () => failing({ kind: "overflow", message: "too long" })));
}

function headingsOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.startsWith("#"))
    .join("\n");
}

function endless(): string {
  return good.replace("## Critical Context\n- (none)", `## Critical Context\n${words(20_000)}`);
}

describe("a summariser that", () => {
  test.each(ways)("SUM4 CMP3 CMP5 INV44 %s: code writes instead, and the receipt says why", async (_, model, code) => {
    const session = await sessionOf(...talk);
    const ports = testPorts("x");
    const outcome = await compact({
      session,
      budget,
      reason: "asked",
      ports,
      writers: [modelWriter(model, { ports })],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free", by: null } });
    const { findings } = (outcome as Extract<typeof outcome, { type: "compacted" }>).receipt;
    expect(findings).toContainEqual({
      code: "writer-failed",
      note: expect.stringMatching(new RegExp(`^anthropic/storyteller: ${code}: `)),
    });
    expectSound(session);
  });

  test("SUM9 KEEP5 answers at endless length is cut to its budget", async () => {
    const session = await sessionOf(...talk);
    const ports = testPorts("x");
    const writers = [modelWriter(scriptedModel(said(endless()), said(endless())), { ports })];
    const outcome = await compact({ session, budget, reason: "asked", ports, writers });
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "model", findings: expect.arrayContaining([expect.objectContaining({ code: "too-long" })]) },
    });
    expect(seenBy(session)[0]?.length).toBeLessThan(5000);
    expectSound(session);
  });

  test("SUM8 fails is followed by the next, and the entry says who wrote it and what all of it cost", async () => {
    const session = await sessionOf(...talk);
    const ports = testPorts("x");
    const second = { ...scriptedModel(said(good)), provider: "elsewhere", model: "second" };
    const writers = [scriptedModel(said(good, { stopReason: "length" })), second].map((each) =>
      modelWriter(each, { ports }),
    );
    const outcome = await compact({ session, budget, reason: "asked", ports, writers });
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "model", by: "elsewhere/second", calls: 2, cost: 0.02 },
    });
    const { entries, compactionAt } = session.window;
    expect(entries[compactionAt]).toMatchObject({ usage: { input: 100 } });
    const paid = (await session.branch()).filter(({ type }) => type === "usage");
    expect(paid).toMatchObject([
      { kind: "compaction", provider: "anthropic", model: "storyteller", usage: { input: 100 } },
    ]);
    expectSound(session);
  });

  test("SUM9 is corrected once, with its faults named", async () => {
    const session = await sessionOf(...talk);
    const ports = testPorts("x");
    const bad = good.replace("- go on with the parser [e5]", "- deploy to production on Friday [e5]");
    const model = scriptedModel(said(bad), said(good));
    const outcome = await compact({
      session,
      budget,
      reason: "asked",
      ports,
      writers: [modelWriter(model, { ports })],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model", calls: 2, cost: 0.02 } });
    expect(model.requests).toHaveLength(2);
    const [, answer, correction] = model.requests[1]?.messages ?? [];
    expect([answer?.role, correction?.role]).toEqual(["assistant", "user"]);
    expect(JSON.stringify(correction)).toContain("deploy to production on Friday");
    expect(seenBy(session)[0]).not.toContain("Friday");
    expectSound(session);
  });

  test("SUM9 AUD7 insists is mended by code, and the receipt says what went", async () => {
    const session = await sessionOf(...talk);
    const ports = testPorts("x");
    const bad = good.replace(
      "- never touch the lock file [e1]",
      "- never touch the lock file [e1]\n- deploy to production on Friday [e5]",
    );
    const model = scriptedModel(said(bad), said(bad));
    const outcome = await compact({
      session,
      budget,
      reason: "asked",
      ports,
      writers: [modelWriter(model, { ports })],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
    const { findings } = (outcome as Extract<typeof outcome, { type: "compacted" }>).receipt;
    expect(findings).toContainEqual(
      expect.objectContaining({ code: "unfounded", note: expect.stringContaining("Friday") }),
    );
    expect(seenBy(session)[0]).toContain("never touch the lock file (entry:e1)");
    expect(seenBy(session)[0]).not.toContain("Friday");
    expectSound(session);
  });
});

test("INV43 CMP3 aborted after any number of steps it has compacted rightly, or changed nothing", async () => {
  const outcomes = new Set<string>();
  // Until an abort comes too late to find anything under way.
  for (let steps = 0, wasEnded = false; !wasEnded; steps++) {
    let ended = false;
    const session = await sessionOf(...talk);
    const before = { seen: seenBy(session), bytes: (session.store as MemoryStore).bytes() };
    const ports = testPorts("x");
    const controller = new AbortController();
    const writers = [modelWriter(scriptedModel(said(good)), { ports })];
    const act = compact({ session, budget, reason: "asked", ports, writers, signal: controller.signal }).finally(() => {
      ended = true;
    });
    for (let step = 0; step < steps; step++) await null;
    wasEnded = ended;
    controller.abort();
    const outcome = await act;
    outcomes.add(outcome.type);
    expect(session.occupied).toEqual([]);
    if (outcome.type === "compacted") expectSound(session);
    else {
      expect(outcome).toEqual({ type: "cancelled" });
      expect(seenBy(session)).toEqual(before.seen);
      const added = (await session.branch()).slice(talk.length);
      expect(added.every(({ type }) => type === "usage")).toBe(true);
      if (added.length === 0) expect((session.store as MemoryStore).bytes()).toEqual(before.bytes);
    }
  }
  expect([...outcomes].sort()).toEqual(["cancelled", "compacted"]);
});

/** The user's words are all there, it fits, and every provider takes it. */
function expectSound(session: Awaited<ReturnType<typeof sessionOf>>): void {
  const context = buildSessionContext(session.window);
  const seen = JSON.stringify(context.messages);
  expect(seen).toContain("never touch the lock file");
  expect(seen).toContain("and the printer");
  expect(contextSize(session.window, budget).tokens).toBeLessThan(budget.limit);
  for (const api of allApis) {
    const to = { api, provider: "any", model: "any" };
    expect(violations(buildRequest(context, { to }), to)).toEqual([]);
  }
}

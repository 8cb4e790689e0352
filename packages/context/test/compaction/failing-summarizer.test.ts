/** Proves that a summarizer may fail in every way there is: the context is as it was, or rightly compacted, and the outcome has a name. */

import { describe, expect, test } from "vitest";
import type { Finding, Receipt } from "../../src/compaction/receipt.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { contextSize } from "../../src/context/context-size.ts";
import { compact } from "../../src/default-compaction.ts";
import type { CompactionEntry } from "../../src/entry.ts";
import type { AssistantMessage, Usage } from "../../src/message.ts";
import type { Model, ModelEvent, ModelFailure } from "../../src/model.ts";
import type { MemoryStore } from "../../src/session/memory-store.ts";
import type { Session } from "../../src/session/session.ts";
import { readPreviousSummary } from "../../src/summary/parse-summary.ts";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { apisWithRules, findRuleViolations } from "../support/provider-rules/provider-rules.ts";
import { contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const storyLines = [
  "user: never touch the lock file",
  "calls: bash command=make",
  "result: all is well",
  `says: ${repeatWord(900)}`,
  "user: go on with the parser",
  `says: ${repeatWord(40)}`,
  "user: and the printer",
];

const good = `## Goal
- go on with the parser [#5]

## Constraints & Preferences
- never touch the lock file [#1]

## Progress
### Done
- [x] ran make, all is well [#3]

### In Progress
- [ ] the parser [#5]

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. the parser

## Critical Context
- (none)`;

const usage: Usage = { ...emptyUsage, input: 100, totalTokens: 100, cost: { ...emptyUsage.cost, total: 0.01 } };
const createReply = (text: string, more: Partial<AssistantMessage> = {}): Partial<AssistantMessage> => ({
  content: [{ type: "text", text }],
  usage,
  ...more,
});
const failing = (failure: ModelFailure): { readonly failure: ModelFailure } => ({ failure });
const budget = smallBudget({ checkpoint: { tokens: 900, share: 1 } });

/** A model whose stream is what this makes of it. */
function streaming(stream: (good: readonly ModelEvent[]) => AsyncGenerator<ModelEvent>): Model {
  const model = scriptedModel();
  const reply = scriptedModel(createReply(good), createReply(good));
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
  ["says nothing", scriptedModel(createReply("")), "the reply is empty"],
  ["says whitespace", scriptedModel(createReply(" \n\t\n ")), "the reply is empty"],
  ["only thinks", scriptedModel({ content: [{ type: "thinking", thinking: good }], usage }), "the reply is empty"],
  ["is cut off", scriptedModel(createReply(good, { stopReason: "length" })), "the reply was cut off"],
  ["calls a tool", scriptedModel({ content: [call], usage }), "the model called a tool instead of writing the summary"],
  [
    "writes and calls a tool",
    scriptedModel(createReply(good, { content: [{ type: "text", text: good }, call] })),
    "the model called a tool instead of writing the summary",
  ],
  [
    "refuses in words",
    scriptedModel(createReply("I can't help with that."), createReply("I can't help with that.")),
    "Most of these headings are missing",
  ],
  ["refuses by its provider", scriptedModel(failing({ kind: "refused", message: "policy" })), "policy"],
  ["is busy", scriptedModel(failing({ kind: "busy", message: "429" })), "429"],
  ["is busy, and busy again", busyTwice(), "429"],
  ["finds it too long, in whatever parts", tooLong(), "too long"],
  ["is not there", unreachableTwice(), "ECONNREFUSED"],
  [
    "answers with headings alone",
    scriptedModel(createReply(headingsOf(good)), createReply(headingsOf(good))),
    "The summary is empty.",
  ],
  [
    "breaks off in the middle",
    streaming(async function* (events) {
      yield* events.slice(0, 1);
      throw new Error("socket hang up");
    }),
    "socket hang up",
  ],
  [
    "ends without an ending",
    streaming(async function* (events) {
      yield* events.slice(0, 1);
    }),
    "the reply ended unexpectedly",
  ],
  [
    "hangs before the first token",
    streaming(async function* () {
      await new Promise(() => {});
    }),
    "no token arrived within 10 min; a local model",
  ],
  [
    "hangs in the middle",
    streaming(async function* (events) {
      yield* events.slice(0, 1);
      await new Promise(() => {});
    }),
    "no further token arrived for 90 s",
  ],
];

function busyTwice(): Model {
  const failure = failing({ kind: "busy", message: "429", retryAfterMs: 1000 });
  return scriptedModel(failure, failure);
}

function unreachableTwice(): Model {
  const failure = failing({ kind: "unreachable", message: "ECONNREFUSED" });
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

/** The good summary with so many words more under Critical Context, ten in a line. */
function longer(count: number): string {
  const lines = Array.from({ length: Math.ceil(count / 10) }, (_, at) => `- make: well ${repeatWord(10, `w${at}x`)}`);
  return good.replace("## Critical Context\n- (none)", `## Critical Context\n${lines.join("\n")}`);
}

describe("a summarizer that", () => {
  test.each(ways)(
    "SUM4 CMP3 CMP5 INV44 %s is replaced by a summary without a model, and the receipt says why",
    async (_, model, why) => {
      const session = await createSession(...storyLines);
      const ports = testRuntime("x");
      const outcome = await compact({
        session,
        budget,
        reason: "asked",
        runtime: ports,
        summarizers: [modelSummarizer(model, { runtime: ports })],
      });
      expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free", by: null } });
      const { findings } = (outcome as Extract<typeof outcome, { type: "compacted" }>).receipt;
      expect(findings).toContainEqual({
        code: "summarizer-failed",
        note: expect.stringContaining(`anthropic/storyteller: ${why}`),
      });
      expectSound(session);
    },
  );

  test("SUM9 CMP5 KEEP5 answers far too long twice is rejected, and the summary is built without a model", async () => {
    const model = scriptedModel(createReply(longer(3_000)), createReply(longer(3_000)));
    const { session, receipt } = await compactBy(model);
    expect(model.requests).toHaveLength(2);
    expect(receipt).toMatchObject({ route: "model-free", by: null, calls: 2, cost: 0.02 });
    expect(receipt.findings).toContainEqual({
      code: "summarizer-failed",
      note: expect.stringMatching(/^anthropic\/storyteller: The summary has \d+ tokens; 675 are allowed\.$/),
    });
    expect(contextLines(session)[0]).toContain("# Turns so far (an automatic list");
    expect(contextLines(session)[0]).not.toMatch(/w\d+x\d/);
    expectSound(session);
  });

  test("SUM8 SUM9 answers far too long twice is followed by the next summarizer", async () => {
    const second = { ...scriptedModel(createReply(good)), provider: "elsewhere", model: "second" };
    const { session, receipt } = await compactBy(
      scriptedModel(createReply(longer(3_000)), createReply(longer(3_000))),
      second,
    );
    expect(receipt).toMatchObject({ route: "model", by: "elsewhere/second", calls: 3, cost: 0.03 });
    expect(contextLines(session)[0]).not.toMatch(/w\d+x\d/);
    expectSound(session);
  });

  test("BOUND4 answers many times too long is rejected by length alone, without a correction", async () => {
    const model = scriptedModel(createReply(longer(600_000)));
    const { session, receipt } = await compactBy(model);
    expect(model.requests).toHaveLength(1);
    expect(receipt).toMatchObject({ route: "model-free", by: null });
    expect(receipt.findings).toContainEqual({
      code: "summarizer-failed",
      note: "anthropic/storyteller: the reply is far longer than a summary may be",
    });
    expect(contextLines(session)[0]).not.toMatch(/w\d+x\d/);
    expectSound(session);
  });

  test("SUM9 AUD7 answers too long by less than a third twice is used with every line, and the receipt reports the length", async () => {
    const long = longer(160);
    const tokens = textTokens(long);
    expect(tokens).toBeGreaterThan(675 * 1.1);
    expect(tokens).toBeLessThan(675 * (4 / 3) - 60);
    const model = scriptedModel(createReply(long), createReply(long));
    const { session, receipt } = await compactBy(model);
    expect(model.requests).toHaveLength(2);
    expect(receipt).toMatchObject({ route: "model", calls: 2 });
    expect(receipt.findings).toContainEqual({
      code: "too-long",
      note: `The summary has ${tokens} tokens; 675 are allowed.`,
    });
    expectEveryLine(session, long);
    expectSound(session);
  });

  test("SUM9 answers too long by less than a tenth is used without a correction", async () => {
    const long = longer(140);
    const tokens = textTokens(long);
    expect(tokens).toBeGreaterThan(675);
    expect(tokens).toBeLessThan(675 * 1.1);
    const model = scriptedModel(createReply(long));
    const { session, receipt } = await compactBy(model);
    expect(receipt).toMatchObject({ route: "model", calls: 1 });
    expectEveryLine(session, long);
  });

  test("SUM8 fails is followed by the next summarizer, and the entry has the author and the total cost", async () => {
    const session = await createSession(...storyLines);
    const ports = testRuntime("x");
    const second = { ...scriptedModel(createReply(good)), provider: "elsewhere", model: "second" };
    const writers = [scriptedModel(createReply(good, { stopReason: "length" })), second].map((each) =>
      modelSummarizer(each, { runtime: ports }),
    );
    const outcome = await compact({ session, budget, reason: "asked", runtime: ports, summarizers: writers });
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { route: "model", by: "elsewhere/second", calls: 2, cost: 0.02 },
    });
    const { entries, compactionIndex: compactionAt } = session.branch;
    expect(entries[compactionAt]).toMatchObject({ usage: { input: 100 } });
    const paid = (await session.branchEntries()).filter(({ type }) => type === "usage");
    expect(paid).toMatchObject([
      { kind: "compaction", provider: "anthropic", model: "storyteller", usage: { input: 100 } },
    ]);
    expectSound(session);
  });

  test.each([
    ["has headings and nothing else", headingsOf(good), "The summary is empty."],
    ["has no headings", good.replaceAll(/^#.*$/gm, ""), "headings are missing"],
    ["is much too long", longer(400), "tokens; 675 are allowed."],
    [
      "cites mostly entries that do not exist",
      good.replaceAll(/\[#(\d)\]/g, "[#90$1]"),
      "4 of 4 citations refer to entries that do not exist.",
    ],
  ])("AUD1 AUD2 SUM9 %s gets one correction request that names the problem", async (_, bad, note) => {
    const model = scriptedModel(createReply(bad), createReply(good));
    const { session, receipt } = await compactBy(model);
    expect(receipt).toMatchObject({ route: "model", calls: 2, cost: 0.02 });
    expect(flawsIn(receipt)).toEqual([]);
    expect(model.requests).toHaveLength(2);
    const [, answer, correction] = model.requests[1]?.messages ?? [];
    expect([answer?.role, correction?.role]).toEqual(["assistant", "user"]);
    expect(JSON.stringify(correction)).toContain(note);
    expectEveryLine(session, good);
    expectSound(session);
  });

  test("SUM9 AUD4 AUD5 AUD7 makes claims that are not in the log is used without a correction, with those lines marked and in the receipt", async () => {
    const bad = good
      .replace("lock file [#1]", "lock file [#1]\n- deploy to production on Friday [#5]\n- all is well in make [#3]")
      .replace("all is well [#3]\n", "all is well [#3]\n- [x] wrote `src/ghost.ts` [#2]\n");
    const model = scriptedModel(createReply(bad));
    const { session, receipt } = await compactBy(model);
    expect(receipt).toMatchObject({ route: "model", calls: 1 });
    expect(flawsIn(receipt)).toEqual([
      {
        code: "unfounded",
        note: expect.stringMatching(/^“deploy to production on Friday” is marked \(unconfirmed\) because it /),
      },
      {
        code: "not-from-user",
        note: expect.stringMatching(/^“all is well in make” is marked \(not from the user\) because it /),
      },
      {
        code: "unknown-name",
        note: expect.stringMatching(/^“wrote src\/ghost\.ts” is marked \(unconfirmed\) because it /),
      },
    ]);
    expectEveryLine(
      session,
      bad
        .replace("Friday [#5]", "Friday [#5] (unconfirmed)")
        .replace("in make [#3]", "in make [#3] (not from the user)")
        .replace("ghost.ts` [#2]", "ghost.ts` [#2] (unconfirmed)"),
    );
    expectSound(session);
  });
});

describe("a mark on a line", () => {
  const line = "- deploy to production on Friday [#1]";
  const bad = good.replace("- never touch the lock file [#1]", line);

  test.each([
    ["is repeated", `${line} (unconfirmed)`],
    ["is left out", line],
  ])("AUD4 AUD7 stays in the next summary, even if the mark %s there", async (_, repeated) => {
    const { session } = await compactBy(scriptedModel(createReply(bad)));
    expect(storyIn(session)).toContain(`${line} (unconfirmed)\n`);
    const model = scriptedModel(createReply(good.replace("- never touch the lock file [#1]", repeated)));
    await growAndCompact(session, model);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(`${line} (unconfirmed)`);
    expect(storyIn(session)).toContain(`${line} (unconfirmed)\n`);
    expect(storyIn(session).split("(unconfirmed)")).toHaveLength(2);
  });

  test("AUD7 disappears with its line", async () => {
    const { session } = await compactBy(scriptedModel(createReply(bad)));
    await growAndCompact(
      session,
      scriptedModel(createReply(good.replace("- never touch the lock file [#1]", "- (none)"))),
    );
    expect(storyIn(session)).not.toMatch(/Friday|unconfirmed/);
  });

  /** Another turn, and a compaction that covers all before it. */
  async function growAndCompact(session: Session, model: Model): Promise<void> {
    await session.append({
      type: "custom_message",
      customType: "output",
      content: repeatWord(900, "more"),
      display: true,
    });
    await session.append({ type: "message", message: { role: "user", content: "and now the scanner", timestamp: 1 } });
    const ports = testRuntime("y");
    const outcome = await compact({
      session,
      budget,
      reason: "asked",
      runtime: ports,
      summarizers: [modelSummarizer(model, { runtime: ports })],
    });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model", calls: 1 } });
  }
});

test("INV43 CMP3 aborted after any number of steps leaves a valid compaction or no change", async () => {
  const outcomes = new Set<string>();
  // Until an abort comes too late to find anything under way.
  for (let steps = 0, wasEnded = false; !wasEnded; steps++) {
    let ended = false;
    const session = await createSession(...storyLines);
    const before = { contextText: contextLines(session), bytes: (session.store as MemoryStore).bytes() };
    const ports = testRuntime("x");
    const controller = new AbortController();
    const writers = [modelSummarizer(scriptedModel(createReply(good)), { runtime: ports })];
    const act = compact({
      session,
      budget,
      reason: "asked",
      runtime: ports,
      summarizers: writers,
      signal: controller.signal,
    }).finally(() => {
      ended = true;
    });
    for (let step = 0; step < steps; step++) await null;
    wasEnded = ended;
    controller.abort();
    const outcome = await act;
    outcomes.add(outcome.type);
    expect(session.busyReasons).toEqual([]);
    if (outcome.type === "compacted") expectSound(session);
    else {
      expect(outcome).toEqual({ type: "cancelled" });
      expect(contextLines(session)).toEqual(before.contextText);
      const added = (await session.branchEntries()).slice(storyLines.length);
      expect(added.every(({ type }) => type === "usage")).toBe(true);
      if (added.length === 0) expect((session.store as MemoryStore).bytes()).toEqual(before.bytes);
    }
  }
  expect([...outcomes].sort()).toEqual(["cancelled", "compacted"]);
});

async function compactBy(
  ...models: readonly Model[]
): Promise<{ readonly session: Session; readonly receipt: Receipt }> {
  const session = await createSession(...storyLines);
  const ports = testRuntime("x");
  const writers = models.map((model) => modelSummarizer(model, { runtime: ports }));
  const outcome = await compact({ session, budget, reason: "asked", runtime: ports, summarizers: writers });
  if (outcome.type !== "compacted") throw new Error(`it was not compacted: ${outcome.type}`);
  return { session, receipt: outcome.receipt };
}

/** The summary by a model in the newest compaction. */
function storyIn({ branch: { entries, compactionIndex: compactionAt } }: Session): string {
  return readPreviousSummary(entries[compactionAt] as CompactionEntry).narrative;
}

/** AUD7 SUM7: these lines and no others. The cut falls into a turn, of which only the user's message is covered. */
function expectEveryLine(session: Session, summary: string): void {
  expect(linesOf(storyIn(session))).toEqual(linesOf(summary));
}

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

/** What the receipt says about the summary itself. */
function flawsIn({ findings }: Receipt): readonly Finding[] {
  return findings.filter(({ code }) => code !== "result-reduced" && code !== "reply-unused");
}

/** The user's words are all there, it fits, and every provider takes it. */
function expectSound(session: Session): void {
  const context = buildSessionContext(session.branch);
  const contextText = JSON.stringify(context.messages);
  expect(contextText).toContain("never touch the lock file");
  expect(contextText).toContain("and the printer");
  expect(contextSize(session.branch, budget).tokens).toBeLessThan(budget.limit);
  for (const api of apisWithRules) {
    const to = { api, provider: "any", model: "any" };
    expect(findRuleViolations(buildRequest(context, { model: to }), to)).toEqual([]);
  }
}

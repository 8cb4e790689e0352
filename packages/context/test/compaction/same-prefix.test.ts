/** Tests summaries that are requested with the session's last request, as a program that embeds the library sees them. */

import { describe, expect, test } from "vitest";
import {
  type AssistantMessage,
  buildRequest,
  buildSessionContext,
  type CompactionLimits,
  type CompactionOutcome,
  compact,
  compactionLimits,
  createBudget,
  type Entry,
  MemoryStore,
  type Model,
  modelSummarizer,
  type Request,
  Session,
  type Usage,
} from "../../src/index.ts";
import { nodeRuntime } from "../../src/node/index.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";

const SUMMARY = `## Goal
- Note the facts [#2]

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] Noted the facts

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Go on

## Critical Context
- The facts are about the parser`;

test("PFX1 the request is the last one, unchanged, and one message", async () => {
  const model = scriptedModel(SUMMARY);
  const { session, requests } = await createSession(model);
  const outcome = await compactWith({ session, model, usesRequests: true });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "same-prefix" } });
  const [request] = model.requests;
  const last = requests.at(-1);
  expect({ ...request, messages: request?.messages.slice(0, -1) }).toEqual(last);
  expect(request?.messages.at(-1)).toMatchObject({ role: "user" });
});

test("PFX8 after a change of the price, the expected cost is that of the new price", async () => {
  const expectCost = async (priceOf: (turn: number) => number): Promise<number> => {
    const model = scriptedModel(SUMMARY);
    const { session } = await createSession(model, priceOf);
    const outcome = await compactWith({ session, model, usesRequests: true });
    return (outcome.type === "compacted" && outcome.receipt.expectedCost) || 0;
  };
  const newCost = await expectCost(() => 3e-6);
  // The ids of entries in the request differ by a token or two.
  expect((await expectCost(() => 1e-6)) / newCost).toBeCloseTo(1 / 3);
  expect((await expectCost((turn) => (turn <= 10 ? 1e-6 : 3e-6))) / newCost).toBeCloseTo(1);
});

test("PFX2 without the option, a transcript is sent", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  const outcome = await compactWith({ session, model, usesRequests: false });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
  expect(model.requests[0]).toMatchObject({ tools: [], toolChoice: "none" });
});

test("PFX4 an edit of the context after the last request changes its beginning, so a transcript is sent", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  const target = session.branch.entries[1];
  await session.append({ type: "context_edit", targetId: target?.id ?? "", replacement: { content: "(shortened)" } });
  const outcome = await compactWith({ session, model, usesRequests: true });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
});

test("PFX4 a changed thinking level changes the whole request, so a transcript is sent", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  await session.append({ type: "thinking_level_change", thinkingLevel: "high" });
  const outcome = await compactWith({ session, model, usesRequests: true });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
});

test.each([
  [4, "same-prefix"],
  [5, "model"],
])("PFX4 %d minutes after the last reply, the route is %s", async (minutes, route) => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  const outcome = await compactWith({ session, model, usesRequests: true, lateness: minutes * 60_000 });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route } });
});

test("PFX4 if the limits say that the provider caches for a minute, a transcript is sent two minutes after the last reply", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  const outcome = await compactWith({
    session,
    model,
    usesRequests: true,
    lateness: 2 * 60_000,
    limits: { ...compactionLimits, outdated: { ...compactionLimits.outdated, cacheLifetime: 60_000 } },
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
});

test("PFX4 after a model change, the first reply of the new model has written the cache, so its request is extended", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession({ ...model, model: "another" });
  await session.addUserMessage("Go on.");
  await session.append({ type: "message", message: createReply(model, 21, { cacheRead: 0, cacheWrite: 12_500 }) });
  const firstKeptEntryId = findRequest(session, 12);
  const outcome = await compactWith({ session, model, usesRequests: true, window: 60_000, firstKeptEntryId });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "same-prefix" } });
});

test("PFX4 if another model has answered since, a transcript is sent", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  await session.addUserMessage("Go on.");
  await session.append({ type: "message", message: createReply({ ...model, model: "another" }, 21) });
  const outcome = await compactWith({ session, model, usesRequests: true });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
});

test("PFX4 if the request, the instruction and the longest answer do not fit the window, a transcript is sent", async () => {
  const compactIn = async (window: number) => {
    const model = { ...scriptedModel(SUMMARY), maxTokens: 2_500 };
    const { session } = await createSession(model);
    const outcome = await compactWith({ session, model, usesRequests: true, window });
    return { outcome, request: model.requests[0] };
  };
  const { outcome, request } = await compactIn(24_000);
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "same-prefix" } });
  const instruction = request?.messages.at(-1);
  // Twenty turns of 620 tokens were sent, as the last reply reports.
  const needed = 20 * 620 + (instruction ? messageTokens(instruction) : 0) + 2_500;
  expect((await compactIn(needed - 200)).outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
  // The estimate of the instruction may be too low.
  expect((await compactIn(needed + 50)).outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
});

test("PFX4 the answer may be as long as the window of the model that writes it allows, however short replies had to be", async () => {
  const model = scriptedModel(SUMMARY);
  const { session } = await createSession(model);
  const replyBudget = { tokens: 300, reserve: 100 };
  await compactWith({ session, model, usesRequests: true, window: 24_000, replyBudget });
  const instruction = model.requests[0]?.messages.at(-1);
  const free = 24_000 - 20 * 620 - (instruction ? messageTokens(instruction) : 0);
  const tokens = model.requests[0]?.replyBudget?.tokens ?? 0;
  // The estimate of the instruction may be too low.
  expect(tokens).toBeGreaterThan(free / 2);
  expect(tokens).toBeLessThanOrEqual(free);
});

test("PFX5 with a cut before the last compaction, the instruction names the first message that is kept, not the old summary", async () => {
  const model = scriptedModel(SUMMARY, SUMMARY);
  const { session } = await createSession(model);
  const compactBefore = (turn: number) =>
    compactWith({ session, model, usesRequests: true, firstKeptEntryId: findRequest(session, turn) });
  expect(await compactBefore(10)).toMatchObject({ type: "compacted" });
  await session.addUserMessage("Go on.");
  await session.append({ type: "message", message: createReply(model, 21) });
  expect(await compactBefore(16)).toMatchObject({ type: "compacted", receipt: { route: "same-prefix" } });
  const instruction = JSON.stringify(model.requests[1]?.messages.at(-1));
  expect(instruction).toContain("The first message of the conversation contains the summary so far.");
  // Of the request, five turns and "Go on." are kept.
  expect(instruction).toMatch(
    /Summarize the conversation up to the user's message that begins “Note the facts 16 [^”]*”\. It and everything after it \(11 messages\)/,
  );
});

test("PFX5 the last reply and the results after it, which were never sent, follow the last request", async () => {
  const model = scriptedModel(SUMMARY);
  const { session, requests } = await createSession(model);
  const call = { type: "toolCall", id: "c21", name: "read", arguments: { path: "a.ts" } } as const;
  await session.addUserMessage("Read a.ts.");
  const reply = { ...createReply(model, 21), content: [call], stopReason: "toolUse" } as const;
  await session.append({ type: "message", message: reply });
  const content = [{ type: "text", text: "the port is 8080" }] as const;
  const result = { role: "toolResult", toolCallId: "c21", toolName: "read", content, isError: false } as const;
  await session.append({ type: "message", message: { ...result, timestamp: 0 } });
  await session.addUserMessage("Go on.");
  const outcome = await compactWith({ session, model, usesRequests: true, keepsOnlyLeaf: true });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "same-prefix" } });
  const lastTurn = model.requests[0]?.messages.slice((requests.at(-1)?.messages.length ?? 0) + 1);
  expect(lastTurn).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [call] },
    { role: "toolResult", content },
    { role: "user", content: [{ text: expect.stringContaining("Summarize the conversation above.") }] },
  ]);
});

test("PFX4 a summary that is written again from the originals is requested with a transcript that has them", async () => {
  const model = scriptedModel(SUMMARY, SUMMARY);
  const { session } = await createSession(model);
  await compactWith({ session, model, usesRequests: true, firstKeptEntryId: findRequest(session, 10) });
  await session.addUserMessage("Go on.");
  await session.append({ type: "message", message: createReply(model, 21) });
  const originals = await session.branchEntries();
  const outcome = await compactWith({ session, model, usesRequests: true, originals });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model" } });
  expect(JSON.stringify(model.requests[1])).toContain("Note the facts 1 about the parser");
});

test("PFX3 if the provider stays busy, no transcript is sent to it", async () => {
  const busy = { failure: { kind: "busy", message: "overloaded", retryAfterMs: 0 } } as const;
  const model = scriptedModel(busy, busy, SUMMARY);
  const { session } = await createSession(model);
  const outcome = await compactWith({ session, model, usesRequests: true });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free" } });
  expect(model.requests.map(({ toolChoice }) => toolChoice === "none")).toEqual([false, false]);
});

/** The entry of the user's message of a turn. */
function findRequest({ branch }: Session, turn: number): string | undefined {
  return branch.entries.find((entry) => JSON.stringify(entry).includes(`"Note the facts ${turn} `))?.id;
}

describe("EVT5 the recorded cost of a summary that is stopped while it is written", () => {
  const prices = { input: 3e-6, cacheRead: 3e-7, cacheWrite: 3.75e-6, output: 1.5e-5 };

  test("PFX2 after the last request: its tokens count at the price of a cache read", async () => {
    const { cacheRead, cost } = await stopSummary("while the first request is answered");
    expect(cacheRead).toBe(20 * 620);
    expect(cost.cacheRead).toBeCloseTo(20 * 620 * prices.cacheRead);
    expect(cost.total).toBeLessThan((20 * 620 * prices.input) / 2);
  });

  test("PFX2 with a transcript after a refused request: all tokens count at the full price", async () => {
    const { cacheRead, input, cost } = await stopSummary("while the transcript is answered");
    expect(cacheRead).toBe(0);
    expect(cost.input).toBeCloseTo(input * prices.input);
    expect(input).toBeGreaterThan(5_000);
  });

  /** Stops a compaction and returns the usage in the log. The provider reports none. */
  async function stopSummary(moment: string): Promise<Usage> {
    const controller = new AbortController();
    let requests = 0;
    const model: Model = {
      ...scriptedModel(),
      async *stream() {
        requests += 1;
        if (requests === 1 && moment === "while the transcript is answered") {
          yield { type: "reply-failed", failure: { kind: "refused", message: "not now" } };
          return;
        }
        yield { type: "text-delta", text: "## Goal" };
        controller.abort();
        yield { type: "reply-failed", failure: { kind: "aborted", message: "stopped" } };
      },
    };
    const { session } = await createSession(model);
    const outcome = await compactWith({ session, model, usesRequests: true, prices, signal: controller.signal });
    expect(outcome).toEqual({ type: "cancelled" });
    const usages = session.branch.entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
    expect(usages).toHaveLength(1);
    return usages[0] as Usage;
  }
});

test("PFX2 a transcript that would have to be shortened is sent only if the last request does not fit either", async () => {
  const compactIn = async (window: number) => {
    const model = { ...scriptedModel(SUMMARY), maxTokens: 1_000 };
    const session = await createWorkSession(model);
    // The cache is cold, so a shortened transcript costs far less than the last request.
    const options = { usesRequests: true, window, lateness: 6 * 60_000, keepsOnlyLeaf: true };
    const outcome = await compactWith({ session, model, ...options });
    const sentLines = JSON.stringify(model.requests[0]).split(LINE).length - 1;
    return { route: outcome.type === "compacted" && outcome.receipt.route, isComplete: sentLines === 20 * 100 };
  };
  expect(await compactIn(14_000)).toEqual({ route: "model", isComplete: false });
  expect(await compactIn(16_000)).toEqual({ route: "same-prefix", isComplete: true });
});

const LINE = "it reads tokens one by one. ";

/** A session with one request of the user and 20 tool results. */
async function createWorkSession(model: Model): Promise<Session> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  await session.append({ type: "message", message: { role: "user", content: "Note the facts.", timestamp: 0 } });
  for (let turn = 1; turn <= 20; turn += 1) {
    const call = { type: "toolCall", id: `c${turn}`, name: "read", arguments: { path: `${turn}.ts` } } as const;
    const reply = { ...createReply(model, turn), content: [call], stopReason: "toolUse" } as const;
    await session.append({ type: "message", message: reply });
    const content = [{ type: "text", text: `File ${turn}: ${LINE.repeat(100)}` }] as const;
    const result = { role: "toolResult", toolCallId: call.id, toolName: call.name, content, isError: false } as const;
    await session.append({ type: "message", message: { ...result, timestamp: 0 } });
  }
  await session.append({ type: "message", message: createReply(model, 21) });
  await session.addUserMessage("Go on.");
  return session;
}

/** A session of 20 turns whose requests were cached, and these requests. The price of a token that is written to the cache may change. */
async function createSession(
  model: Model,
  priceOf: (turn: number) => number = () => 0,
): Promise<{ readonly session: Session; readonly requests: readonly Request[] }> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const requests: Request[] = [];
  await session.append({ type: "message", message: { role: "system", content: "You work.", timestamp: 0 } });
  for (let turn = 1; turn <= 20; turn += 1) {
    const content = `Note the facts ${turn} about the parser: ${LINE.repeat(100)}`;
    await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } });
    requests.push(buildRequest(buildSessionContext(session.branch), { model }));
    const { usage, ...reply } = createReply(model, turn);
    const cacheWrite = (usage?.cacheWrite ?? 0) * priceOf(turn);
    const cost = { ...usage.cost, cacheWrite, total: cacheWrite };
    await session.append({ type: "message", message: { ...reply, usage: { ...usage, cost } } });
  }
  return { session, requests };
}

function createReply(
  { api, provider, model }: Model,
  turn: number,
  cache = { cacheRead: (turn - 1) * 620, cacheWrite: 620 },
): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const totalTokens = cache.cacheRead + cache.cacheWrite + 5;
  const usage = { input: 0, output: 5, ...cache, totalTokens, cost };
  const content = [{ type: "text", text: `Noted ${turn}.` }] as const;
  return { role: "assistant", content, api, provider, model, usage, stopReason: "stop", timestamp: 0 };
}

function compactWith({
  session,
  model,
  usesRequests,
  window = 24_000,
  lateness = 0,
  keepsOnlyLeaf = false,
  firstKeptEntryId = keepsOnlyLeaf ? (session.leaf ?? "") : undefined,
  limits = compactionLimits,
  originals,
  replyBudget,
  prices,
  signal,
}: {
  readonly session: Session;
  readonly model: Model;
  readonly usesRequests: boolean;
  /** The context window of the model that writes the summary. */
  readonly window?: number;
  /** How long after the last reply, in milliseconds. */
  readonly lateness?: number;
  readonly keepsOnlyLeaf?: boolean;
  readonly firstKeptEntryId?: string | undefined;
  readonly limits?: CompactionLimits;
  readonly originals?: readonly Entry[];
  /** Of the session's requests. */
  readonly replyBudget?: Request["replyBudget"];
  readonly prices?: Parameters<typeof modelSummarizer>[1]["prices"];
  readonly signal?: AbortSignal;
}): Promise<CompactionOutcome> {
  const runtime = { ...nodeRuntime, now: () => nodeRuntime.now() + lateness };
  return compact({
    session,
    budget: createBudget(limits, { contextWindow: 24_000, model }),
    reason: "asked",
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
    ...(originals && { originals }),
    ...(signal && { signal }),
    runtime,
    summarizers: [modelSummarizer({ ...model, contextWindow: window }, { runtime, prices })],
    ...(usesRequests && {
      requests: {
        model,
        build: (context) => ({ ...buildRequest(context, { model }), ...(replyBudget && { replyBudget }) }),
      },
    }),
  });
}

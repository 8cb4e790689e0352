/** Tests summaries that are requested with the session's last request, as a program that embeds the library sees them. */

import { expect, test } from "vitest";
import {
  type AssistantMessage,
  buildRequest,
  buildSessionContext,
  type CompactionOutcome,
  compact,
  compactionLimits,
  createBudget,
  MemoryStore,
  type Model,
  modelSummarizer,
  type Request,
  Session,
} from "../../src/index.ts";
import { nodeRuntime } from "../../src/node/index.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";

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

/** A session of 20 turns whose requests were cached, and these requests. */
async function createSession(
  model: Model,
): Promise<{ readonly session: Session; readonly requests: readonly Request[] }> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const requests: Request[] = [];
  await session.append({ type: "message", message: { role: "system", content: "You work.", timestamp: 0 } });
  for (let turn = 1; turn <= 20; turn += 1) {
    const content = `Note the facts ${turn} about the parser: ${"it reads tokens one by one. ".repeat(100)}`;
    await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } });
    requests.push(buildRequest(buildSessionContext(session.branch), { model }));
    await session.append({ type: "message", message: createReply(model, turn) });
  }
  return { session, requests };
}

function createReply({ api, provider, model }: Model, turn: number): AssistantMessage {
  const cacheRead = (turn - 1) * 620;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 5, cacheRead, cacheWrite: 620, totalTokens: cacheRead + 625, cost };
  const content = [{ type: "text", text: `Noted ${turn}.` }] as const;
  return { role: "assistant", content, api, provider, model, usage, stopReason: "stop", timestamp: 0 };
}

function compactWith({
  session,
  model,
  usesRequests,
}: {
  readonly session: Session;
  readonly model: Model;
  readonly usesRequests: boolean;
}): Promise<CompactionOutcome> {
  return compact({
    session,
    budget: createBudget(compactionLimits, { contextWindow: 24_000, model }),
    reason: "asked",
    runtime: nodeRuntime,
    summarizers: [modelSummarizer({ ...model, contextWindow: 24_000 }, { runtime: nodeRuntime })],
    ...(usesRequests && { requests: { model, build: (context) => buildRequest(context, { model }) } }),
  });
}

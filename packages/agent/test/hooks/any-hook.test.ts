/** Tests every hook with every fault: the session is the same as without the hook, and a call whose tool_call hook fails is not run. */

import assert from "node:assert/strict";
import { type Entry, MemoryStore, type Model, Session } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import { emptyUsage, testRuntime } from "@pith/context/testing";
import { describe, test } from "vitest";
import { type AgentHooks, mergeHooks, type RunEnd, type Tool } from "../../src/index.ts";
import { createTestAgent, quiet, type TestAgent } from "../support/held-agent.ts";
import { invalidResults } from "./invalid-results.ts";

const CANCEL = "not now";

const cancelOnRequest: NonNullable<AgentHooks["session_before_compact"]>[number] = ({ customInstructions }) =>
  customInstructions?.includes(CANCEL) ? { cancel: true } : undefined;

type Name = Exclude<keyof AgentHooks, "report" | "onFailure" | "isWaitingForUser">;

/** The compiler checks that none is missing. */
const names: Readonly<Record<Name, true>> = {
  input: true,
  before_agent_start: true,
  message_end: true,
  tool_call: true,
  tool_result: true,
  turn_end: true,
  agent_before_settle: true,
  context: true,
  context_with_system: true,
  before_provider_request: true,
  after_provider_response: true,
  provider_stream_event: true,
  session_before_compact: true,
  session_compact: true,
  session_compact_failed: true,
  session_before_tree: true,
  session_tree: true,
};

const all = Object.keys(names) as readonly Name[];

const runWithoutHooks = await runWithHooks({});
const runWithBlockedCalls = await runWithHooks({
  tool_call: [() => ({ block: true, reason: "a tool_call hook failed" })],
});

test("SAY1 the compared session has tool calls, compactions and a move", () => {
  assert.deepEqual(runWithoutHooks.outcomes, ["cancelled", "compacted", "moved"]);
  assert.ok(runWithoutHooks.ran.length > 0 && runWithBlockedCalls.ran.length === 0);
});

describe.each(all)("%s", (name) => {
  test("SAY1 a hook that hangs for 30 s does not change the session", async () => {
    await expectNoEffect(name, [() => new Promise<never>(() => {})], "no answer within 30 s");
  });

  test("SAY1 a hook that throws or rejects does not change the session", async () => {
    const throwing = (): never => {
      throw new Error("it had to");
    };
    await expectNoEffect(name, [throwing, () => Promise.reject(new Error("it had to"))], "it had to");
  });

  test("SAY1 a hook that throws a value that is not an Error does not change the session", async () => {
    const thrown = [undefined, null, 5, Symbol("x"), { toString: null }];
    const hooks = thrown.map((each) => () => Promise.reject(each));
    await expectNoEffect(name, hooks, null);
  });

  test("SAY1 a hook that returns an invalid result does not change the session", async () => {
    const hooks = invalidResults.map((each) => () => each);
    await expectNoEffect(name, [...hooks, ...invalidResults.map((each) => async () => each)], null);
  });

  test("SAY1 a hook that changes its event does not change the session", async () => {
    expectSameRun(
      await runWithHooks({ [name]: [(event: unknown) => void overwrite(event, 0)] } as AgentHooks),
      runWithoutHooks,
    );
  });
});

async function expectNoEffect(name: Name, hooks: readonly ((event: unknown) => unknown)[], why: string | null) {
  const failures: HookFailure[] = [];
  let calls = 0;
  const countedHooks = hooks.map((hook) => (event: unknown) => {
    calls += 1;
    return hook(event);
  });
  const report = (failure: HookFailure): void => void failures.push(failure);
  const run = await runWithHooks({ [name]: countedHooks, report } as AgentHooks);
  // SAY4: a failed tool_call hook blocks the call.
  expectSameRun(run, name === "tool_call" ? runWithBlockedCalls : runWithoutHooks);
  assert.ok(calls > 0, `${name} was never called`);
  if (why !== null && calls > 0) assert.ok(failures.some((failure) => failure.event === name && failure.why === why));
}

function expectSameRun({ ends, outcomes, log, ran, opensAgain }: SessionRun, expected: SessionRun): void {
  assert.deepEqual(ends, expected.ends);
  assert.deepEqual(outcomes, expected.outcomes);
  assert.deepEqual(log, expected.log);
  assert.deepEqual(ran, expected.ran);
  assert.ok(opensAgain);
}

function overwrite(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null || depth > 6 || value instanceof AbortSignal) return;
  for (const name of Object.keys(value)) {
    overwrite((value as Record<string, unknown>)[name], depth + 1);
    if (depth > 0) Reflect.set(value, name, "spoilt");
  }
  if (Array.isArray(value)) value.length = 0;
}

interface SessionRun {
  readonly test: TestAgent;
  readonly ends: readonly RunEnd[];
  /** The outcomes of the cancelled compaction, of the other one, and of the move. */
  readonly outcomes: readonly string[];
  /** The entries as text, without times. */
  readonly log: readonly string[];
  /** The tool calls that were run. */
  readonly ran: readonly string[];
  readonly opensAgain: boolean;
}

async function runWithHooks(hooks: AgentHooks): Promise<SessionRun> {
  const ran: string[] = [];
  const test = await createTestAgent(createModel(), {
    tools: [createTool(ran)],
    hooks: mergeHooks(hooks, { session_before_compact: [cancelOnRequest] }),
    summarizers: [],
  });
  const { agent } = test;
  const ends = [await test.prompt(`Begin. ${"This is what it is about. ".repeat(900)}`)];
  await agent.followUp("And this.");
  ends.push(await test.prompt("Go on."));
  const outcomes = [
    await agent.compact(CANCEL),
    await agent.compact(),
    await agent.navigateTree(agent.session.branch.entries[0]?.id ?? null),
  ];
  ends.push(await test.prompt("Once more."));
  await quiet();
  const branch = await agent.session.branchEntries();
  const { store } = agent.session;
  if (!(store instanceof MemoryStore)) throw new Error("the store must be a MemoryStore");
  const reopened = await Session.open(MemoryStore.open(store.bytes(), testRuntime("z")), testRuntime("z"));
  const log = branch.map(formatEntry);
  const opensAgain = JSON.stringify((await reopened.branchEntries()).map(formatEntry)) === JSON.stringify(log);
  return { test, ends, outcomes: outcomes.map(({ type }) => type), log, ran, opensAgain };
}

/** Replies alternate between two parallel tool calls and a text. */
function createModel(): Model {
  let requestCount = 0;
  const name = { api: "anthropic-messages", provider: "anthropic", model: "talker" };
  return {
    ...name,
    contextWindow: 24_000,
    maxTokens: 4_000,
    async *stream(_, { transport }) {
      requestCount += 1;
      transport?.onResponse?.({ "x-request-id": `r${requestCount}` });
      transport?.onChunk?.({ piece: requestCount });
      const call = (at: string) =>
        ({ type: "toolCall", id: `c${requestCount}${at}`, name: "work", arguments: { at } }) as const;
      const isCalling = requestCount % 2 === 1;
      yield {
        type: "reply-ended",
        message: {
          role: "assistant",
          content: isCalling ? [call("a"), call("b")] : [{ type: "text", text: `Said ${requestCount}.` }],
          ...name,
          usage: emptyUsage,
          stopReason: isCalling ? "toolUse" : "stop",
          timestamp: 0,
        },
      };
    },
  };
}

function createTool(ran: string[]): Tool {
  return {
    name: "work",
    description: "It works.",
    parameters: { type: "object" },
    isIdempotent: true,
    run: async ({ id, arguments: { at } }) => {
      ran.push(`${id} ${JSON.stringify(at)}`);
      return { content: [{ type: "text", text: `worked ${"well ".repeat(900)}` }], details: { at } };
    },
  };
}

/** Ids depend on how often the clock and the id generator were called, so only the content is compared. */
function formatEntry(entry: Entry): string {
  if (entry.type === "message") return JSON.stringify({ ...entry.message, timestamp: 0 });
  if (entry.type === "custom_message") return `${entry.customType}: ${JSON.stringify(entry.content)}`;
  return entry.type === "custom" ? `custom ${entry.customType}` : entry.type;
}

/** Tests every hook with every fault: the session is the same as without the hook, and a call whose tool_call hook fails is not run. */

import assert from "node:assert/strict";
import type { HookFailure } from "@pith/context/host";
import { describe, test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { invalidResults } from "./invalid-results.ts";
import { runWithHooks, type SessionRun } from "./session-with-hooks.ts";

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

/** Whatever a hook does, at every place where one is asked, the session is what it would be without it; what a guard failed to look at is not run. */

import assert from "node:assert/strict";
import type { HookFailure } from "@pith/context/host";
import { describe, test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { type Life, lived } from "./life.ts";
import { nonsense } from "./misbehaviour.ts";

type Name = Exclude<keyof AgentHooks, "report" | "onFailure" | "isWaitingForUser">;

/** The compiler sees that none is missing. */
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

const without = await lived({});
const guarded = await lived({
  tool_call: [() => ({ block: true, reason: "a tool_call hook failed" })],
});

test("SAY1 the life that is compared has all that hooks are asked about", () => {
  assert.deepEqual(without.outcomes, ["cancelled", "compacted", "moved"]);
  assert.ok(without.ran.length > 0 && guarded.ran.length === 0);
});

describe.each(all)("%s", (name) => {
  test("SAY1 one that hangs for 30 s spoils nothing", async () => {
    await spoilsNothing(name, [() => new Promise<never>(() => {})], "no answer within 30 s");
  });

  test("SAY1 one that throws or rejects spoils nothing", async () => {
    const throwing = (): never => {
      throw new Error("it had to");
    };
    await spoilsNothing(name, [throwing, () => Promise.reject(new Error("it had to"))], "it had to");
  });

  test("SAY1 one that throws what is no error spoils nothing", async () => {
    const thrown = [undefined, null, 5, Symbol("x"), { toString: null }];
    const hooks = thrown.map((each) => () => Promise.reject(each));
    await spoilsNothing(name, hooks, null);
  });

  test("SAY1 one that answers nonsense spoils nothing", async () => {
    const hooks = nonsense.map((each) => () => each);
    await spoilsNothing(name, [...hooks, ...nonsense.map((each) => async () => each)], null);
  });

  test("SAY1 one that spoils what it is told spoils nothing", async () => {
    intact(await lived({ [name]: [(event: unknown) => void spoil(event, 0)] } as AgentHooks), without);
  });
});

async function spoilsNothing(name: Name, hooks: readonly ((event: unknown) => unknown)[], why: string | null) {
  const failures: HookFailure[] = [];
  let asked = 0;
  const counting = hooks.map((hook) => (event: unknown) => {
    asked += 1;
    return hook(event);
  });
  const report = (failure: HookFailure): void => void failures.push(failure);
  const life = await lived({ [name]: counting, report } as AgentHooks);
  // SAY4: whoever watches over calls and fails has not let them pass.
  intact(life, name === "tool_call" ? guarded : without);
  assert.ok(asked > 0, `${name} was never asked`);
  if (why !== null && asked > 0) assert.ok(failures.some((failure) => failure.event === name && failure.why === why));
}

function intact({ ends, outcomes, log, ran, opensAgain }: Life, expected: Life): void {
  assert.deepEqual(ends, expected.ends);
  assert.deepEqual(outcomes, expected.outcomes);
  assert.deepEqual(log, expected.log);
  assert.deepEqual(ran, expected.ran);
  assert.ok(opensAgain);
}

function spoil(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null || depth > 6 || value instanceof AbortSignal) return;
  for (const name of Object.keys(value)) {
    spoil((value as Record<string, unknown>)[name], depth + 1);
    if (depth > 0) Reflect.set(value, name, "spoilt");
  }
  if (Array.isArray(value)) value.length = 0;
}

/** Tests hooks.ts: hooks run in turn, their results are validated, and they cannot break or block the operation. */

import { describe, expect, test } from "vitest";
import { type Hook, type HookFailure, type HookResults, type RunHooksOptions, runHooks } from "../src/hooks.ts";
import { testRuntime } from "../src/testing/scripted-model.ts";

interface Event {
  readonly type: "asked";
  readonly list: string[];
}

type TestHook = Hook<Event, unknown>;

interface TestHookResults extends HookResults<string> {
  readonly reported: readonly HookFailure[];
}

const event = (): Event => ({ type: "asked", list: ["one", "two"] });
const hanging: TestHook = () => new Promise<never>(() => {});
const throwing: TestHook = () => {
  throw new Error("no");
};

function read(result: unknown): string | null {
  if (result === undefined) return null;
  if (typeof result !== "string") throw new Error("it is no text");
  return result;
}

async function runTestHooks(
  hooks: readonly TestHook[],
  options: Partial<RunHooksOptions<string>> = {},
): Promise<TestHookResults> {
  const reported: HookFailure[] = [];
  const host = { report: (failure: HookFailure) => void reported.push(failure), ...options.host };
  const answers = await runHooks(hooks, event, { runtime: testRuntime(), read, ...options, host });
  return { ...answers, reported };
}

describe("runHooks", () => {
  test("HOOK1 calls the hooks in order, and continues after a hook without a result", async () => {
    const order: string[] = [];
    const createHook =
      (text: string, turns: number): TestHook =>
      async () => {
        order.push(text);
        await testRuntime().sleep(turns, {});
        return text;
      };
    expect(await runTestHooks([createHook("one", 50), () => undefined, createHook("two", 1)])).toStrictEqual({
      answers: ["one", "two"],
      failures: [],
      isCancelled: false,
      reported: [],
    });
    expect(order).toStrictEqual(["one", "two"]);
  });

  test("HOOK1 calls no hook after a final result", async () => {
    const calls: string[] = [];
    const createHook =
      (text: string): TestHook =>
      () => {
        calls.push(text);
        return text;
      };
    const { answers } = await runTestHooks([createHook("one"), createHook("stop"), createHook("two")], {
      isFinal: (text) => text === "stop",
    });
    expect({ answers, calls }).toStrictEqual({ answers: ["one", "stop"], calls: ["one", "stop"] });
  });

  test("HOOK1 calls each hook with its own event", async () => {
    const reports: string[][] = [];
    const emptying: TestHook = ({ list }) => {
      reports.push([...list]);
      list.length = 0;
    };
    await runTestHooks([emptying, emptying]);
    expect(reports).toStrictEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
  });

  test("HOOK1 returns at once if there are no hooks", async () => {
    expect(await runTestHooks([])).toStrictEqual({ answers: [], failures: [], isCancelled: false, reported: [] });
  });
});

describe("a hook that fails", () => {
  const failing: readonly [string, TestHook, string][] = [
    ["throws", throwing, "no"],
    ["fails later", () => Promise.reject<never>(new Error("not now")), "not now"],
    ["hangs", hanging, "no answer within 30 s"],
    ["answers nonsense", () => 7, "it is no text"],
    ["throws what has no text", () => Promise.reject<never>(Object.create(null)), "the error has no message"],
  ];

  test.each(failing)("HOOK4 because it %s is reported once, and the other hooks run", async (_, hook, why) => {
    const failure = { event: "asked", why };
    expect(await runTestHooks([() => "one", hook, () => "two"])).toStrictEqual({
      answers: ["one", "two"],
      failures: [failure],
      isCancelled: false,
      reported: [failure],
    });
  });

  test.each(failing)(
    "HOOK4 because it %s cancels the operation if the host cancels on failure",
    async (_, hook, why) => {
      const failure = { event: "asked", why };
      const reported: HookFailure[] = [];
      const host = { onFailure: "cancel" as const, report: (each: HookFailure) => void reported.push(each) };
      let callCount = 0;
      const answers = await runTestHooks([hook, () => `${callCount++}`], { host });
      expect({ ...answers, reported, callCount }).toStrictEqual({
        answers: [],
        failures: [failure],
        isCancelled: true,
        reported: [failure],
        callCount: 0,
      });
    },
  );

  test("HOOK4 the report callback is optional", async () => {
    const outcome = await runHooks([throwing], event, { host: {}, runtime: testRuntime(), read });
    expect(outcome).toStrictEqual({ answers: [], failures: [{ event: "asked", why: "no" }], isCancelled: false });
  });

  test("HOOK4 that is slow but within its limit is awaited", async () => {
    const ports = testRuntime();
    const { answers } = await runTestHooks([() => ports.sleep(29_000, {}).then(() => "at last")], { runtime: ports });
    expect(answers).toStrictEqual(["at last"]);
  });
});

test.each<[string, TestHook]>([
  ["hangs", hanging],
  ["answers", () => "one"],
  ["fails", throwing],
])("HOOK4 a hook is not awaited after an abort, even if it %s", async (_, hook) => {
  const stop = new AbortController();
  let callCount = 0;
  const aborting: TestHook = (event) => {
    stop.abort();
    return hook(event);
  };
  const outcome = await runTestHooks([aborting, () => `${callCount++}`], { signal: stop.signal });
  expect({ ...outcome, callCount }).toStrictEqual({
    answers: [],
    failures: [],
    isCancelled: true,
    reported: [],
    callCount: 0,
  });
});

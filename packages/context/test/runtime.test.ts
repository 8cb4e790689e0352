/** Tests runtime.ts: work that fails, hangs or is aborted gives a value at once and leaves nothing behind. */

import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Runtime, runGuarded } from "../src/runtime.ts";
import { testRuntime } from "../src/testing/scripted-model.ts";

const { sleep } = testRuntime();
const hanging = (): Promise<never> => new Promise(() => {});
const within = { ms: 100, sleep };

function thrown(value: unknown): () => never {
  return () => {
    throw value;
  };
}

describe("the result of guarded work", () => {
  test.each<[string, () => unknown, unknown]>([
    ["a value", () => 7, { type: "done", value: 7 }],
    ["a promise of a value", async () => 7, { type: "done", value: 7 }],
    ["nothing", () => undefined, { type: "done", value: undefined }],
    ["an error at once", thrown(new Error("no")), { type: "failed", why: "no" }],
    ["an error later", () => Promise.reject(new Error("not now")), { type: "failed", why: "not now" }],
    ["a thrown text", thrown("no"), { type: "failed", why: "no" }],
    ["a thrown undefined", thrown(undefined), { type: "failed", why: "undefined" }],
    ["work that never ends", hanging, { type: "late" }],
  ])("SUM4 HOOK4 for %s", async (_, work, outcome) => {
    expect(await runGuarded(work, { timeout: within })).toStrictEqual(outcome);
  });

  test.each<[string, unknown]>([
    ["without a text", Object.create(null)],
    ["whose text throws", { toString: thrown(new Error("nor this")) }],
    ["whose message throws", Object.defineProperty(new Error(), "message", { get: thrown(new Error("nor this")) })],
  ])("SUM4 HOOK4 a thrown value %s is a failure like any other", async (_, value) => {
    expect(await runGuarded(thrown(value))).toStrictEqual({ type: "failed", why: "the error has no message" });
  });

  test("SUM4 HOOK4 a long error message is shortened", async () => {
    const outcome = await runGuarded(thrown(new Error("x".repeat(10_000))));
    expect(outcome).toStrictEqual({ type: "failed", why: `${"x".repeat(500)}…` });
  });

  test("SUM4 has no time limit without a timeout", async () => {
    expect(await runGuarded(() => sleep(100_000, {}))).toStrictEqual({ type: "done", value: undefined });
  });
});

describe("guarded work that is aborted", () => {
  test("SUM4 before it starts is not started", async () => {
    let begun = 0;
    const outcome = await runGuarded(() => begun++, { signal: AbortSignal.abort(), timeout: within });
    expect({ outcome, begun }).toStrictEqual({ outcome: { type: "aborted" }, begun: 0 });
  });

  test("SUM4 while it runs is abandoned at once", async () => {
    const stop = new AbortController();
    const outcome = runGuarded(hanging, { signal: stop.signal });
    stop.abort();
    expect(await outcome).toStrictEqual({ type: "aborted" });
  });

  test.each<[string, (stop: AbortController) => unknown]>([
    ["and goes on", hanging],
    ["and is done", () => 7],
    ["and fails", thrown(new Error("no"))],
  ])("SUM4 by the work itself, which starts %s, gives the result aborted", async (_, work) => {
    const stop = new AbortController();
    const outcome = await runGuarded(
      () => {
        stop.abort();
        return work(stop);
      },
      { signal: stop.signal, timeout: within },
    );
    expect(outcome).toStrictEqual({ type: "aborted" });
  });

  test("SUM4 at any moment is either aborted or done", async () => {
    const outcomes: string[] = [];
    for (let moment = 0; moment < 30; moment++) {
      const stop = new AbortController();
      void sleep(moment, {}).then(() => stop.abort());
      outcomes.push((await runGuarded(() => sleep(15, {}), { signal: stop.signal })).type);
    }
    const lastAborted = outcomes.lastIndexOf("aborted");
    expect(outcomes).toStrictEqual(outcomes.map((_, at) => (at <= lastAborted ? "aborted" : "done")));
    expect([outcomes.at(0), outcomes.at(-1)]).toStrictEqual(["aborted", "done"]);
  });
});

test("SUM4 HOOK4 every result leaves no listener and no timer behind", async () => {
  const stop = new AbortController();
  let open = 0;
  const counted: Runtime["sleep"] = async (ms, act) => {
    open++;
    await sleep(ms, act);
    open--;
  };
  for (const work of [() => 7, thrown(new Error("no")), hanging])
    for (let round = 0; round < 400; round++)
      await runGuarded(work, { signal: stop.signal, timeout: { ms: 100, sleep: counted } });
  await setImmediate();
  expect({ open, listeners: getEventListeners(stop.signal, "abort").length }).toStrictEqual({ open: 0, listeners: 0 });
});

test("SUM4 a failure after the result is ignored", async () => {
  const stop = new AbortController();
  const rejections: unknown[] = [];
  const listen = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", listen);
  const outcome = runGuarded(() => sleep(50, {}).then(thrown(new Error("too late"))), { signal: stop.signal });
  stop.abort();
  expect(await outcome).toStrictEqual({ type: "aborted" });
  await setImmediate();
  await setImmediate();
  process.off("unhandledRejection", listen);
  expect(rejections).toStrictEqual([]);
});

/** Every act on a session, killed right before each of its calls that touch the session's folder; each runs in a process of its own under strace. */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../../support/test-length.ts";
import { compile } from "./child.ts";
import { checkAfterKill, type Operation, operations, prepare } from "./operations.ts";
import { callsTouching, checkStrace, killedAt, pathsTouched, type Traced } from "./strace.ts";

const root = mkdtempSync(join(tmpdir(), "pith-syscalls-"));
afterAll(() => rmSync(root, { recursive: true }));

test("D2 without strace the tests fail and say how to install it", () => {
  expect(() => checkStrace("no-such-strace")).toThrow("apt-get install strace");
});

describe("D2", () => {
  beforeAll(async () => {
    checkStrace();
    await prepare("append", join(root, "compile"));
    await compile("operations.ts", ["append", join(root, "compile")]);
  });

  test.each(operations)(
    "DISK1 DISK5 D2 %s, killed before every call that touches its folder, loses nothing",
    async (act) => {
      const before = join(root, act);
      await prepare(act, before);
      const paths = await pathsTouched(traced(act, "learn"));
      const calls = await callsTouching(traced(act, "count"), paths);
      const points = calls.flatMap(({ call, count }) =>
        Array.from({ length: count }, (_, at) => ({ call, nth: at + 1 })),
      );
      expect(points.length).toBeGreaterThan(10);
      const wrong = await inPairs(isLong ? points : takeEvery(5, points), async (point) => {
        const run = traced(act, `${point.call}-${point.nth}`);
        const { output: text, signal, errors } = await killedAt(run, paths, point);
        if (signal !== "SIGKILL") return [`not killed: ${errors}`];
        const faults = await checkAfterKill(act, { folder: run.folder, before, output: text });
        return faults.map((fault) => `killed before ${point.call} ${point.nth}: ${fault}`);
      });
      expect(wrong.flat()).toEqual([]);
    },
  );
});

/** The act in a folder of its own, as it was prepared. */
function traced(act: Operation, name: string): Traced {
  const folder = join(root, `${act}-${name}`);
  cpSync(join(root, act), folder, { recursive: true });
  return { program: "operations.ts", args: [act, folder], folder };
}

/** One of so many, begun at a random one, so that each is tried some day. */
function takeEvery<Item>(count: number, items: readonly Item[]): readonly Item[] {
  const start = Math.floor(Math.random() * count);
  return items.filter((_, at) => at % count === start);
}

async function inPairs<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items];
  const lane = async (): Promise<void> => {
    for (let item = left.shift(); item; item = left.shift()) results.push(await run(item));
  };
  await Promise.all([lane(), lane()]);
  return results;
}

/** Tests compare/count-calls.ts. */

import { expect, test } from "vitest";
import { countCalls } from "../compare/count-calls.ts";
import { writeTree } from "./plant.ts";

const text = (...lines: string[]): string => `/** A file. */\n${lines.join("\n")}\n`;

test("calls are counted, however they are chained", () => {
  const root = writeTree({
    "packages/cli/test/a.test.ts": text(
      `test("one", () => expect(1).not.toBe(2));`,
      `test.each([1, 2])("two %s", async (n: number) => { await expect(run(n)).resolves.toEqual({}); });`,
      `it("three", () => { expect.assertions(1); expect(3).toBe(3); });`,
    ),
    "scripts/test/b.test.ts": text(`test("four", () => {});`),
  });
  expect(countCalls(root)).toEqual({ test: 4, expect: 3 });
});

test("neither texts nor comments count, nor other calls of the same name", () => {
  const root = writeTree({
    "bench/test/a.test.ts": text(`// test("no")`, `const a = 'expect(1)';`, "tools.test(1);", "regexp.expect();"),
    "packages/cli/node_modules/a/test/a.test.ts": text(`test("no", () => {});`),
  });
  expect(countCalls(root)).toEqual({ test: 0, expect: 0 });
});

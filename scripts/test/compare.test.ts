/** Tests `pnpm compare`: the same program gives the same output twice, and tests are counted by parser. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countCalls, playConversation } from "../compare.ts";
import { writeTree } from "./run-script.ts";

test("the same program prints the same bytes twice, through tools, a compaction, undo and redo", async () => {
  const program = join(import.meta.dirname, "../../packages/cli/src/bin.ts");
  const options = { folder: join(writeTree({}), "stage"), sessions: [] };
  const first = await playConversation(program, options);
  expect(await playConversation(program, options)).toBe(first);
  const types = new Set(first.split("\n").map((line) => JSON.parse(line).type));
  for (const type of ["tool_execution_end", "compaction_end", "compaction_undone", "compaction_redone"])
    expect(types).toContain(type);
});

test("a commit that does not exist is refused with one sentence", () => {
  const script = join(import.meta.dirname, "../compare.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, "no-such-commit"], { encoding: "utf8" });
  expect(stderr).toBe('compare: there is no commit "no-such-commit" here; git log lists them\n');
  expect(status).toBe(2);
});

const text = (...lines: string[]): string => `/** A file. */\n${lines.join("\n")}\n`;

test("tests and assertions are counted, however their calls are chained", () => {
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

test("strings, comments and methods named test or expect are not counted", () => {
  const root = writeTree({
    "bench/test/a.test.ts": text(`// test("no")`, `const a = 'expect(1)';`, "tools.test(1);", "regexp.expect();"),
    "packages/cli/node_modules/a/test/a.test.ts": text(`test("no", () => {});`),
  });
  expect(countCalls(root)).toEqual({ test: 0, expect: 0 });
});

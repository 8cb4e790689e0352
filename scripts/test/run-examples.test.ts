/** Tests run-examples: examples run in order, the output of a failing one is shown, and no examples is a failure. */

import { expect, test } from "vitest";
import { runScript } from "./run-script.ts";
import { writeTree } from "./write-tree.ts";

test("examples that pass are counted", () => {
  const { status, lines } = runScript("run-examples.ts", writeTree({ "examples/02-b.ts": "", "examples/01-a.ts": "" }));
  expect(status).toBe(0);
  expect(lines.map((line) => line.replace(/\d\.\d s/, "time"))).toEqual([
    "ok 01-a.ts (time)",
    "ok 02-b.ts (time)",
    "2 passed, 0 failed",
  ]);
});

test("examples in folders run too", () => {
  const { lines } = runScript("run-examples.ts", writeTree({ "examples/api/a.ts": "", "examples/01-a.ts": "" }));
  expect(lines.map((line) => line.replace(/\d\.\d s/, "time"))).toEqual([
    "ok 01-a.ts (time)",
    "ok api/a.ts (time)",
    "2 passed, 0 failed",
  ]);
});

test("an example that fails shows what it printed", () => {
  const text = `console.log("before");\nconsole.error("why");\nprocess.exit(3);\n`;
  const { status, lines } = runScript(
    "run-examples.ts",
    writeTree({ "examples/01-a.ts": text, "examples/02-b.ts": "" }),
  );
  expect(status).toBe(1);
  expect(lines).toEqual(expect.arrayContaining(["before", "why", "ended with exit code 3", "1 passed, 1 failed"]));
});

test("no examples is a failure", () => {
  expect(runScript("run-examples.ts", writeTree({}))).toEqual({
    status: 1,
    lines: ["there are no examples", "0 passed, 0 failed"],
  });
});

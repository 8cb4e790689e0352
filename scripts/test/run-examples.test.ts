/** Tests run-examples: examples run in order, the output of a failing one is shown, and no examples is a failure. */

import { expect, test } from "vitest";
import { runScript, writeTree } from "./run-script.ts";

test("run-examples counts examples that pass", () => {
  const { status, lines } = runScript("run-examples.ts", writeTree({ "examples/02-b.ts": "", "examples/01-a.ts": "" }));
  expect(status).toBe(0);
  expect(lines.map((line) => line.replace(/\d\.\d s/, "time"))).toEqual([
    "ok 01-a.ts (time)",
    "ok 02-b.ts (time)",
    "2 passed, 0 failed",
  ]);
});

test("run-examples also runs examples in folders", () => {
  const { lines } = runScript("run-examples.ts", writeTree({ "examples/api/a.ts": "", "examples/01-a.ts": "" }));
  expect(lines.map((line) => line.replace(/\d\.\d s/, "time"))).toEqual([
    "ok 01-a.ts (time)",
    "ok api/a.ts (time)",
    "2 passed, 0 failed",
  ]);
});

test("run-examples prints the output of an example that fails", () => {
  const text = `console.log("before");\nconsole.error("why");\nprocess.exit(3);\n`;
  const { status, lines } = runScript(
    "run-examples.ts",
    writeTree({ "examples/01-a.ts": text, "examples/02-b.ts": "" }),
  );
  expect(status).toBe(1);
  expect(lines).toEqual(expect.arrayContaining(["before", "why", "ended with exit code 3", "1 passed, 1 failed"]));
});

test("run-examples fails if there are no examples", () => {
  expect(runScript("run-examples.ts", writeTree({}))).toEqual({
    status: 1,
    lines: ["there are no examples", "0 passed, 0 failed"],
  });
});

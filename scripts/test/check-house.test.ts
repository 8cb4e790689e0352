/** Every fault of the house, planted alone in a clean tree, is found where it stands; the clean tree has none. */

import { expect, test } from "vitest";
import { inspect } from "../house/inspect.ts";
import { clean, file, inConvert, inMessage } from "./clean-house.ts";
import { plant } from "./plant.ts";
import { plantedFaults } from "./planted-faults.ts";
import { runScript } from "./run-script.ts";

test("a clean tree has no fault and no question", () => {
  expect(inspect(plant(clean))).toEqual({ files: 11, faults: [], questions: [] });
});

test.each(plantedFaults)("found: $fault", ({ files, at, says }) => {
  const { faults } = inspect(plant({ ...clean, ...files }));
  expect(faults.map(({ path, line }) => `${path}:${line}`)).toEqual([at]);
  expect(faults[0]?.sentence).toContain(says);
});

test.each([
  `const a = "import x from 'pith'"; /* import "pith"; */`,
  `const a = \`import "pith"; \${\`export * from "pith"\`} import "pith";\`;`,
  `const a = /["'\`/]/; const b = 'import "pith"';`,
  `const a = Array.from("pith");`,
])("not taken for an import: %s", (text) => {
  expect(inspect(plant({ ...clean, ...inConvert(text).files })).faults).toEqual([]);
});

test.each([
  "const a = new Date(0); const b = parts.process.name; const c = clock.Date.now;",
  "/** Not Date.now, but a port. */ const a = 'Math.random';",
  `const a = \`process.env \${said} console.log\`;`,
])("not taken for an effect: %s", (text) => {
  expect(inspect(plant({ ...clean, ...inMessage(text).files })).faults).toEqual([]);
});

test.each([
  "export const base64Length = 1;",
  `export { getEntry, SessionManager } from "ai";`,
  "export const processId = 1;",
  "export interface Database {}",
  "export function process(): void {}",
  "export function commonAncestor(): void {}",
])("not taken for a vague name: %s", (text) => {
  expect(inspect(plant({ ...clean, "bench/src/a.ts": file(text) })).faults).toEqual([]);
});

const body = "  work();\n".repeat(39);

test.each([
  ["a long file", { "bench/src/a.ts": `/** A file. */\n${"// more\n".repeat(250)}` }, "bench/src/a.ts:1 251 lines"],
  [
    "a full folder",
    Object.fromEntries([..."abcdefghijkl"].map((name) => [`bench/src/${name}.ts`, file("")])),
    "bench/src:1 13 files",
  ],
  [
    "a long function",
    { "bench/src/a.ts": file(`function long(): { a: 1 } {\n${body}}`) },
    "bench/src/a.ts:3 long has 41 lines",
  ],
  [
    "a long method",
    { "bench/src/a.ts": file(`class A {\n  async run(a: B): Promise<C> {\n${body}  }\n}`) },
    "bench/src/a.ts:4 run has 41 lines",
  ],
  [
    "a long arrow",
    { "bench/src/a.ts": file(`const go = async ({ a }: B) => {\n${body}};`) },
    "bench/src/a.ts:3 go has 41 lines",
  ],
  [
    "many parameters",
    {
      "bench/src/a.ts": file(
        "function wide<T>(\n  a: Map<T, T>,\n  b: T,\n  c: T,\n  d = (e: T, f: T) => 1,\n): T {\n  work();\n}",
      ),
    },
    "bench/src/a.ts:3 wide takes 4 parameters",
  ],
])("asked about, but no fault: %s", (_, files, asked) => {
  const { faults, questions } = inspect(plant({ ...clean, ...files }));
  expect(faults).toEqual([]);
  expect(questions.map(({ path, line, sentence }) => `${path}:${line} ${sentence.split(";")[0]}`)).toEqual([asked]);
});

test("not asked about: what is just within bounds, calls and statements", () => {
  const text = file(
    `function fine(a: Map<A, B>, b: B, c: C) {\n  if (\n    a(1, 2, 3, 4)\n  ) {\n${"    b();\n".repeat(34)}  }\n}`,
  );
  expect(inspect(plant({ ...clean, "bench/src/a.ts": text })).questions).toEqual([]);
});

test("the script prints faults, then questions, then the count, and fails only on faults", () => {
  const wide = { "bench/src/a.ts": file("function wide(a: A, b: A, c: A, d: A) {}") };
  const question = "bench/src/a.ts:3  wide takes 4 parameters; would one object read better?";
  const asked = runScript("check-house.ts", plant({ ...clean, ...wide }));
  expect(asked).toEqual({
    status: 0,
    lines: ["", "Questions, not faults:", question, "house: 12 files, 0 faults, 1 question"],
  });

  const faulty = runScript("check-house.ts", plant({ ...clean, ...wide, ...inConvert(`import "pith";`).files }));
  expect(faulty.status).toBe(1);
  expect(faulty.lines[0]).toMatch(/^packages\/models\/src\/convert\.ts:3 {2}packages\/models may not import "pith"; /);
  expect(faulty.lines.at(-1)).toBe("house: 12 files, 1 fault, 1 question");
});

test("the script fails where there is nothing to check", () => {
  expect(runScript("check-house.ts", plant({})).status).toBe(1);
});

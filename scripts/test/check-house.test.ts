/** Every fault of the house, planted alone in a clean tree, is found where it stands; the clean tree has none. */

import { expect, test } from "vitest";
import { PROGRAM_NAME } from "../build/packages.ts";
import { inspect } from "../house/inspect.ts";
import { clean, file, inConvert, inMessage, others } from "./clean-house.ts";
import { plant } from "./plant.ts";
import { plantedFaults } from "./planted-faults.ts";
import { runScript } from "./run-script.ts";

test("a clean tree has no fault and no question", () => {
  expect(inspect(plant(clean))).toEqual({ files: 15, faults: [], questions: [] });
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

const body = "  work();\n".repeat(59);

test.each([
  ["a long file", { "bench/src/a.ts": `/** A file. */\n${"// more\n".repeat(500)}` }, "bench/src/a.ts:1 501 lines"],
  [
    "a full folder",
    Object.fromEntries([..."abcdefghijklmnopqrst"].map((name) => [`bench/src/${name}.ts`, file("")])),
    "bench/src:1 21 files",
  ],
  [
    "a long function",
    { "bench/src/a.ts": file(`function long(): { a: 1 } {\n${body}}`) },
    "bench/src/a.ts:3 long has 61 lines",
  ],
  [
    "a long method",
    { "bench/src/a.ts": file(`class A {\n  async run(a: B): Promise<C> {\n${body}  }\n}`) },
    "bench/src/a.ts:4 run has 61 lines",
  ],
  [
    "a long arrow",
    { "bench/src/a.ts": file(`const go = async ({ a }: B) => {\n${body}};`) },
    "bench/src/a.ts:3 go has 61 lines",
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
  [
    "a small file with one importer",
    { "bench/src/a.ts": file(`import "./b.ts";`), "bench/src/b.ts": file("") },
    "bench/src/b.ts:1 3 lines and one importer",
  ],
  [
    "a deep folder",
    { "packages/cli/src/a/b/c/d.ts": file(""), ...others("packages/cli/src/a/b/c") },
    "packages/cli/src/a/b/c:1 3 folders below packages/cli/src",
  ],
  ["a folder of two files", { "bench/src/in/a.ts": file(""), "bench/src/in/b.ts": file("") }, "bench/src/in:1 2 files"],
  [
    "a name at two levels",
    { "bench/src/in/a.ts": file(""), "bench/src/in/in/a.ts": file(""), ...others("bench/src/in/in") },
    `bench/src/in/in:1 "in" stands at two levels`,
  ],
  [
    "a gerund folder",
    { "bench/src/reading/a.ts": file(""), ...others("bench/src/reading") },
    `bench/src/reading:1 "reading" is a gerund`,
  ],
  [
    "a participle alone",
    { "bench/src/a.ts": file("export function told(): void {}") },
    "bench/src/a.ts:3 told is a participle alone",
  ],
])("asked about, but no fault: %s", (_, files, asked) => {
  const { faults, questions } = inspect(plant({ ...clean, ...files }));
  expect(faults).toEqual([]);
  expect(questions.map(({ path, line, sentence }) => `${path}:${line} ${sentence.split(";")[0]}`)).toEqual([asked]);
});

test.each([
  "export function getEntry(): void {}",
  "export const handleLine = (line: string): string => line;",
  "export class SessionManager {}",
  "export interface LoadOptions {}",
  "export function readSettings(): void {}",
])("not asked about: %s", (text) => {
  const { faults, questions } = inspect(
    plant({ ...clean, ...others("bench/src/onboarding"), "bench/src/onboarding/types.ts": file(text) }),
  );
  expect([...faults, ...questions]).toEqual([]);
});

test.each([
  [
    "an index.ts",
    {
      "bench/src/a.ts": file(`import "./in/index.ts";`),
      "bench/src/in/index.ts": file(`export * from "ai";`),
      ...others("bench/src/in"),
    },
  ],
  [
    "a small file that several import",
    {
      "bench/src/a.ts": file(`import "./c.ts";`),
      "bench/src/b.ts": file(`import "./c.ts";`),
      "bench/src/c.ts": file(""),
    },
  ],
  ["a folder called testing", { "bench/src/testing/a.ts": file(""), ...others("bench/src/testing") }],
])("not asked about: %s", (_, files) => {
  expect(inspect(plant({ ...clean, ...files }))).toMatchObject({ faults: [], questions: [] });
});

test("not asked about: what is just within bounds, calls and statements", () => {
  const text = file(
    `function fine(a: Map<A, B>, b: B, c: C) {\n  if (\n    a(1, 2, 3, 4)\n  ) {\n${"    b();\n".repeat(54)}  }\n}`,
  );
  expect(inspect(plant({ ...clean, "bench/src/a.ts": text })).questions).toEqual([]);
});

test("check-house prints faults and counts questions, and fails only on faults", () => {
  const wide = { "bench/src/a.ts": file("function wide(a: A, b: A, c: A, d: A) {}") };
  expect(runScript("check-house.ts", plant({ ...clean, ...wide }))).toEqual({
    status: 0,
    lines: ["house: 16 files, 0 faults, 1 question (pnpm house lists them)"],
  });

  const faulty = runScript(
    "check-house.ts",
    plant({ ...clean, ...wide, ...inConvert(`import "${PROGRAM_NAME}";`).files }),
  );
  expect(faulty.status).toBe(1);
  const sentence = `packages/models/src/convert.ts:3  packages/models may not import "${PROGRAM_NAME}"; `;
  expect(faulty.lines[0]?.startsWith(sentence)).toBe(true);
  expect(faulty.lines.at(-1)).toBe("house: 16 files, 1 fault, 1 question (pnpm house lists them)");
});

test("pnpm house lists questions and figures; with --json the figures are one object", () => {
  const planted = plant({
    ...clean,
    "bench/src/a.ts": file("function wide(a: A, b: A, c: A, d: A) {}"),
    "bench/src/reading/in/the/b.ts": `/** A file. */\n${"// more\n".repeat(500)}`,
    ...others("bench/src/reading/in/the"),
  });
  const { status, lines } = runScript("check-house.ts", "--list", planted);
  expect(status).toBe(0);
  expect(lines[0]).toBe("bench/src/a.ts:3  wide takes 4 parameters; would one object read better?");
  expect(lines.at(-1)).toBe("house: 19 files, 0 faults, 4 questions");
  expect(JSON.parse(runScript("check-house.ts", "--list", "--json", planted).lines.at(-1) ?? "")).toEqual({
    context_files: 9,
    agent_files: 0,
    cli_files: 0,
    models_files: 1,
    client_files: 0,
    testkit_files: 0,
    scripts_files: 0,
    bench_files: 5,
    evals_files: 1,
    depth: 3,
    depth_interactive: 0,
    gerund_folders: 1,
    files_over_500: ["bench/src/reading/in/the/b.ts"],
    median_lines: 3,
    cycles: 0,
  });
});

test("the script fails where there is nothing to check", () => {
  expect(runScript("check-house.ts", plant({})).status).toBe(1);
});

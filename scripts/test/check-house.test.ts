/** Tests check-house: each fault, added alone to a clean tree, is reported where it is; the clean tree has none. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { runChecks } from "../check-house.ts";
import { PROGRAM_NAME } from "../packages.ts";
import {
  CONTEXT_SOURCES,
  cleanWorkspace,
  faultInConvert,
  faultInMessage,
  sourceFile,
  twoMoreFiles,
} from "./clean-workspace.ts";
import { plantedFaults } from "./planted-faults.ts";
import { runScript, writeTree } from "./run-script.ts";

test("check-house reports no fault and no question in a clean tree", () => {
  expect(runChecks(writeTree(cleanWorkspace))).toMatchObject({ files: 19, faults: [], questions: [] });
});

test.each(plantedFaults)("check-house reports: $fault", ({ files, at, message }) => {
  const { faults } = runChecks(writeTree({ ...cleanWorkspace, ...files }));
  expect(faults.map(({ path, line }) => `${path}:${line}`)).toEqual([at]);
  expect(faults[0]?.sentence).toContain(message);
});

test("Biome finds a cycle of type imports", () => {
  const root = writeTree({
    "biome.json": readFileSync(join(import.meta.dirname, "../../biome.json"), "utf8").replace(/"vcs".*\n/, ""),
    "a.ts": `import type { B } from "./b.ts";\n\nexport type A = B;\n`,
    "b.ts": `import { type A } from "./a.ts";\n\nexport type B = A;\n`,
  });
  const biome = join(import.meta.dirname, "../../node_modules/.bin/biome");
  const { status, stderr, stdout } = spawnSync(biome, ["lint", "--colors=off"], { cwd: root, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stdout + stderr).toContain("a.ts:1:24 lint/suspicious/noImportCycles");
});

test.each([
  `const a = "import x from 'pith'"; /* import "pith"; */`,
  `const a = \`import "pith"; \${\`export * from "pith"\`} import "pith";\`;`,
  `const a = /["'\`/]/; const b = 'import "pith"';`,
  `const a = Array.from("pith");`,
])("check-house does not take this for an import: %s", (text) => {
  expect(runChecks(writeTree({ ...cleanWorkspace, ...faultInConvert(text).files })).faults).toEqual([]);
});

test.each([
  "const a = new Date(0); const b = parts.process.name; const c = clock.Date.now;",
  "/** Not Date.now, but a port. */ const a = 'Math.random';",
  `const a = \`process.env \${name} console.log\`;`,
])("check-house does not take this for an effect: %s", (text) => {
  expect(runChecks(writeTree({ ...cleanWorkspace, ...faultInMessage(text).files })).faults).toEqual([]);
});

test("knip finds a file, a dependency and an exported value that nothing uses, tests included", () => {
  const root = writeTree({
    "knip.jsonc": readFileSync(join(import.meta.dirname, "../../knip.jsonc"), "utf8"),
    "pnpm-workspace.yaml": "packages: [packages/*]",
    "package.json": "{}",
    "packages/context/package.json": JSON.stringify({
      name: "@pith/context",
      exports: "./src/index.ts",
      dependencies: { unused: "1.0.0" },
    }),
    "packages/context/src/index.ts": 'export { a } from "./a.ts";',
    "packages/context/src/a.ts": "export const a = 1;\nexport const unused = 2;\nexport interface Options {}",
    "packages/context/src/lonely.ts": "",
    "packages/context/test/a.test.ts": 'import { wait } from "./support.ts";\n\nwait();',
    "packages/context/test/support.ts": "export function wait() {}\nexport function idle() {}",
  });
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "../../node_modules/knip/bin/knip.js"), "--directory", root, "--reporter", "compact"],
    { encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stdout).toContain("packages/context/src/lonely.ts");
  expect(stdout).toContain("packages/context/package.json: unused");
  expect(stdout).toContain("packages/context/src/a.ts: unused");
  expect(stdout).toContain("packages/context/test/support.ts: idle");
  expect(stdout).not.toContain("Options");
});

const body = "  work();\n".repeat(59);

test.each([
  ["a long file", { "bench/src/a.ts": `/** A file. */\n${"// more\n".repeat(500)}` }, "bench/src/a.ts:1 501 lines"],
  [
    "a full folder",
    Object.fromEntries([..."abcdefghijklmnopqrst"].map((name) => [`bench/src/${name}.ts`, sourceFile("")])),
    "bench/src:1 21 files",
  ],
  [
    "a long function",
    { "bench/src/a.ts": sourceFile(`function long(): { a: 1 } {\n${body}}`) },
    "bench/src/a.ts:3 long has 61 lines",
  ],
  [
    "a long method",
    { "bench/src/a.ts": sourceFile(`class A {\n  async run(a: B): Promise<C> {\n${body}  }\n}`) },
    "bench/src/a.ts:4 run has 61 lines",
  ],
  [
    "a long arrow",
    { "bench/src/a.ts": sourceFile(`const go = async ({ a }: B) => {\n${body}};`) },
    "bench/src/a.ts:3 go has 61 lines",
  ],
  [
    "many parameters",
    {
      "bench/src/a.ts": sourceFile(
        "function wide<T>(\n  a: Map<T, T>,\n  b: T,\n  c: T,\n  d = (e: T, f: T) => 1,\n): T {\n  work();\n}",
      ),
    },
    "bench/src/a.ts:3 wide takes 4 parameters",
  ],
  [
    "a small file with a function",
    { "bench/src/a.ts": sourceFile(`import "./b.ts";`), "bench/src/b.ts": sourceFile("function parse() {}") },
    "bench/src/b.ts:1 3 lines",
  ],
  [
    "a deep folder",
    { "packages/cli/src/a/b/c/d.ts": sourceFile(""), ...twoMoreFiles("packages/cli/src/a/b/c") },
    "packages/cli/src/a/b/c:1 3 folders below packages/cli/src",
  ],
  [
    "a folder of two files",
    { "bench/src/in/a.ts": sourceFile(""), "bench/src/in/b.ts": sourceFile("") },
    "bench/src/in:1 2 files",
  ],
  [
    "a name at two levels",
    { "bench/src/in/a.ts": sourceFile(""), "bench/src/in/in/a.ts": sourceFile(""), ...twoMoreFiles("bench/src/in/in") },
    `bench/src/in/in:1 "in" is also the name of a parent folder`,
  ],
  [
    "a gerund folder",
    { "bench/src/reading/a.ts": sourceFile(""), ...twoMoreFiles("bench/src/reading") },
    `bench/src/reading:1 "reading" is a gerund`,
  ],
  [
    "a participle alone",
    {
      "bench/src/a.ts": sourceFile("export function told(): void {}"),
      "bench/test/a.test.ts": sourceFile(`import { told } from "../src/a.ts";`),
    },
    `bench/src/a.ts:3 told begins with the participle "told"`,
  ],
  [
    "two folders of packages/context that import each other",
    {
      [`${CONTEXT_SOURCES}/session/second.ts`]: sourceFile(`import type { A } from "../compaction/third.ts";`),
    },
    `${CONTEXT_SOURCES}/compaction:1 imports ${CONTEXT_SOURCES}/session, which imports it back`,
  ],
])("check-house asks about %s without a fault", (_, files, expected) => {
  const { faults, questions } = runChecks(writeTree({ ...cleanWorkspace, ...files }));
  expect(faults).toEqual([]);
  expect(questions.map(({ path, line, sentence }) => `${path}:${line} ${sentence.split(";")[0]}`)).toEqual([expected]);
});

test.each([
  "export function getEntry(): void {}",
  "export const handleLine = (line: string): string => line;",
  "export class SessionManager {}",
  "export interface LoadOptions {}",
  "export function readSettings(): void {}",
])("check-house does not ask about %s", (text) => {
  const { faults, questions } = runChecks(
    writeTree({
      ...cleanWorkspace,
      ...twoMoreFiles("bench/src/onboarding"),
      "bench/src/onboarding/types.ts": sourceFile(text),
      "bench/test/types.test.ts": sourceFile(`import "../src/onboarding/types.ts";\n\n// ${text}`),
    }),
  );
  expect([...faults, ...questions]).toEqual([]);
});

test.each([
  [
    "an index.ts",
    {
      "bench/src/a.ts": sourceFile(`import "./in/index.ts";`),
      "bench/src/in/index.ts": sourceFile(`export * from "ai";`),
      ...twoMoreFiles("bench/src/in"),
    },
  ],
  [
    "a small port or table",
    { "bench/src/a.ts": sourceFile(`import "./b.ts";`), "bench/src/b.ts": sourceFile("export interface Port {}") },
  ],
  ["a folder called testing", { "bench/src/testing/a.ts": sourceFile(""), ...twoMoreFiles("bench/src/testing") }],
])("check-house does not ask about these files: %s", (_, files) => {
  expect(runChecks(writeTree({ ...cleanWorkspace, ...files }))).toMatchObject({ faults: [], questions: [] });
});

test("check-house does not ask about sizes just within the limits, calls and statements", () => {
  const text = sourceFile(
    `function fine(a: Map<A, B>, b: B, c: C) {\n  if (\n    a(1, 2, 3, 4)\n  ) {\n${"    b();\n".repeat(54)}  }\n}`,
  );
  expect(runChecks(writeTree({ ...cleanWorkspace, "bench/src/a.ts": text })).questions).toEqual([]);
});

test("check-house prints faults and counts questions, and fails only on faults", () => {
  const wide = { "bench/src/a.ts": sourceFile("function wide(a: A, b: A, c: A, d: A) {}") };
  expect(runScript("check-house.ts", writeTree({ ...cleanWorkspace, ...wide }))).toEqual({
    status: 0,
    lines: ["house: 20 files, 0 faults, 1 question (pnpm house lists them)"],
  });

  const faulty = runScript(
    "check-house.ts",
    writeTree({ ...cleanWorkspace, ...wide, ...faultInConvert(`import "${PROGRAM_NAME}";`).files }),
  );
  expect(faulty.status).toBe(1);
  const sentence = `packages/models/src/convert.ts:3  packages/models may not import "${PROGRAM_NAME}"; `;
  expect(faulty.lines[0]?.startsWith(sentence)).toBe(true);
  expect(faulty.lines.at(-1)).toBe("house: 20 files, 1 fault, 1 question (pnpm house lists them)");
});

test("pnpm house lists questions and figures, and --json prints the figures as one object", () => {
  const planted = writeTree({
    ...cleanWorkspace,
    "bench/src/a.ts": sourceFile("function wide(a: A, b: A, c: A, d: A) {}"),
    "bench/src/reading/in/the/b.ts": `/** A file. */\n${"// more\n".repeat(500)}`,
    ...twoMoreFiles("bench/src/reading/in/the"),
  });
  const { status, lines } = runScript("check-house.ts", "--list", planted);
  expect(status).toBe(0);
  expect(lines[0]).toBe("bench/src/a.ts:3  wide takes 4 parameters; would one object read better?");
  expect(lines.at(-1)).toBe("house: 23 files, 0 faults, 4 questions");
  expect(JSON.parse(runScript("check-house.ts", "--list", "--json", planted).lines.at(-1) ?? "")).toEqual({
    context_files: 13,
    agent_files: 1,
    cli_files: 0,
    models_files: 1,
    client_files: 0,
    testkit_files: 0,
    scripts_files: 0,
    bench_files: 5,
    evals_files: 1,
    depth: 3,
    depth_interactive: 0,
    files_over_500: ["bench/src/reading/in/the/b.ts"],
    median_lines: 3,
    context_depth: 1,
    context_exports: 3,
    context_main_exports: 3,
    one_word_participles: 0,
    agent_participles: 0,
    cli_participles: 0,
    cli_one_word_participles: 0,
    models_participles: 0,
    testkit_participles: 0,
    scripts_participles: 0,
    compaction_files: 3,
    compaction_lines: 16,
    turn_lines: 0,
    bash_lines: 0,
    compact_command_lines: 0,
    print_lines: 0,
    pi_tui_importers: 0,
    arrows_back: 0,
    agent_back_arrows: 0,
    prose_marks: 0,
    gerund_folders: 0,
    scripts_lines: 0,
    test_idiom: 0,
    test_helper_files: 0,
    test_helper_lines: 0,
  });
});

test("pnpm prose lists sentences of documents and strings that sound translated, and ignores code", () => {
  const planted = writeTree({
    ...cleanWorkspace,
    "docs/a.md": "Nobody is asked.\n\n```\nnobody\n```\n\nThe user is asked. `anew`\n",
    "packages/cli/src/text/a.ts": sourceFile('const hint = "The branch is told in short";\n// nobody'),
  });
  const { status, lines } = runScript("check-house.ts", "--prose", planted);
  expect(status).toBe(0);
  expect(lines).toEqual([
    'docs/a.md:1  "Nobody": Nobody is asked.',
    expect.stringMatching(/^packages\/cli\/src\/text\/a\.ts:3 {2}"is told": The branch is told in short/),
    "prose: 2 marks",
  ]);
});

test("an import against the layers of the program counts once for each pair of folders", () => {
  const planted = writeTree({
    ...cleanWorkspace,
    "packages/cli/src/text/a.ts": sourceFile(`import "../settings/b.ts";`),
    "packages/cli/src/text/c.ts": sourceFile(`import "../settings/b.ts";`),
    "packages/cli/src/settings/b.ts": sourceFile(`import "../text/d.ts";`),
    "packages/cli/src/text/d.ts": sourceFile(""),
  });
  const figures = JSON.parse(runScript("check-house.ts", "--json", planted).lines.at(-1) ?? "");
  expect(figures).toMatchObject({ arrows_back: 1, cli_files: 4 });
});

test.each([
  {
    rooms: "in layers, types and index.ts included",
    imports: { "index.ts": ["loop/a.ts"], "loop/a.ts": ["text.ts"] },
    count: 0,
  },
  { rooms: "inside one folder", imports: { "loop/a.ts": ["loop/b.ts"], "loop/b.ts": ["loop/a.ts"] }, count: 0 },
  {
    rooms: "that import each other, once for each pair",
    imports: { "loop/a.ts": ["hooks/c.ts"], "loop/b.ts": ["hooks/c.ts"], "hooks/d.ts": ["loop/b.ts"] },
    count: 1,
  },
  {
    rooms: "in two circles that share a room",
    imports: { "agent.ts": ["loop/a.ts"], "loop/a.ts": ["agent.ts", "tool.ts"], "tool.ts": ["loop/a.ts"] },
    count: 2,
  },
  {
    rooms: "in two circles with one import in common",
    imports: { "agent.ts": ["loop/a.ts", "tool.ts"], "loop/a.ts": ["tool.ts"], "tool.ts": ["agent.ts"] },
    count: 1,
  },
])("check-house counts back arrows between rooms of the agent $rooms: $count", ({ imports, count }) => {
  const files = Object.entries(imports).map(([path, targets]) => {
    const up = "../".repeat(path.split("/").length - 1) || "./";
    const lines = targets.map((target) => `import type {} from "${up}${target}";`);
    return [`packages/agent/src/${path}`, sourceFile(lines.join("\n"))];
  });
  const { figures } = runChecks(writeTree({ ...cleanWorkspace, ...Object.fromEntries(files) }));
  expect(figures).toMatchObject({ agent_back_arrows: count });
});

const names = sourceFile(`function told(): void {
  const keptWords = () => {};
}
class Store {
  #heldLock() {}
  get closed(): boolean {
    return false;
  }
}
type Asking = string;
interface WrittenBatch {}
const MADE_BY = { sent() {} };
`);

test("the figure one_word_participles counts functions, methods, types and top-level constants", () => {
  const { questions, figures } = runChecks(
    writeTree({ ...cleanWorkspace, [`${CONTEXT_SOURCES}/session/second.ts`]: names }),
  );
  expect(figures).toMatchObject({ one_word_participles: 7 });
  const questionNames = questions.map(({ sentence }) => sentence.split(" ")[0]);
  expect(questionNames).toEqual(["told", "keptWords", "heldLock", "Asking", "WrittenBatch", "MADE_BY", "sent"]);
});

test.each([
  "export const headings = []; export const SETTING = 1; export type Finding = 1; export const pendingWork = 1;",
  "export function readSettings() {} export function splitLines() {} export function needsLock() {}",
  "export function embedText() {} export function isNamed() {} export const strings = [];",
  "export function run() { const told = 1; return { kept: told }; }",
])("the figure one_word_participles does not count %s", (text) => {
  const { figures } = runChecks(
    writeTree({ ...cleanWorkspace, [`${CONTEXT_SOURCES}/session/second.ts`]: sourceFile(text) }),
  );
  expect(figures).toMatchObject({ one_word_participles: 0 });
});

test.each([
  [
    "context_files is 151",
    Object.fromEntries(Array.from({ length: 138 }, (_, index) => [`${CONTEXT_SOURCES}/f${index}.ts`, sourceFile("")])),
  ],
  ["context_depth is 3", { [`${CONTEXT_SOURCES}/a/b/c/d.ts`]: sourceFile("") }],
  [
    "context_exports is 271",
    {
      [`${CONTEXT_SOURCES}/node/index.ts`]: sourceFile(exportNames(268)),
      [`${CONTEXT_SOURCES}/names.ts`]: sourceFile(""),
    },
  ],
  [
    "context_main_exports is 131",
    {
      [`${CONTEXT_SOURCES}/index.ts`]: sourceFile(
        `${exportNames(130)}\nexport { compact } from "./compaction/compact.ts";`,
      ),
    },
  ],
  ["gerund_folders is 1", { "packages/cli/src/reading/a.ts": sourceFile("") }],
  [
    "compaction_lines is 7634",
    { [`${CONTEXT_SOURCES}/session/session.ts`]: sourceFile(`export class Session {}\n${"\n".repeat(7620)}`) },
  ],
])("check-house asks about a figure above its aim: %s", (expected, files) => {
  const { faults, questions } = runChecks(writeTree({ ...cleanWorkspace, ...files }));
  expect(faults.filter(({ path }) => path !== "ARCHITECTURE.md")).toEqual([]);
  expect(questions.map(({ sentence }) => sentence.split(";")[0])).toContain(expected);
});

function exportNames(count: number): string {
  const names = Array.from({ length: count }, (_, index) => `role as role${index}`);
  return `export { ${names.join(", ")} } from "${count > 200 ? "../" : "./"}message.ts";`;
}

test("check-house fails if there is nothing to check", () => {
  expect(runScript("check-house.ts", writeTree({})).status).toBe(1);
});

test("DOOR1 this repository has no fault of check-house", () => {
  expect(runChecks(resolve(import.meta.dirname, "../..")).faults).toEqual([]);
});

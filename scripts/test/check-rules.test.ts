/** Tests check-rules: each fault, added alone to a clean tree, is reported where it is; the clean tree has none. */

import { expect, test } from "vitest";
import { checkRows, checkRules } from "../check-rules.ts";
import { type FileTree, runScript, writeTree } from "./run-script.ts";

const testFile = "packages/context/test/cut.test.ts";

const rules = ["# Rules", "", "- **CUT1** a (B28)", "- **CTX1** b", "- **CTX2** c", "- **MOVE1** d"];
const moveTest = [
  `import { expectMoved } from "./moved.ts";`,
  "it(",
  `  \`MOVE1 \${what}\`,`,
  "  () => expectMoved(),",
  ");",
  `test("INV1 D3 ANT2 OAR3 OAC4 GEM5 and words", () => expect(1));`,
  "test(name);",
];

const allRows = Array.from({ length: 84 }, (_, index) => index + 1);
const rulesPage = (rows: readonly number[]): string =>
  rows.map((row) => `- **CUT${row}** so it is (B${row})`).join("\n");
const sourcesPage = (rows: readonly number[]): string =>
  `# Sources\n\n## Rows still to come\n\n| row | what | with |\n|---|---|---|\n${rows.map((row) => `| B${row} | it | issue 9 |`).join("\n")}\n`;

const clean: FileTree = {
  "docs/rules.md": rules.join("\n"),
  [testFile]: `test("CUT1 holds", () => expect(1).toBe(1));\ndescribe.each([1])("CTX1 CTX2: hold for %s", () => expect(2));\n`,
  "packages/agent/test/deep/move.test.ts": moveTest.join("\n"),
  "packages/agent/test/deep/moved.ts": "export function expectMoved() { if (!moved) throw new Error(); }\n",
};

function faultsOf(tree: FileTree): string[] {
  return checkRules(writeTree(tree)).faults.map(
    ({ path, line, sentence }) => `${path}:${line} ${sentence.split(";")[0]}`,
  );
}

test("check-rules reports no fault in a clean tree", () => {
  expect(checkRules(writeTree(clean))).toEqual({ rules: 4, faults: [] });
});

test.each([
  ["by no test", `test("the cut holds");`],
  ["not at the beginning", `test("holds CUT1");`],
  ["as part of another number", `test("CUT1x and CUT12");`],
  ["only in a comment", `// test("CUT1 holds");`],
  ["only inside a string", 'const text = `test("CUT1 holds")`;'],
  ["only by a skipped test", `test.skip("CUT1 holds");`],
  ["only by a todo test", `test.todo("CUT1 holds");`],
])("check-rules reports a rule that is cited %s", (_, text) => {
  const tree = { ...clean, [testFile]: `${text}\ntest("CTX1 CTX2 hold", () => assert(true));\n` };
  expect(faultsOf(tree)).toEqual(["docs/rules.md:3 CUT1 has no test"]);
});

test.each(["HOSTILE5", "E2E13"])(
  "check-rules reports a rule of a long family or one with a digit that no test cites: %s",
  (number) => {
    const tree = { ...clean, "docs/rules.md": [...rules, `- **${number}** e`].join("\n") };
    expect(faultsOf(tree)).toEqual([`docs/rules.md:7 ${number} has no test`]);
    expect(faultsOf({ ...tree, "scripts/test/a.test.ts": `test("CUT1 ${number} holds", () => expect(1));\n` })).toEqual(
      [],
    );
  },
);

test.each(["HOSTILE5", "E2E13"])("check-rules reports a test that cites %s, which is not a rule", (number) => {
  const tree = { ...clean, "scripts/test/a.test.ts": `test("CUT1 ${number} holds", () => expect(1));\n` };
  expect(faultsOf(tree)).toEqual([`scripts/test/a.test.ts:1 ${number} is not in docs/rules.md`]);
});

test("check-rules reports a test that cites a number without a rule", () => {
  const tree = { ...clean, "scripts/test/a.test.ts": `\ntest("CUT1 CUT9 holds", () => expect(1));\n` };
  expect(faultsOf(tree)).toEqual(["scripts/test/a.test.ts:2 CUT9 is not in docs/rules.md"]);
});

test.each([
  ["an empty test", "() => {}"],
  ["a test that only calls what asserts nothing", "() => prepare()"],
  ["a test that calls a function of another file by the same name", "() => expectMoved()"],
])("CI2 check-rules reports %s that cites a rule", (_, body) => {
  const text = `test("CUT1 holds", ${body});\nfunction prepare() {}\ntest("CTX1 CTX2 hold", () => assert(true));\n`;
  expect(faultsOf({ ...clean, [testFile]: text })).toEqual([`${testFile}:1 "CUT1 holds" asserts nothing`]);
});

test("check-rules reports a number that is used twice", () => {
  const tree = { ...clean, "docs/rules.md": [...rules, "- **CUT1** another"].join("\n") };
  expect(faultsOf(tree)).toEqual(["docs/rules.md:7 CUT1 is used twice"]);
});

test("check-rules reports a tree without rules", () => {
  expect(faultsOf({})).toEqual(["docs/rules.md:1 has no rule"]);
});

test("check-rules prints the counts of rules and rows, and fails on a fault", () => {
  const tree = { ...clean, "docs/sources.md": sourcesPage(allRows.filter((row) => row !== 28)) };
  expect(runScript("check-rules.ts", writeTree(tree))).toEqual({
    status: 0,
    lines: ["rules: 4 rules, each cited by a test that asserts", "rows: 84, 0 faults"],
  });
  const untested = runScript(
    "check-rules.ts",
    writeTree({ ...tree, [testFile]: `test("CTX1 CTX2 hold", () => expect(1));\n` }),
  );
  expect(untested).toEqual({
    status: 1,
    lines: [
      "docs/rules.md:3  CUT1 has no test; begin the name of a test that proves it with CUT1",
      "rules: 4 rules, 1 fault",
      "rows: 84, 0 faults",
    ],
  });
  const redundant = runScript("check-rules.ts", writeTree({ ...tree, "docs/sources.md": sourcesPage(allRows) }));
  expect(redundant).toMatchObject({ status: 1 });
  expect(redundant.lines.at(-1)).toBe("rows: 84, 1 fault");
});

function rowFaults(settled: readonly number[], pending: readonly number[]): readonly string[] {
  const root = writeTree({ "docs/rules.md": rulesPage(settled), "docs/sources.md": sourcesPage(pending) });
  return checkRows(root).map(({ sentence }) => sentence.split(";")[0] ?? "");
}

test("check-rules accepts a row that a rule settles or that is still open", () => {
  expect(rowFaults(allRows, [])).toEqual([]);
  expect(rowFaults(allRows.slice(1), [1])).toEqual([]);
});

test("check-rules reports a row in neither place, in both, or after the last", () => {
  expect(rowFaults(allRows.slice(1), [])).toEqual(["no rule settles B1"]);
  expect(rowFaults(allRows, [3])).toEqual(["B3 is settled by a rule"]);
  expect(rowFaults([...allRows, 85], [])).toEqual(["there is no row B85"]);
});

test("check-rules counts a row only in the brackets at the end of a rule", () => {
  const root = writeTree({
    "docs/rules.md": `${rulesPage(allRows.slice(1))}\nB1 is here`,
    "docs/sources.md": sourcesPage([]),
  });
  expect(checkRows(root)).toHaveLength(1);
});

/** Every fault of the rules, planted alone in a clean tree, is found where it stands; the clean tree has none. */

import { expect, test } from "vitest";
import { checkRules } from "../rules/rule-faults.ts";
import { type FileTree, writeTree } from "./plant.ts";
import { runScript } from "./run-script.ts";

const testFile = "packages/context/test/cut.test.ts";

const rules = ["# Rules", "", "- **CUT1** a (B28)", "- **CTX1** b", "- **CTX2** c", "- **MOVE1** d"];
const moveTest = [
  "it(",
  `  \`MOVE1 \${what}\`,`,
  ");",
  `test("INV1 D3 ANT2 OAR3 OAC4 GEM5 and words");`,
  "test(name);",
];

const clean: FileTree = {
  "docs/rules.md": rules.join("\n"),
  [testFile]: `test("CUT1 holds", () => {});\ndescribe.each([1])("CTX1 CTX2: hold for %s", () => {});\n`,
  "packages/agent/test/deep/move.test.ts": moveTest.join("\n"),
};

function faultsOf(tree: FileTree): string[] {
  return checkRules(writeTree(tree)).faults.map(
    ({ path, line, sentence }) => `${path}:${line} ${sentence.split(";")[0]}`,
  );
}

test("a clean tree has no fault", () => {
  expect(checkRules(writeTree(clean))).toEqual({ rules: 4, faults: [] });
});

test.each([
  ["by no test", `test("the cut holds");`],
  ["not at the beginning", `test("holds CUT1");`],
  ["as part of another number", `test("CUT1x and CUT12");`],
  ["only in a comment", `// test("CUT1 holds");`],
  ["only inside a string", 'const text = `test("CUT1 holds")`;'],
  ["only by a skipped test", `test.skip("CUT1 holds");`],
  ["only by a test to come", `test.todo("CUT1 holds");`],
])("found: a rule cited %s", (_, text) => {
  const tree = { ...clean, [testFile]: `${text}\ntest("CTX1 CTX2 hold");\n` };
  expect(faultsOf(tree)).toEqual(["docs/rules.md:3 CUT1 has no test"]);
});

test.each(["HOSTILE5", "E2E13"])(
  "found: a rule of a long family or one with a digit that no test cites: %s",
  (number) => {
    const tree = { ...clean, "docs/rules.md": [...rules, `- **${number}** e`].join("\n") };
    expect(faultsOf(tree)).toEqual([`docs/rules.md:7 ${number} has no test`]);
    expect(faultsOf({ ...tree, "scripts/test/a.test.ts": `test("CUT1 ${number} holds");\n` })).toEqual([]);
  },
);

test.each(["HOSTILE5", "E2E13"])("found: a test that cites %s, which is no rule", (number) => {
  const tree = { ...clean, "scripts/test/a.test.ts": `test("CUT1 ${number} holds");\n` };
  expect(faultsOf(tree)).toEqual([`scripts/test/a.test.ts:1 ${number} is not in docs/rules.md`]);
});

test("found: a test that bears a number that is no rule", () => {
  const tree = { ...clean, "scripts/test/a.test.ts": `\ntest("CUT1 CUT9 holds");\n` };
  expect(faultsOf(tree)).toEqual(["scripts/test/a.test.ts:2 CUT9 is not in docs/rules.md"]);
});

test("found: a number given twice", () => {
  const tree = { ...clean, "docs/rules.md": [...rules, "- **CUT1** another"].join("\n") };
  expect(faultsOf(tree)).toEqual(["docs/rules.md:7 CUT1 stands here a second time"]);
});

test("found: no rules at all", () => {
  expect(faultsOf({})).toEqual(["docs/rules.md:1 holds no rule"]);
});

test("the script closes with the count and fails on a fault", () => {
  expect(runScript("check-rules.ts", writeTree(clean))).toEqual({
    status: 0,
    lines: ["rules: 4 rules, each cited by a test"],
  });
  const faulty = runScript("check-rules.ts", writeTree({ ...clean, [testFile]: `test("CTX1 CTX2 hold");\n` }));
  expect(faulty).toEqual({
    status: 1,
    lines: [
      "docs/rules.md:3  CUT1 has no test; begin the name of a test that proves it with CUT1",
      "rules: 4 rules, 1 fault",
    ],
  });
});

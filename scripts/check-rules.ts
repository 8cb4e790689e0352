/**
 * `node scripts/check-rules.ts [ROOT]`: checks that every rule of docs/rules.md is cited by a test, that these tests assert something, that
 * tests cite no rule that does not exist, and that every row of the source documents, B1 to B84, has a rule or is listed as still to come. Prints every fault and fails on any.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ESTree, Visitor } from "rolldown/utils";
import { type Fault, formatCount, formatFault, sortFaults } from "./fault.ts";
import { lineAt, listImports, listSubfolders, parseSource, readFolder, type Source } from "./source/source.ts";

function printReport(root: string): void {
  const { rules, faults } = checkRules(root);
  for (const fault of faults) console.log(formatFault(fault));
  const outcome = faults.length > 0 ? formatCount(faults.length, "fault") : "each cited by a test that asserts";
  console.log(`rules: ${formatCount(rules, "rule")}, ${outcome}`);

  const rowFaults = checkRows(root);
  for (const fault of rowFaults) console.log(formatFault(fault));
  console.log(`rows: ${LAST_ROW}, ${formatCount(rowFaults.length, "fault")}`);
  process.exitCode = faults.length + rowFaults.length > 0 ? 1 : 0;
}

export interface RuleReport {
  readonly rules: number;
  readonly faults: readonly Fault[];
}

const RULES_FILE = "docs/rules.md";
/** A family of letters and digits that begins and ends with a letter, and a number: `CUT1`, `HOSTILE5`, `E2E13`. */
const NUMBER = "[A-Z][A-Z0-9]*[A-Z]\\d+";
const RULE_NUMBER = new RegExp(`^${NUMBER}$`);
const RULE_LINE = new RegExp(`^- \\*\\*(${NUMBER})\\*\\* `);
/** Invariants, durability rows and the rules of providers. */
const DEFINED_ELSEWHERE = /^(?:INV|D|ANT|OAR|OAC|GEM)\d+$/;

export function checkRules(root: string): RuleReport {
  const rules = readRules(root);
  const sources = readTestSources(root);
  const names = sources.flatMap(listTestNames);
  const asserts = createAssertionCheck(sources);
  const ruleNumbers = new Set(rules.map(({ number }) => number));
  const citedNumbers = new Set(names.flatMap(({ name }) => citedRules(name)));
  const faults = [
    ...checkHasRules(rules),
    ...rules.filter(({ number }) => !citedNumbers.has(number)).map(describeUntestedRule),
    ...rules.filter(isRepeated).map(describeRepeatedRule),
    ...names.flatMap((name) => checkCitedRules(name, ruleNumbers)),
    ...names.filter((name) => citedRules(name.name).length > 0 && !asserts(name)).map(describeMissingAssertion),
  ];
  return { rules: ruleNumbers.size, faults: sortFaults(faults) };
}

interface Rule {
  readonly number: string;
  readonly line: number;
}

function readRules(root: string): Rule[] {
  const file = join(root, RULES_FILE);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.flatMap((text, index) => {
    const number = RULE_LINE.exec(text)?.[1];
    return number === undefined ? [] : [{ number, line: index + 1 }];
  });
}

function readTestSources(root: string): Source[] {
  // Contract tests are in src/testing, because hosts run them too.
  const places = listSubfolders(root, "packages").flatMap((folder) => [
    `${folder}/test`,
    `${folder}/e2e`,
    `${folder}/src/testing`,
  ]);
  const folders = [...places, "scripts/test", "bench/test"];
  return folders.flatMap((folder) => readFolder(root, folder));
}

/** The numbers a test name begins with: `CTX1 CTX2 a context …` gives both. */
function citedRules(name: string): string[] {
  const words = name.split(/[\s,:]+/);
  const end = words.findIndex((word) => !RULE_NUMBER.test(word) && !DEFINED_ELSEWHERE.test(word));
  return end < 0 ? words : words.slice(0, end);
}

function checkHasRules(rules: readonly Rule[]): Fault[] {
  if (rules.length > 0) return [];
  return [{ path: RULES_FILE, line: 1, sentence: "has no rule; write rules as `- **CUT1** the text of the rule`" }];
}

function describeUntestedRule({ number, line }: Rule): Fault {
  return {
    path: RULES_FILE,
    line,
    sentence: `${number} has no test; begin the name of a test that proves it with ${number}`,
  };
}

function isRepeated({ number, line }: Rule, _: number, rules: readonly Rule[]): boolean {
  return rules.some((other) => other.number === number && other.line < line);
}

function describeRepeatedRule({ number, line }: Rule): Fault {
  return {
    path: RULES_FILE,
    line,
    sentence: `${number} is used twice; give this rule a number of its own`,
  };
}

function checkCitedRules({ path, line, name }: TestName, ruleNumbers: ReadonlySet<string>): Fault[] {
  const unknownRules = citedRules(name).filter((number) => !ruleNumbers.has(number) && !DEFINED_ELSEWHERE.test(number));
  return unknownRules.map((number) => ({
    path,
    line,
    sentence: `${number} is not in ${RULES_FILE}; write the rule there, or begin the name with a word`,
  }));
}

function describeMissingAssertion({ path, line, name }: TestName): Fault {
  return {
    path,
    line,
    sentence: `"${name}" asserts nothing; call expect or assert in it, or in a function that it calls`,
  };
}

export interface TestName {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the names of tests: of `test(name)`, `test.only(name)` and `test.each(table)(name)`. A skipped test proves nothing and is left out. */
export function listTestNames(source: Source): TestName[] {
  const { path, text } = source;
  const names: TestName[] = [];
  const visitor = new Visitor({
    CallExpression: ({ start, end, callee, arguments: [first] }) => {
      const name = stringValue(first);
      const calledFunction = callee.type === "CallExpression" ? callee.callee : callee;
      if (name !== null && isTestFunction(calledFunction))
        names.push({ path, line: lineAt(text, start), name, start, end });
    },
  });
  visitor.visit(parseSource(source).program);
  return names;
}

function isTestFunction(callee: ESTree.Expression | ESTree.Super): boolean {
  if (callee.type === "Identifier") return ["test", "it", "describe"].includes(callee.name);
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  return !["skip", "todo"].includes(callee.property.name) && isTestFunction(callee.object);
}

/** A template is read up to its first placeholder. */
function stringValue(node: ESTree.Argument | undefined): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  return node?.type === "TemplateLiteral" ? (node.quasis[0]?.value.raw ?? null) : null;
}

/** A part of a file: a test or a function. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface TestFile {
  /** The names that are used, with their positions. A name after a dot has `isMember`. */
  readonly uses: readonly { readonly name: string; readonly at: number; readonly isMember: boolean }[];
  readonly functions: readonly (Span & {
    readonly name: string;
    readonly isMethod: boolean;
    readonly throws: boolean;
  })[];
  readonly imports: ReadonlyMap<string, string | null>;
}

/** The contract tests of stores get `equal` from the host. */
const ASSERTION_NAMES: ReadonlySet<string> = new Set(["expect", "assert", "expectTypeOf", "equal"]);

/**
 * Creates a function that decides whether a test asserts something: it calls `expect` or `assert`, or a function of the tests that does or
 * that throws. Names are resolved in the file and through its imports; methods by their names, in this file and the files that it imports.
 */
function createAssertionCheck(sources: readonly Source[]): (test: TestName) => boolean {
  const files = new Map(sources.map((source) => [source.path, readTestFile(source)]));
  const listReachable = createImportWalk(files);
  const results = new Map<string, boolean>();
  const isAsserting = (key: string, find: () => boolean): boolean => {
    const known = results.get(key);
    if (known !== undefined) return known;
    results.set(key, false); // A function that only calls itself asserts nothing.
    const result = find();
    results.set(key, result);
    return result;
  };
  const spanAsserts = (path: string, { start, end }: Span): boolean =>
    files
      .get(path)
      ?.uses.some(({ name, at, isMember }) => at > start && at < end && nameAsserts(path, { name, isMember })) ?? false;
  const nameAsserts = (path: string, { name, isMember }: { name: string; isMember: boolean }): boolean => {
    if (ASSERTION_NAMES.has(name)) return true;
    if (isMember) return listReachable(path).some((each) => functionAsserts(each, name, isMember));
    if (functionAsserts(path, name, isMember)) return true;
    const target = files.get(path)?.imports.get(name);
    if (target === undefined) return false;
    const places = target === null ? [...files.keys()] : [target];
    return places.some((each) => functionAsserts(each, name, false));
  };
  const functionAsserts = (path: string, name: string, isMethod: boolean): boolean =>
    isAsserting(`${path} ${name} ${isMethod}`, () =>
      (files.get(path)?.functions ?? [])
        .filter((each) => each.name === name && each.isMethod === isMethod)
        .some((each) => each.throws || spanAsserts(path, each)),
    );
  return (test) => spanAsserts(test.path, test);
}

/** Creates a function that lists a file and all files that it imports, directly or not. */
function createImportWalk(files: ReadonlyMap<string, TestFile>): (path: string) => readonly string[] {
  const lists = new Map<string, readonly string[]>();
  return (path) => {
    const known = lists.get(path);
    if (known) return known;
    const reached = new Set([path]);
    for (const each of reached)
      for (const target of files.get(each)?.imports.values() ?? [])
        if (target !== null && files.has(target)) reached.add(target);
    const list = [...reached];
    lists.set(path, list);
    return list;
  };
}

function readTestFile(source: Source): TestFile {
  const uses: TestFile["uses"][number][] = [];
  const spans: (Span & { readonly name: string; readonly isMethod: boolean })[] = [];
  const throwPositions: number[] = [];
  const addFunction = (key: ESTree.Node, value: ESTree.Node | null, isMethod: boolean): void => {
    const name = key.type === "Identifier" || key.type === "PrivateIdentifier" ? key.name : null;
    if (name !== null && value !== null) spans.push({ name, isMethod, start: value.start, end: value.end });
  };
  const visitor = new Visitor({
    Identifier: ({ name, start }) => uses.push({ name, at: start, isMember: false }),
    MemberExpression: ({ property }) => {
      if (property.type === "Identifier" || property.type === "PrivateIdentifier")
        uses.push({ name: property.name, at: property.start, isMember: true });
    },
    ThrowStatement: ({ start }) => throwPositions.push(start),
    FunctionDeclaration: (node) => node.id && addFunction(node.id, node, false),
    VariableDeclarator: ({ id, init }) => addFunction(id, init, false),
    MethodDefinition: ({ key, value }) => addFunction(key, value, true),
    PropertyDefinition: ({ key, value }) => addFunction(key, value, true),
    Property: ({ key, value }) => addFunction(key, value, true),
  });
  visitor.visit(parseSource(source).program);
  const imports = listImports(source).flatMap(({ names, target }) => names.map(({ name }) => [name, target] as const));
  const functions = spans.map((span) => ({
    ...span,
    throws: throwPositions.some((at) => at > span.start && at < span.end),
  }));
  return { uses, functions, imports: new Map(imports) };
}

const SOURCES_FILE = "docs/sources.md";
const LAST_ROW = 84;

export function checkRows(root: string): readonly Fault[] {
  const settledRows = listSettledRows(readFileSync(join(root, RULES_FILE), "utf8"));
  const pendingRows = listPendingRows(readFileSync(join(root, SOURCES_FILE), "utf8"));
  const rows = Array.from({ length: LAST_ROW }, (_, index) => index + 1);
  return [
    ...rows.filter((row) => !settledRows.has(row) && !pendingRows.has(row)).map(missingRow),
    ...rows.filter((row) => settledRows.has(row) && pendingRows.has(row)).map(redundantRow),
    ...[...settledRows, ...pendingRows].filter((row) => row < 1 || row > LAST_ROW).map(unknownRow),
  ];
}

/** The rows in the brackets at the end of a rule. */
function listSettledRows(text: string): ReadonlySet<number> {
  const brackets = text.split("\n").flatMap((line) => /^- \*\*.*\((B\d[^()]*)\)\s*$/.exec(line)?.[1] ?? []);
  return new Set(brackets.flatMap((inside) => Array.from(inside.matchAll(/B(\d+)/g), ([, row]) => Number(row))));
}

/** The first column of the table "Rows still to come". The other columns must not be empty. */
function listPendingRows(text: string): ReadonlySet<number> {
  const [, section = ""] = text.split("## Rows still to come\n");
  const rows = Array.from(section.split("\n## ")[0]?.matchAll(/^\| B(\d+) \| *\S[^|]*\| *\S[^|]*\|$/gm) ?? []);
  return new Set(rows.map(([, row]) => Number(row)));
}

function missingRow(row: number): Fault {
  const sentence = `no rule settles B${row}; write it in brackets after the rule that does, or add it to "Rows still to come" of ${SOURCES_FILE}`;
  return { path: RULES_FILE, line: 1, sentence };
}

function redundantRow(row: number): Fault {
  return { path: SOURCES_FILE, line: 1, sentence: `B${row} is settled by a rule; remove it from "Rows still to come"` };
}

function unknownRow(row: number): Fault {
  return { path: RULES_FILE, line: 1, sentence: `there is no row B${row}; the last is B${LAST_ROW}` };
}

if (import.meta.main) printReport(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

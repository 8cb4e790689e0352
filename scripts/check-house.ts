/**
 * `node scripts/check-house.ts [ROOT]` checks imports between packages and between the layers of the program, opening
 * sentences, the purity of `packages/context` and the lists of files in ARCHITECTURE.md. `pnpm house` also lists questions and figures; `pnpm house --json` prints the figures alone, and
 * `pnpm prose` the sentences that sound translated.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Fault, formatCount, formatFault, sortFaults } from "./fault.ts";
import { checkCodePaths, checkCompactionPath, checkPathNames, checkRetiredWords } from "./house/code-paths.ts";
import { checkProcessReads, checkPurity, mayUseNode } from "./house/effects.ts";
import { AIMS, measureSources, type SourceFigures } from "./house/figures.ts";
import { checkCliLayers } from "./house/import-graph.ts";
import { askAboutNames, askAboutSizes, listProseMarks } from "./house/questions.ts";
import {
  type Check,
  CONTEXT_PACKAGE,
  CONTEXT_SOURCES,
  findEntryPoint,
  includesSpecifier,
  isOwnPackage,
  type PackageFolder,
  readWorkspace,
  type Workspace,
} from "./house/workspace.ts";
import { PROGRAM_NAME, SCOPE } from "./packages.ts";
import { type Import, lineAt, listImports, parseSource, type Source } from "./source/source.ts";

function printReport(): void {
  const options = { list: { type: "boolean" }, json: { type: "boolean" }, prose: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const root = resolve(positionals[0] ?? `${import.meta.dirname}/..`);
  const { files, faults, questions, figures } = runChecks(root);
  if (files === 0) throw new Error(`no TypeScript file under ${root}`);
  process.exitCode = faults.length > 0 ? 1 : 0;

  if (values.prose) printProseMarks(root);
  else if (values.json) console.log(JSON.stringify(figures));
  else {
    for (const fault of [...faults, ...(values.list ? questions : [])]) console.log(formatFault(fault));
    for (const [name, value] of values.list ? Object.entries(figures) : []) {
      const aim = AIMS[name] === undefined ? "" : `aim: at most ${AIMS[name]}`;
      console.log(
        `  ${name.padEnd(22)}${String(Array.isArray(value) ? value.length : value).padEnd(8)}${aim}`.trimEnd(),
      );
    }
    const hint = questions.length > 0 && !values.list ? " (pnpm house lists them)" : "";
    console.log(
      `house: ${formatCount(files, "file")}, ${formatCount(faults.length, "fault")}, ${formatCount(questions.length, "question")}${hint}`,
    );
  }
}

/** `pnpm prose`: every sentence is a question to a reader, so the program does not fail. */
function printProseMarks(root: string): void {
  const marks = listProseMarks(readWorkspace(root));
  for (const mark of sortFaults(marks)) console.log(formatFault(mark));
  console.log(`prose: ${formatCount(marks.length, "mark")}`);
}

export interface CheckReport {
  /** The number of checked files. */
  readonly files: number;
  readonly faults: readonly Fault[];
  readonly questions: readonly Fault[];
  readonly figures: SourceFigures;
}

const CHECKS: readonly Check[] = [
  checkPackageImports,
  checkIndexFiles,
  checkOpeningSentences,
  checkContextDependencies,
  checkPurity,
  checkProcessReads,
  checkCompactionPath,
  checkCodePaths,
  checkPathNames,
  checkRetiredWords,
  checkCliLayers,
];

export function runChecks(root: string): CheckReport {
  const workspace = readWorkspace(root);
  const figures = measureSources(workspace);
  return {
    files: workspace.sources.length + workspace.tests.length,
    faults: sortFaults(CHECKS.flatMap((check) => check(workspace))),
    questions: [...sortFaults([...askAboutSizes(workspace), ...askAboutNames(workspace)]), ...askAboutFigures(figures)],
    figures,
  };
}

function askAboutFigures(figures: SourceFigures): readonly Fault[] {
  return Object.entries(AIMS).flatMap(([name, aim]) => {
    const value = figures[name];
    if (typeof value !== "number" || value <= aim) return [];
    return [
      { path: "packages", line: 1, sentence: `${name} is ${value}; the aim is ${aim === 0 ? 0 : `at most ${aim}`}` },
    ];
  });
}

/** The packages that each folder may import. Their entry points are read from package.json. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "packages/context": [],
  "packages/models": ["@pith/context"],
  "packages/agent": ["@pith/context"],
  "packages/client": ["@pith/context", "@pith/agent"],
  "packages/host": ["@pith/context", "@pith/models", "@pith/agent"],
  "packages/cli": ["@pith/context", "@pith/models", "@pith/agent", "@pith/client", "@pith/host"],
  "packages/server": ["@pith/context", "@pith/agent", "@pith/host"],
  "packages/testkit": [],
  bench: [SCOPE, PROGRAM_NAME],
  evals: [SCOPE, PROGRAM_NAME],
  scripts: [SCOPE, PROGRAM_NAME],
  examples: [SCOPE, PROGRAM_NAME],
};

/** Test doubles that are not published. These folders import them by path; tests of packages may too. */
const TEST_DOUBLES: readonly string[] = ["packages/context/test/support/", "packages/server/test/support/"];
const TEST_DOUBLE_USERS: readonly string[] = ["bench", "evals", "scripts"];

function checkPackageImports(workspace: Workspace): readonly Fault[] {
  return [
    ...workspace.packages.flatMap(checkIsListed),
    ...workspace.sources.flatMap((source) => checkImports(workspace, source)),
  ];
}

function checkIsListed({ folder }: PackageFolder): Fault[] {
  if (ALLOWED_IMPORTS[folder] !== undefined) return [];
  return [{ path: folder, line: 1, sentence: "is a new package; list in scripts/check-house.ts what it may import" }];
}

function checkImports(workspace: Workspace, source: Source): Fault[] {
  const ownPackage = workspace.packages.find(({ folder }) => source.path.startsWith(`${folder}/`));
  if (ownPackage === undefined) return [];
  return listImports(source).flatMap((imported) => {
    const sentence = findImportFault(workspace, ownPackage, imported);
    return sentence === null ? [] : [{ path: source.path, line: imported.line, sentence }];
  });
}

function findImportFault(
  workspace: Workspace,
  ownPackage: PackageFolder,
  { specifier, target }: Import,
): string | null {
  if (target !== null)
    return isAllowedTarget(ownPackage, target)
      ? null
      : `"${specifier}" leads out of ${ownPackage.folder}; ${USE_NAME_ADVICE}`;
  if (!isOwnPackage(specifier)) return null;
  if (ownPackage.name !== null && includesSpecifier(ownPackage.name, specifier))
    return `"${specifier}" is this package; use a relative path`;
  if (!(ALLOWED_IMPORTS[ownPackage.folder] ?? []).some((name) => includesSpecifier(name, specifier)))
    return `${ownPackage.folder} may not import "${specifier}"; ${DIRECTION_ADVICE}`;
  if (findEntryPoint(workspace, specifier) !== undefined) return null;
  return `"${specifier}" is not an entry point; add it to that package's exports, or use another`;
}

const USE_NAME_ADVICE = "import the other package by its name, through an entry point";
const DIRECTION_ADVICE = "pass it in, or move the code (scripts/check-house.ts lists the allowed imports)";

function isAllowedTarget({ folder }: PackageFolder, target: string): boolean {
  if (target.startsWith(`${folder}/`)) return true;
  return TEST_DOUBLES.some((folder) => target.startsWith(folder)) && TEST_DOUBLE_USERS.includes(folder);
}

function checkIndexFiles({ sources }: Workspace): readonly Fault[] {
  return sources.filter(({ path }) => path.endsWith("/index.ts")).flatMap(checkOnlyReexports);
}

function checkOnlyReexports(source: Source): Fault[] {
  const otherStatement = parseSource(source).program.body.find(
    (statement) =>
      statement.type !== "ExportAllDeclaration" &&
      !(statement.type === "ExportNamedDeclaration" && statement.source !== null),
  );
  if (otherStatement === undefined) return [];
  const sentence = "an index.ts contains only `export … from`; move this into another file";
  return [{ path: source.path, line: lineAt(source.text, otherStatement.start), sentence }];
}

const OPENING_COMMENT = /^(?:#![^\n]*\n)?\s*\/\*\*(.*?)\*\//s;
const END_OF_SENTENCE = /[^\s.*]\.[)"”]*(?:\s|$)/;

function checkOpeningSentences({ sources, tests }: Workspace): readonly Fault[] {
  const sentence = "does not open with a `/** … */` sentence that ends in a full stop; say what the file does";
  const withoutSentence = [...sources, ...tests].filter(
    ({ text }) => !END_OF_SENTENCE.test(OPENING_COMMENT.exec(text)?.[1] ?? ""),
  );
  return withoutSentence.map(({ path }) => ({ path, line: 1, sentence }));
}

function checkContextDependencies({ packages, sources }: Workspace): readonly Fault[] {
  const dependencies = packages.find(({ folder }) => folder === CONTEXT_PACKAGE)?.dependencies ?? [];
  const files = sources.filter(({ path }) => path.startsWith(CONTEXT_SOURCES));
  return [
    ...dependencies.map((name) => ({
      path: `${CONTEXT_PACKAGE}/package.json`,
      line: 1,
      sentence: `depends on "${name}"; this package has no dependencies, so write what it needs or pass it in`,
    })),
    ...files.flatMap(checkForeignImports),
  ];
}

function checkForeignImports(source: Source): Fault[] {
  // Imports of our own packages are checked by `checkPackageImports`.
  const foreign = listImports(source).filter(({ target, specifier }) => target === null && !isOwnPackage(specifier));
  return foreign.flatMap(({ specifier, line }) => {
    const isNode = specifier.startsWith("node:");
    if (isNode && mayUseNode(source)) return [];
    const advice = isNode
      ? "only src/node and src/search may; take a port instead"
      : "this package imports its own files only";
    return [{ path: source.path, line, sentence: `imports "${specifier}"; ${advice}` }];
  });
}

if (import.meta.main) printReport();

/**
 * `node scripts/check-docs.ts [ROOT]`: checks links, paths, shown code, generated parts and the API page of the documents. Prints every fault
 * and fails on any. With `--write` (`pnpm write-docs`) it writes the shown code and the generated parts and files instead.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Api, type EntryPoint, readApi } from "./docs/api.ts";
import {
  checkGeneratedFiles,
  checkShownCode,
  createGenerators,
  fillFences,
  GENERATED_PART,
  type Generators,
  listGeneratedFiles,
  type Page,
  readIfExists,
  readPages,
  regeneratePage,
} from "./docs/generated.ts";
import { type Fault, formatCount, formatFault } from "./fault.ts";
import { lineAt } from "./source/source.ts";

function runScript(): void {
  const { values, positionals } = parseArgs({ options: { write: { type: "boolean" } }, allowPositionals: true });
  const root = resolve(positionals[0] ?? `${import.meta.dirname}/..`);
  if (values.write) writeDocs(root);
  else printReport(root);
}

function printReport(root: string): void {
  const { pages, faults } = checkDocs(root);
  for (const fault of faults) console.log(formatFault(fault));
  console.log(`docs: ${formatCount(pages, "page")}, ${formatCount(faults.length, "fault")}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function writeDocs(root: string): void {
  const generators = createGenerators(readApi(root));
  for (const { path, text } of readPages(root)) {
    const newText = fillFences(regeneratePage(text, generators), root);
    if (newText === text) continue;
    writeFileSync(join(root, path), newText);
    console.log(`wrote ${path}`);
  }
  for (const { path, text } of listGeneratedFiles(root)) {
    if (readIfExists(join(root, path)) === text) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}

export interface DocReport {
  readonly pages: number;
  readonly faults: readonly Fault[];
}

export function checkDocs(root: string): DocReport {
  const pages = readPages(root);
  const api = readApi(root);
  const generators = createGenerators(api);
  const checkPage = (page: Page): readonly Fault[] => [
    ...checkLinks(root, page),
    ...checkPaths(root, page),
    ...checkShownCode(root, page),
    ...checkGeneratedParts(page, generators),
  ];
  return {
    pages: pages.length,
    faults: [...pages.flatMap(checkPage), ...checkGeneratedFiles(root), ...checkApi(root, api)],
  };
}

function checkLinks(root: string, { path, text }: Page): readonly Fault[] {
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].flatMap((link) => {
    const target = link[1] ?? "";
    if (/^[a-z]+:/.test(target) || existsSync(join(root, dirname(path), target))) return [];
    return [{ path, line: lineAt(text, link.index), sentence: `the link to ${target} has no target` }];
  });
}

/** Checks the paths of this repository that a page names, such as those of tests to run. Decisions may name files that are gone. */
function checkPaths(root: string, { path, text }: Page): readonly Fault[] {
  if (path.startsWith("docs/decisions/")) return [];
  return [...text.matchAll(REPOSITORY_PATH)].flatMap((match) => {
    const [namedPath] = match;
    const isThere = existsSync(join(root, namedPath)) || existsSync(join(root, "packages", namedPath));
    if (isThere || namedPath.includes("/dist/")) return [];
    return [{ path, line: lineAt(text, match.index), sentence: `${namedPath} does not exist` }];
  });
}

/** `packages/cli/src/main.ts`, or below packages `cli/src/main.ts`. */
const REPOSITORY_PATH =
  /(?<![\w./-])(?:packages|scripts|bench|evals|(?:context|models|agent|client|cli|testkit)\/src)\/[\w./-]*\w/g;

function checkGeneratedParts({ path, text }: Page, generators: Generators): readonly Fault[] {
  return [...text.matchAll(GENERATED_PART)].flatMap((part) => {
    const [, name = "", content = ""] = part;
    if (content === `${generators[name]?.(text)}\n`) return [];
    const sentence = generators[name]
      ? `${name} is out of date; run \`pnpm write-docs\``
      : `no generator is called ${name}`;
    return [{ path, line: lineAt(text, part.index), sentence }];
  });
}

const API_PAGE = "docs/api.md";
const MAX_API_LINES = 900;

function checkApi(root: string, { entryPoints }: Api): readonly Fault[] {
  return [...entryPoints.flatMap(checkEntryPoint), ...checkPageLength(join(root, API_PAGE))];
}

function checkEntryPoint({ path: entryPath, missing, exports }: EntryPoint): readonly Fault[] {
  return [
    ...missing.map((name) => ({ path: entryPath, line: 1, sentence: `${name} is exported, but no file declares it` })),
    ...exports
      .filter(({ comment }) => comment === "")
      .map(({ name, path, line }) => ({
        ...{ path, line },
        sentence: `${name} is exported without a comment; add a \`/** … */\` sentence`,
      })),
  ];
}

function checkPageLength(path: string): readonly Fault[] {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  if (lines <= MAX_API_LINES) return [];
  return [
    {
      path: API_PAGE,
      line: MAX_API_LINES + 1,
      sentence: `it has ${lines} lines; at most ${MAX_API_LINES} are allowed`,
    },
  ];
}

if (import.meta.main) runScript();

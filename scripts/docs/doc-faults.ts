/** Finds what has drifted in the documents: dead links and paths, code that differs from its example, stale generated parts, exports without a sentence. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fault } from "../fault.ts";
import { lineAt } from "../source/source.ts";
import { checkApi } from "./api/api-faults.ts";
import { readApi } from "./api/read-api.ts";
import { checkGeneratedFiles, createGenerators, GENERATED_PART, type Generators } from "./generated.ts";
import { type Page, readPages } from "./pages.ts";
import { checkShownCode } from "./shown-code.ts";

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
    return [{ path, line: lineAt(text, link.index), sentence: `the link to ${target} leads nowhere` }];
  });
}

/** Paths of this repository that a page names, such as those of tests to run. Decisions may speak of files that are gone. */
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
      ? `${name} is not what the code says; run \`pnpm write-docs\``
      : `nobody generates ${name}`;
    return [{ path, line: lineAt(text, part.index), sentence }];
  });
}

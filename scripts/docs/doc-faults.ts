/** Finds what has drifted in the documents: dead links and paths, code that differs from its example, stale generated parts, exports without a sentence. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fault } from "../fault.ts";
import { lineAt } from "../source/source.ts";
import { apiFaults } from "./api/api-faults.ts";
import { readApi } from "./api/read-api.ts";
import { fileFaults, GENERATED, type Generators, generators } from "./generated.ts";
import { type Page, pagesOf } from "./pages.ts";
import { codeFaults } from "./shown-code.ts";

export interface DocInspection {
  readonly pages: number;
  readonly faults: readonly Fault[];
}

export function docFaults(root: string): DocInspection {
  const pages = pagesOf(root);
  const api = readApi(root);
  const made = generators(api);
  const faultsOf = (page: Page): readonly Fault[] => [
    ...linkFaults(root, page),
    ...pathFaults(root, page),
    ...codeFaults(root, page),
    ...generatedFaults(page, made),
  ];
  return { pages: pages.length, faults: [...pages.flatMap(faultsOf), ...fileFaults(root), ...apiFaults(root, api)] };
}

function linkFaults(root: string, { path, text }: Page): readonly Fault[] {
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].flatMap((link) => {
    const target = link[1] ?? "";
    if (/^[a-z]+:/.test(target) || existsSync(join(root, dirname(path), target))) return [];
    return [{ path, line: lineAt(text, link.index), sentence: `the link to ${target} leads nowhere` }];
  });
}

/** Paths of this repository that a page names, such as those of tests to run. Decisions may speak of files that are gone. */
function pathFaults(root: string, { path, text }: Page): readonly Fault[] {
  if (path.startsWith("docs/decisions/")) return [];
  return [...text.matchAll(REPOSITORY_PATH)].flatMap((match) => {
    const [named] = match;
    const isThere = existsSync(join(root, named)) || existsSync(join(root, "packages", named));
    if (isThere || named.includes("/dist/")) return [];
    return [{ path, line: lineAt(text, match.index), sentence: `${named} does not exist` }];
  });
}

/** `packages/cli/src/main.ts`, or below packages `cli/src/main.ts`. */
const REPOSITORY_PATH =
  /(?<![\w./-])(?:packages|scripts|bench|evals|(?:context|models|agent|client|cli|testkit)\/src)\/[\w./-]*\w/g;

function generatedFaults({ path, text }: Page, made: Generators): readonly Fault[] {
  return [...text.matchAll(GENERATED)].flatMap((part) => {
    const [, name = "", content = ""] = part;
    if (content === `${made[name]?.(text)}\n`) return [];
    const sentence = made[name]
      ? `${name} is not what the code says; run \`pnpm write-docs\``
      : `nobody generates ${name}`;
    return [{ path, line: lineAt(text, part.index), sentence }];
  });
}

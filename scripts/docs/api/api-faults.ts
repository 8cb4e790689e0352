/** Finds gaps in the API page: an export without a sentence, an export that no file declares, and a page that is too long. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../../fault.ts";
import type { Api, EntryPoint } from "./read-api.ts";
import { firstCommentSentence } from "./render-api.ts";

const PAGE = "docs/api.md";
const MAX_LINES = 900;

export function checkApi(root: string, { entryPoints }: Api): readonly Fault[] {
  return [...entryPoints.flatMap(checkEntryPoint), ...checkPageLength(join(root, PAGE))];
}

function checkEntryPoint({ path: entryPath, missing, exports }: EntryPoint): readonly Fault[] {
  return [
    ...missing.map((name) => ({ path: entryPath, line: 1, sentence: `${name} is exported, and no file declares it` })),
    ...exports
      .filter((each) => firstCommentSentence(each) === "")
      .map(({ name, path, line }) => ({
        ...{ path, line },
        sentence: `${name} is exported without a comment; add a \`/** … */\` sentence`,
      })),
  ];
}

function checkPageLength(path: string): readonly Fault[] {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  if (lines <= MAX_LINES) return [];
  return [{ path: PAGE, line: MAX_LINES + 1, sentence: `it has ${lines} lines; at most ${MAX_LINES} are allowed` }];
}

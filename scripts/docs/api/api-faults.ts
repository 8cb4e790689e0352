/** Finds gaps in the API page: an export without a sentence, an export that no file declares, and a page that is too long. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../../fault.ts";
import type { Api, Door } from "./read-api.ts";
import { sentenceOf } from "./render-api.ts";

const PAGE = "docs/api.md";
const MAX_LINES = 900;

export function apiFaults(root: string, { doors }: Api): readonly Fault[] {
  return [...doors.flatMap(doorFaults), ...pageFaults(join(root, PAGE))];
}

function doorFaults({ path: door, missing, exports }: Door): readonly Fault[] {
  return [
    ...missing.map((name) => ({ path: door, line: 1, sentence: `${name} is exported, and no file declares it` })),
    ...exports
      .filter((each) => sentenceOf(each) === "")
      .map(({ name, path, line }) => ({
        ...{ path, line },
        sentence: `${name} is exported without a comment; add a \`/** … */\` sentence`,
      })),
  ];
}

function pageFaults(path: string): readonly Fault[] {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  if (lines <= MAX_LINES) return [];
  return [{ path: PAGE, line: MAX_LINES + 1, sentence: `it has ${lines} lines; at most ${MAX_LINES} are allowed` }];
}

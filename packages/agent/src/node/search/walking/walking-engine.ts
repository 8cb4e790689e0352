/** Searching without any other program: file by file, each read in pieces. */

import type { SearchAct } from "../../../workspace.ts";
import { badPattern, decoded, type Engine, type GrepTarget, pathIn, type Searched } from "../engine.ts";
import { linePattern } from "./line-pattern.ts";
import { searchFile } from "./search-file.ts";
import { walk } from "./walk.ts";

export const walkingEngine: Engine = { files: walk, grep };

async function* grep(target: GrepTarget, act: SearchAct): AsyncGenerator<Searched> {
  const { folder, file, fits, around = 0, redaction } = target;
  const pattern = linePattern(target);
  if (pattern.type === "bad") return yield badPattern(pattern.why);
  for await (const name of file === undefined ? walk(folder, act) : [Buffer.from(file)]) {
    const shown = decoded(name);
    if (fits && !fits(shown)) continue;
    const place = { real: pathIn(folder.real, name), at: pathIn(folder.at, name) };
    const isNamed = file !== undefined;
    const hits = await searchFile({ ...place, shown, isNamed }, { ...act, pattern, around, redaction });
    if (hits === null) return yield tooSlow(shown);
    if (hits.length > 0) yield { type: "file", hits };
  }
}

function tooSlow(path: string): Searched {
  return {
    type: "refused",
    message: `the search was broken off in ${path}: the pattern takes too long; make it simpler`,
  };
}

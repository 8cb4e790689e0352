/** Which kinds of things there are among some files, each once, in the order of the list. */

import type { HeldFile } from "./held-file.ts";
import { type Kind, whatCanRun } from "./what-can-run.ts";

export function kindsIn(files: readonly Pick<HeldFile, "kind">[]): readonly Kind[] {
  const there = new Set(files.map(({ kind }) => kind));
  return [...new Set(whatCanRun.map(({ kind }) => kind))].filter((kind) => there.has(kind));
}

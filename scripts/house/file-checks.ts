/** Checks single files: an `index.ts` only re-exports, every file opens with a sentence, and no file is in an import cycle. */

import type { Fault } from "../fault.ts";
import { lineAt, parseSource, type Source } from "../source/source.ts";
import { findFilesInCycles, relativeImportGraph } from "./import-graph.ts";
import type { Workspace } from "./workspace.ts";

/** Biome's `noImportCycles` prints the cycle. This check adds what Biome leaves out: `import("./a.ts").A` and a file that imports itself. */
export function checkCycles(workspace: Workspace): readonly Fault[] {
  const sentence = "is in an import cycle, types included; move what the files share into one of its own";
  return findFilesInCycles(relativeImportGraph(workspace)).map((path) => ({ path, line: 1, sentence }));
}

export function checkIndexFiles({ sources }: Workspace): readonly Fault[] {
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

export function checkOpeningSentences({ sources, tests }: Workspace): readonly Fault[] {
  const sentence = "does not open with a `/** … */` sentence that ends in a full stop; say what the file does";
  const withoutSentence = [...sources, ...tests].filter(
    ({ text }) => !END_OF_SENTENCE.test(OPENING_COMMENT.exec(text)?.[1] ?? ""),
  );
  return withoutSentence.map(({ path }) => ({ path, line: 1, sentence }));
}

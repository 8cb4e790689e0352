/** Sizes worth a second look: questions to the author, never faults. */

import { posix } from "node:path";
import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { functions } from "./source/functions.ts";
import type { Source } from "./source/source.ts";

const aims = { fileLines: 250, folderFiles: 12, functionLines: 40, parameters: 3 };

export function sizes({ sources }: House): readonly Fault[] {
  return [...sources.flatMap(longFile), ...fullFolders(sources), ...sources.flatMap(bigFunctions)];
}

function longFile({ path, text }: Source): Fault[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (lines <= aims.fileLines) return [];
  return [{ path, line: 1, sentence: `${lines} lines; which second noun has moved in?` }];
}

function fullFolders(sources: readonly Source[]): Fault[] {
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([path, files]) => {
    if (files.length <= aims.folderFiles) return [];
    return [{ path, line: 1, sentence: `${files.length} files; is there a folder inside it?` }];
  });
}

function bigFunctions(source: Source): Fault[] {
  const { path } = source;
  return functions(source).flatMap(({ name, line, lines, parameters }) => {
    const long = { path, line, sentence: `${name} has ${lines} lines; which part has a name of its own?` };
    const wide = { path, line, sentence: `${name} takes ${parameters} parameters; would one object read better?` };
    return [...(lines > aims.functionLines ? [long] : []), ...(parameters > aims.parameters ? [wide] : [])];
  });
}

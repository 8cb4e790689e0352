/** The heart stands alone: `packages/context` needs no npm package, and Node only behind its door `node`. */

import type { Fault } from "../fault.ts";
import { type House, isOurs } from "./house.ts";
import { imports } from "./source/imports.ts";
import type { Source } from "./source/source.ts";

const heartFolder = "packages/context";

export function heart({ homes, sources }: House): readonly Fault[] {
  const dependencies = homes.find(({ folder }) => folder === heartFolder)?.dependencies ?? [];
  const files = sources.filter(({ path }) => path.startsWith(`${heartFolder}/src/`));
  return [
    ...dependencies.map((name) => ({
      path: `${heartFolder}/package.json`,
      line: 1,
      sentence: `depends on "${name}"; the heart has no dependencies, so write what it needs or hand it in`,
    })),
    ...files.flatMap(guests),
  ];
}

function guests(source: Source): Fault[] {
  const behindDoor = /^packages\/context\/src\/(?:node|search)\//.test(source.path);
  // What is ours is the business of doors.ts.
  const strangers = imports(source).filter(({ target, specifier }) => target === null && !isOurs(specifier));
  return strangers.flatMap(({ specifier, line }) => {
    const fromNode = specifier.startsWith("node:");
    if (fromNode && behindDoor) return [];
    const advice = fromNode
      ? "only src/node and src/search may; take a port instead"
      : "the heart imports its own files alone";
    return [{ path: source.path, line, sentence: `imports "${specifier}"; ${advice}` }];
  });
}

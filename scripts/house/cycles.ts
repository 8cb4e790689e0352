/** Import cycles between files, types included: one file of a circle cannot be understood without the others. */

import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { type Import, imports } from "./source/imports.ts";

type Graph = ReadonlyMap<string, readonly Import[]>;

export function cycles({ sources }: House): readonly Fault[] {
  const graph: Graph = new Map(sources.map((source) => [source.path, imports(source)]));
  const done = new Set<string>();
  return [...graph.keys()].flatMap((path) => circlesFrom(path, { graph, done, trail: [] }));
}

interface Walk {
  readonly graph: Graph;
  readonly done: Set<string>;
  /** The files walked through to get here. */
  readonly trail: readonly string[];
}

function circlesFrom(path: string, { graph, done, trail }: Walk): Fault[] {
  if (trail.includes(path)) return [circle(graph, trail.slice(trail.indexOf(path)))];
  if (done.has(path)) return [];
  const below = (graph.get(path) ?? []).flatMap(({ target }) =>
    target === null ? [] : circlesFrom(target, { graph, done, trail: [...trail, path] }),
  );
  done.add(path);
  return below;
}

function circle(graph: Graph, files: readonly string[]): Fault {
  const [path = "", next = path] = files;
  const line = graph.get(path)?.find(({ target }) => target === next)?.line ?? 1;
  const round = [...files, path].join(" → ");
  return { path, line, sentence: `imports in a circle: ${round}; move what they share into a file of its own` };
}

/** Checks single files: no import cycles, types included; an `index.ts` only re-exports; every file opens with a sentence. */

import type { Fault } from "../fault.ts";
import { type Import, imports } from "../source/modules.ts";
import { lineAt, type Source } from "../source/source.ts";
import type { House } from "./house.ts";

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

const passedOn =
  /export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)\s+from\s+(["'])[^"']*\1(?:\s+with\s+\{[^}]*\})?;/g;

export function indexFiles({ sources }: House): readonly Fault[] {
  return sources.filter(({ path }) => path.endsWith("/index.ts")).flatMap(moreThanDoor);
}

function moreThanDoor({ path, code }: Source): Fault[] {
  const rest = code.replace(passedOn, (statement) => statement.replace(/[^\n]/g, " "));
  const index = rest.search(/\S/);
  if (index < 0) return [];
  const sentence = "an index.ts is a door: only `export … from` may stand in it, so move this into a file of its own";
  return [{ path, line: lineAt(rest, index), sentence }];
}

const openingComment = /^(?:#![^\n]*\n)?\s*\/\*\*(.*?)\*\//s;
const endOfSentence = /[^\s.*]\.[)"”]*(?:\s|$)/;

export function opening({ sources, tests }: House): readonly Fault[] {
  return [...sources, ...tests]
    .filter((source) => !isOpened(source))
    .map(({ path }) => ({
      path,
      line: 1,
      sentence: "does not open with a `/** … */` sentence that ends in a full stop; say what the file is for",
    }));
}

function isOpened({ text }: Source): boolean {
  return endOfSentence.test(openingComment.exec(text)?.[1] ?? "");
}

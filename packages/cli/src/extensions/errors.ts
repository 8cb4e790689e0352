/** Describes errors of extensions with file and line, and catches those thrown outside of any call. */

import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExtensionFailure } from "@pith/agent";
import { plain } from "../text/safe-text.ts";
import { type FoundExtension, indexFiles } from "./extension-files.ts";

/** `path` is where it lies; of what happened elsewhere only the words are told. */
export function faultTold(error: unknown, path: string): string {
  return `${placeIn(error, path) ?? path}: ${wordsOf(error)}`;
}

/** No more of it than one reads. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const [first = ""] = words.split("\n");
  return first.slice(0, MOST);
}

const MOST = 500;

/** The nearest place in a file beside it. */
function placeIn(error: unknown, path: string): string | null {
  if (!(error instanceof Error) || error.stack === undefined) return null;
  const folder = pathToFileURL(path).href.replace(/[^/]*$/, "");
  const at = error.stack.indexOf(folder);
  const [, url, line] =
    (at < 0 ? null : /^(file:[^?\s:]+)(?:\?pith=[0-9a-f]+)?:(\d+)/.exec(error.stack.slice(at))) ?? [];
  return url === undefined ? null : `${fileURLToPath(url)}:${line}`;
}

export type Report = (failure: ExtensionFailure) => void;

interface Heeded extends Pick<FoundExtension, "name" | "path" | "stamp"> {
  /** Of the session that it was loaded for last. */
  readonly report: Report;
}

const heeded = new Map<string, Heeded>();

/** Reports what these extensions throw outside of any call, e.g. in a timer, and goes on. Errors of other code still end the program. */
export function heed(found: readonly FoundExtension[], report: Report): void {
  if (heeded.size === 0 && found.length > 0) {
    process.on("uncaughtException", (error) => heard(error, "thrown"));
    process.on("unhandledRejection", (error) => heard(error, "rejected"));
  }
  for (const { name, path, stamp } of found) heeded.set(path, { name, path, stamp, report });
}

export type Stray = "thrown" | "rejected";

/** Whether extensions did it, as far as can be seen. */
export function isStray(error: unknown, how: Stray): boolean {
  return blamed(error, how).length > 0;
}

function heard(error: unknown, how: Stray): void {
  const [first, ...more] = blamed(error, how);
  if (first) {
    const extension = [first, ...more].map(({ name }) => name).join(" or ");
    first.report({
      extension,
      event: "work of its own",
      why: more.length === 0 ? faultTold(error, first.path) : wordsOf(error),
    });
  } else if (process.listenerCount(how === "thrown" ? "uncaughtException" : "unhandledRejection") === 1) {
    // As Node would, were nobody listening.
    process.stderr.write(`pith: this must not happen: ${plain(stackOf(error) ?? String(error))}\n`);
    process.exit(1);
  }
}

/** Who is on the way there; all of them where it can be nobody but one of them. */
function blamed(error: unknown, how: Stray): readonly Heeded[] {
  const all = [...heeded.values()];
  const stack = stackOf(error);
  // Our own code throws nothing else than errors.
  if (stack === null) return all;
  const named = all.filter(({ path }) => placesOf(path).some((place) => stack.includes(place)));
  if (named.length > 0) return named;
  const [, stamp] = /\?pith=([0-9a-f]+)/.exec(stack) ?? [];
  if (stamp !== undefined) return all.filter((each) => each.stamp === stamp);
  // Nobody waited for it, so that nobody's file is named: ours wait for all they start.
  return how === "rejected" && stack.split("\n").every(isNobodys) ? all : [];
}

/** A line of a stack that names no file but Node's own. */
function isNobodys(line: string): boolean {
  return !/^\s+at .*[/\\]/.test(line.replaceAll(/node:\S+/g, ""));
}

/** A file as it is; what is the index of a folder, with all that lies there. */
function placesOf(path: string): readonly string[] {
  const folder = dirname(path);
  const isFile = !indexFiles.some((name) => path.endsWith(name)) && !path.includes("node_modules");
  return isFile ? [pathToFileURL(path).href, path] : [`${pathToFileURL(folder).href}/`, `${folder}/`];
}

/** Null where there is none to read. */
function stackOf(error: unknown): string | null {
  try {
    return error instanceof Error && typeof error.stack === "string" ? error.stack : null;
  } catch {
    // A getter of somebody's own.
    return null;
  }
}

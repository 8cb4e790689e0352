/** Describes errors of extensions with file and line, and catches those thrown outside of any call. */

import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExtensionFailure } from "@pith/agent";
import { escapeControls } from "../text/safe-text.ts";
import { type FoundExtension, indexFiles } from "./extension-files.ts";

/** `path` is where it lies; of what happened elsewhere only the words are told. */
export function formatExtensionError(error: unknown, path: string): string {
  return `${findErrorLocation(error, path) ?? path}: ${formatErrorMessage(error)}`;
}

/** No more of it than one reads. */
export function formatErrorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine = ""] = message.split("\n");
  return firstLine.slice(0, MAX_MESSAGE_CHARS);
}

const MAX_MESSAGE_CHARS = 500;

/** The nearest place in a file beside it. */
function findErrorLocation(error: unknown, path: string): string | null {
  if (!(error instanceof Error) || error.stack === undefined) return null;
  const folder = pathToFileURL(path).href.replace(/[^/]*$/, "");
  const index = error.stack.indexOf(folder);
  const [, url, line] =
    (index < 0 ? null : /^(file:[^?\s:]+)(?:\?pith=[0-9a-f]+)?:(\d+)/.exec(error.stack.slice(index))) ?? [];
  return url === undefined ? null : `${fileURLToPath(url)}:${line}`;
}

export type ReportFailure = (failure: ExtensionFailure) => void;

interface WatchedExtension extends Pick<FoundExtension, "name" | "path" | "stamp"> {
  /** Of the session that it was loaded for last. */
  readonly report: ReportFailure;
}

const watchedExtensions = new Map<string, WatchedExtension>();

/** Reports what these extensions throw outside of any call, e.g. in a timer, and goes on. Errors of other code still end the program. */
export function watchExtensions(extensions: readonly FoundExtension[], report: ReportFailure): void {
  if (watchedExtensions.size === 0 && extensions.length > 0) {
    process.on("uncaughtException", (error) => handleStrayError(error, "thrown"));
    process.on("unhandledRejection", (error) => handleStrayError(error, "rejected"));
  }
  for (const { name, path, stamp } of extensions) watchedExtensions.set(path, { name, path, stamp, report });
}

export type StrayErrorKind = "thrown" | "rejected";

/** Whether extensions did it, as far as can be seen. */
export function isExtensionError(error: unknown, kind: StrayErrorKind): boolean {
  return findResponsibleExtensions(error, kind).length > 0;
}

function handleStrayError(error: unknown, kind: StrayErrorKind): void {
  const [first, ...others] = findResponsibleExtensions(error, kind);
  if (first) {
    const extension = [first, ...others].map(({ name }) => name).join(" or ");
    first.report({
      extension,
      event: "work of its own",
      why: others.length === 0 ? formatExtensionError(error, first.path) : formatErrorMessage(error),
    });
  } else if (process.listenerCount(kind === "thrown" ? "uncaughtException" : "unhandledRejection") === 1) {
    // As Node would, were nobody listening.
    process.stderr.write(`pith: this must not happen: ${escapeControls(readStack(error) ?? String(error))}\n`);
    process.exit(1);
  }
}

/** Who is on the way there; all of them where it can be nobody but one of them. */
function findResponsibleExtensions(error: unknown, kind: StrayErrorKind): readonly WatchedExtension[] {
  const watched = [...watchedExtensions.values()];
  const stack = readStack(error);
  // Our own code throws nothing else than errors.
  if (stack === null) return watched;
  const matching = watched.filter(({ path }) => listCodePrefixes(path).some((prefix) => stack.includes(prefix)));
  if (matching.length > 0) return matching;
  const [, stamp] = /\?pith=([0-9a-f]+)/.exec(stack) ?? [];
  if (stamp !== undefined) return watched.filter((extension) => extension.stamp === stamp);
  // Nobody waited for it, so that nobody's file is named: ours wait for all they start.
  return kind === "rejected" && stack.split("\n").every(isNodeFrame) ? watched : [];
}

/** A line of a stack that names no file but Node's own. */
function isNodeFrame(line: string): boolean {
  return !/^\s+at .*[/\\]/.test(line.replaceAll(/node:\S+/g, ""));
}

/** A file as it is; what is the index of a folder, with all that lies there. */
function listCodePrefixes(path: string): readonly string[] {
  const folder = dirname(path);
  const isFile = !indexFiles.some((name) => path.endsWith(name)) && !path.includes("node_modules");
  return isFile ? [pathToFileURL(path).href, path] : [`${pathToFileURL(folder).href}/`, `${folder}/`];
}

/** Null where there is none to read. */
function readStack(error: unknown): string | null {
  try {
    return error instanceof Error && typeof error.stack === "string" ? error.stack : null;
  } catch {
    // A getter of somebody's own.
    return null;
  }
}

/** Formats errors of extensions with file and line, and catches errors that they throw outside of any call. */

import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExtensionFailure } from "@pith/agent";
import { escapeControls } from "../text/safe-text.ts";
import { type FoundExtension, indexFiles } from "./extension-files.ts";

/** `path` is the entry file of the extension. The line is included only if the error occurred in the extension's folder. */
export function formatExtensionError(error: unknown, path: string): string {
  return `${findErrorLocation(error, path) ?? path}: ${formatErrorMessage(error)}`;
}

/** Returns the first line of the message, limited in length. */
function formatErrorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine = ""] = message.split("\n");
  return firstLine.slice(0, MAX_MESSAGE_CHARS);
}

const MAX_MESSAGE_CHARS = 500;

/** Finds the innermost stack frame in the extension's folder, as `file:line`. */
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
  /** The reporter of the session that loaded the extension last. */
  readonly report: ReportFailure;
}

const watchedExtensions = new Map<string, WatchedExtension>();

/** Reports errors that these extensions throw outside of any call, e.g. in a timer, and continues. Errors of other code still end the program. */
export function watchExtensions(extensions: readonly FoundExtension[], report: ReportFailure): void {
  if (watchedExtensions.size === 0 && extensions.length > 0) {
    process.on("uncaughtException", (error) => handleStrayError(error, "thrown"));
    process.on("unhandledRejection", (error) => handleStrayError(error, "rejected"));
  }
  for (const { name, path, stamp } of extensions) watchedExtensions.set(path, { name, path, stamp, report });
}

export type StrayErrorKind = "thrown" | "rejected";

/** Whether an extension probably caused the error. */
export function isExtensionError(error: unknown, kind: StrayErrorKind): boolean {
  return findResponsibleExtensions(error, kind).length > 0;
}

function handleStrayError(error: unknown, kind: StrayErrorKind): void {
  const [first, ...others] = findResponsibleExtensions(error, kind);
  if (first) {
    const extension = [first, ...others].map(({ name }) => name).join(" or ");
    first.report({
      extension,
      event: "background work",
      why: others.length === 0 ? formatExtensionError(error, first.path) : formatErrorMessage(error),
    });
  } else if (process.listenerCount(kind === "thrown" ? "uncaughtException" : "unhandledRejection") === 1) {
    // The same as Node's default without a listener.
    process.stderr.write(`pith: internal error: ${escapeControls(readStack(error) ?? String(error))}\n`);
    process.exit(1);
  }
}

/** Finds the extensions in the stack. Returns all extensions if one of them must be the cause, but it is not known which. */
function findResponsibleExtensions(error: unknown, kind: StrayErrorKind): readonly WatchedExtension[] {
  const extensions = [...watchedExtensions.values()];
  const stack = readStack(error);
  // Pith's own code throws only `Error` objects.
  if (stack === null) return extensions;
  const matches = extensions.filter(({ path }) => listCodePrefixes(path).some((prefix) => stack.includes(prefix)));
  if (matches.length > 0) return matches;
  const [, stamp] = /\?pith=([0-9a-f]+)/.exec(stack) ?? [];
  if (stamp !== undefined) return extensions.filter((extension) => extension.stamp === stamp);
  // The rejection of a promise that was not awaited. Pith awaits all of its own promises.
  return kind === "rejected" && stack.split("\n").every(isNodeFrame) ? extensions : [];
}

/** Whether a stack line contains no file except Node's own. */
function isNodeFrame(line: string): boolean {
  return !/^\s+at .*[/\\]/.test(line.replaceAll(/node:\S+/g, ""));
}

/** Returns the file itself, or the whole folder if the file is an index file or belongs to a package. */
function listCodePrefixes(path: string): readonly string[] {
  const folder = dirname(path);
  const isFile = !indexFiles.some((name) => path.endsWith(name)) && !path.includes("node_modules");
  return isFile ? [pathToFileURL(path).href, path] : [`${pathToFileURL(folder).href}/`, `${folder}/`];
}

/** Null if the value has no readable stack. */
function readStack(error: unknown): string | null {
  try {
    return error instanceof Error && typeof error.stack === "string" ? error.stack : null;
  } catch {
    // An extension may define a `stack` getter that throws.
    return null;
  }
}

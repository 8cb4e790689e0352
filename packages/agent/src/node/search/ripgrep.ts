/** Searches with ripgrep. It finds the same as the built-in walk, in the same order, whatever the user's ripgrep settings are. */

import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { fileNameGlob } from "../../glob.ts";
import type { SearchOptions } from "../../ports.ts";
import { signalGroup } from "../kill-process-group.ts";
import { findSafeProgram } from "../sandbox/detect.ts";
import { resolveExistingPaths } from "../sandbox/options.ts";
import {
  badPatternResult,
  decodePath,
  escapePattern,
  type GrepResult,
  type GrepTarget,
  joinPathBytes,
  LINE_BREAK_PROBLEM,
  MAX_FILE_MEGABYTES,
  type SearchEngine,
  type SearchedFolder,
} from "./engine.ts";
import { openSource, parseRipgrepRecords, RipgrepFileHits } from "./ripgrep-output.ts";
import { readOuterRules } from "./walk.ts";

export interface RipgrepOptions {
  readonly program: string;
  readonly options: readonly string[];
  /** The folder to search. */
  readonly folder: string;
  /** The only file in it to search; absent for all. */
  readonly file?: string;
  readonly signal: AbortSignal;
}

export interface RipgrepProcess {
  readonly output: AsyncIterable<Buffer>;
  /** The beginning of its standard error; complete once the output has ended. */
  errorOutput(): string;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

const MAX_ERROR_CHARS = 4_096;

/** Ripgrep ends when the reader has enough or the signal aborts. */
export function startRipgrep({ program, options, folder, file = "", signal }: RipgrepOptions): RipgrepProcess {
  signal.throwIfAborted();
  const child = spawn(program, [...options, "--", `./${file}`], {
    cwd: folder,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errorOutput = "";
  const appendError = (text: string): void => {
    errorOutput = (errorOutput + text).slice(0, MAX_ERROR_CHARS);
  };
  child.stderr.setEncoding("utf8").on("data", appendError);
  child.on("error", ({ message }) => appendError(message));
  return { output: readOutput(child, signal), errorOutput: () => errorOutput };
}

async function* readOutput(child: Child, signal: AbortSignal): AsyncGenerator<Buffer> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  const end = (): void => killRipgrep(child);
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const chunk of child.stdout) yield chunk;
    await closed;
  } finally {
    signal.removeEventListener("abort", end);
    end();
    signal.throwIfAborted();
  }
}

/** Uses SIGKILL at once: ripgrep only reads. */
function killRipgrep(child: Child): void {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (child.pid !== undefined && !hasEnded) signalGroup(child.pid, "SIGKILL");
  child.stdout.destroy();
  child.stderr.destroy();
}

export function ripgrepEngine(program: string): SearchEngine {
  return {
    listFiles: (folder, options) => listFiles({ program, folder }, options),
    grep: (target, options) => grep({ program, ...target }, options),
  };
}

const COMMON_OPTIONS = [
  "--no-config",
  "--no-messages",
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-dot",
  "--glob=!.git",
  "--path-separator=/",
];

async function* listFiles(
  { program, folder }: { program: string; folder: SearchedFolder },
  searchOptions: Pick<SearchOptions, "signal">,
): AsyncGenerator<Buffer> {
  const options = [...COMMON_OPTIONS, ...(await parentIgnoreOptions(folder)), "--files", "--null"];
  const { output, errorOutput } = startRipgrep({ program, options, folder: folder.openPath, ...searchOptions });
  let rest = Buffer.alloc(0);
  for await (const chunk of output) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      yield stripDotSlash(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (errorOutput() !== "") throw new Error(failureMessage(errorOutput()));
}

interface RipgrepTarget extends GrepTarget {
  readonly program: string;
}

async function* grep(target: RipgrepTarget, searchOptions: SearchOptions): AsyncGenerator<GrepResult> {
  const options = [...COMMON_OPTIONS, ...(await parentIgnoreOptions(target.folder)), ...grepOptions(target)];
  const process = startRipgrep({ ...target, folder: target.folder.openPath, options, ...searchOptions });
  let file: RipgrepFileHits | null = null;
  try {
    for await (const record of parseRipgrepRecords(process.output)) {
      switch (record.type) {
        case "begin":
          file = await openFileHits(stripDotSlash(record.path), target);
          break;
        case "line":
          await file?.add(record.line);
          if (file && file.count > searchOptions.maxResults) return yield { type: "file", hits: file.hits };
          break;
        case "end":
          await file?.close();
          if (file && !record.isBinary) yield { type: "file", hits: file.hits };
          file = null;
          break;
        case "summary":
          return;
      }
    }
  } finally {
    await file?.close();
  }
  yield failureResult(process.errorOutput());
}

/** Null where the file is not searched, or is no longer at its path. */
async function openFileHits(path: Buffer, { folder, fits, redaction }: GrepTarget): Promise<RipgrepFileHits | null> {
  const displayPath = decodePath(path);
  if (fits && !fits(displayPath)) return null;
  const source = await openSource({
    realPath: joinPathBytes(folder.realPath, path),
    openPath: joinPathBytes(folder.openPath, path),
  });
  return source && new RipgrepFileHits(displayPath, source, { redaction });
}

function grepOptions({ pattern, isLiteral, ignoresCase, contextLines = 0, glob, file }: GrepTarget): readonly string[] {
  const name = glob === undefined ? null : fileNameGlob(glob);
  return [
    "--json",
    "--sort=path",
    "--no-mmap",
    "--crlf",
    `--context=${contextLines}`,
    `--max-filesize=${MAX_FILE_MEGABYTES}M`,
    // Matches to the end of the line; otherwise a line with a million hits would report each of them.
    `--regexp=(?:${isLiteral ? escapePattern(pattern) : pattern}).*`,
    ...(ignoresCase ? ["--ignore-case"] : []),
    // A ripgrep glob would include ignored files; a type does not.
    ...(name === null || file ? [] : [`--type-add=wanted:${name}`, "--type=wanted"]),
  ];
}

/** An ignored folder is searched if the caller names it. */
async function parentIgnoreOptions({ realPath }: SearchedFolder): Promise<readonly string[]> {
  return (await readOuterRules(realPath)) === "ignored" ? ["--no-ignore-parent"] : [];
}

function stripDotSlash(path: Buffer): Buffer {
  return path.subarray("./".length);
}

function failureResult(errorOutput: string): GrepResult {
  const why = /^error: (.+)$/m.exec(errorOutput)?.[1];
  if (why !== undefined) return badPatternResult(why);
  if (errorOutput.includes("not allowed in a regex")) return badPatternResult(LINE_BREAK_PROBLEM);
  return { type: "refused", message: failureMessage(errorOutput) };
}

function failureMessage(errorOutput: string): string {
  return `the search failed: ${errorOutput.trim().split("\n")[0] || "ripgrep ended early"}`;
}

export interface ProgramSearchOptions {
  /** The value of `PATH`. */
  readonly searchPath: string;
  /** The workspace; programs in it are not trusted. */
  readonly root: string;
  /** World-writable folders; the machine's temporary folders by default. */
  readonly temporary?: readonly string[];
}

/** The configured program, else the one in `PATH`. It runs without a sandbox, so it must not lie where others could have written it. */
export async function findUsableRipgrep(
  configured: string | undefined,
  options: ProgramSearchOptions,
): Promise<string | null> {
  if (configured !== undefined && (await isUsable(configured))) return configured;
  const { searchPath, root, temporary = [tmpdir(), "/tmp", "/var/tmp"] } = options;
  const program = findSafeProgram({ name: "rg", searchPath, writable: resolveExistingPaths([root, ...temporary]) });
  return program !== null && (await isUsable(program)) ? program : null;
}

/** The first version that supports all options used here. */
const MIN_MAJOR_VERSION = 13;
const VERSION_TIMEOUT_MS = 5_000;

async function isUsable(program: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    return Number(/^ripgrep (\d+)\./.exec(stdout)?.[1] ?? 0) >= MIN_MAJOR_VERSION;
  } catch {
    // Missing, or cannot run on this machine: the built-in walk is used.
    return false;
  }
}

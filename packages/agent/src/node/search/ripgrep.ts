/** Searches with ripgrep, so that it finds what the built-in walk finds, in the same order, whatever the user's ripgrep settings are. */

import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { nameGlob } from "../../glob.ts";
import type { SearchAct } from "../../ports.ts";
import { presentPaths } from "../sandbox/box.ts";
import { safeProgram } from "../sandbox/detect.ts";
import { signalGroup } from "../shell.ts";
import {
  ACROSS_LINES,
  badPattern,
  decoded,
  type Engine,
  type GrepTarget,
  LARGEST_MEGABYTES,
  literalPattern,
  pathIn,
  type Searched,
  type SearchedFolder,
} from "./engine.ts";
import { FileDraft, openSource, ripgrepRecords } from "./ripgrep-output.ts";
import { outerRules } from "./walk.ts";

export interface Run {
  readonly program: string;
  readonly options: readonly string[];
  /** Where it searches. */
  readonly folder: string;
  /** The one file in it; none: all of them. */
  readonly file?: string;
  readonly signal: AbortSignal;
}

export interface Running {
  readonly output: AsyncIterable<Buffer>;
  /** What it complained of, known once the output has ended; no more than the beginning. */
  complaint(): string;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

const LONGEST_COMPLAINT = 4_096;

/** Ripgrep ends when the reader has enough or the signal aborts. */
export function startRipgrep({ program, options, folder, file = "", signal }: Run): Running {
  signal.throwIfAborted();
  const child = spawn(program, [...options, "--", `./${file}`], {
    cwd: folder,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  const complain = (text: string): void => {
    complaint = (complaint + text).slice(0, LONGEST_COMPLAINT);
  };
  child.stderr.setEncoding("utf8").on("data", complain);
  child.on("error", ({ message }) => complain(message));
  return { output: outputOf(child, signal), complaint: () => complaint };
}

async function* outputOf(child: Child, signal: AbortSignal): AsyncGenerator<Buffer> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  const end = (): void => endNow(child);
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

/** It only reads, so it need not be asked first. */
function endNow(child: Child): void {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (child.pid !== undefined && !hasEnded) signalGroup(child.pid, "SIGKILL");
  child.stdout.destroy();
  child.stderr.destroy();
}

export function ripgrepEngine(program: string): Engine {
  return {
    files: (folder, act) => files({ program, folder }, act),
    grep: (target, act) => grep({ program, ...target }, act),
  };
}

const OPTIONS = [
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

async function* files(
  { program, folder }: { program: string; folder: SearchedFolder },
  act: Pick<SearchAct, "signal">,
): AsyncGenerator<Buffer> {
  const options = [...OPTIONS, ...(await parents(folder)), "--files", "--null"];
  const { output, complaint } = startRipgrep({ program, options, folder: folder.at, ...act });
  let rest = Buffer.alloc(0);
  for await (const chunk of output) {
    const seen = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = seen.indexOf(0); end >= 0; end = seen.indexOf(0, start)) {
      yield withoutDot(seen.subarray(start, end));
      start = end + 1;
    }
    rest = seen.subarray(start);
  }
  if (complaint() !== "") throw new Error(failure(complaint()));
}

interface RipgrepTarget extends GrepTarget {
  readonly program: string;
}

async function* grep(target: RipgrepTarget, act: SearchAct): AsyncGenerator<Searched> {
  const options = [...OPTIONS, ...(await parents(target.folder)), ...grepOptions(target)];
  const running = startRipgrep({ ...target, folder: target.folder.at, options, ...act });
  let file: FileDraft | null = null;
  try {
    for await (const record of ripgrepRecords(running.output)) {
      switch (record.type) {
        case "begin":
          file = await draftOf(withoutDot(record.path), target);
          break;
        case "line":
          await file?.add(record.line);
          if (file && file.count > act.most) return yield { type: "file", hits: file.hits };
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
  yield refused(running.complaint());
}

/** Null where it is not wanted, or lies no more where it was found. */
async function draftOf(path: Buffer, { folder, fits, redaction }: GrepTarget): Promise<FileDraft | null> {
  const shown = decoded(path);
  if (fits && !fits(shown)) return null;
  const source = await openSource({ real: pathIn(folder.real, path), at: pathIn(folder.at, path) });
  return source && new FileDraft(shown, source, { redaction });
}

function grepOptions({ pattern, isLiteral, ignoresCase, around = 0, glob, file }: GrepTarget): readonly string[] {
  const name = glob === undefined ? null : nameGlob(glob);
  return [
    "--json",
    "--sort=path",
    "--no-mmap",
    "--crlf",
    `--context=${around}`,
    `--max-filesize=${LARGEST_MEGABYTES}M`,
    // To the end of the line: of a line with a million hits all would be told.
    `--regexp=(?:${isLiteral ? literalPattern(pattern) : pattern}).*`,
    ...(ignoresCase ? ["--ignore-case"] : []),
    // As a glob of ripgrep's it would let in what is ignored; as a type it does not.
    ...(name === null || file ? [] : [`--type-add=wished:${name}`, "--type=wished"]),
  ];
}

/** A folder that is ignored itself is searched if it is named. */
async function parents({ real }: SearchedFolder): Promise<readonly string[]> {
  return (await outerRules(real)) === "ignored" ? ["--no-ignore-parent"] : [];
}

function withoutDot(path: Buffer): Buffer {
  return path.subarray("./".length);
}

function refused(complaint: string): Searched {
  const why = /^error: (.+)$/m.exec(complaint)?.[1];
  if (why !== undefined) return badPattern(why);
  if (complaint.includes("not allowed in a regex")) return badPattern(ACROSS_LINES);
  return { type: "refused", message: failure(complaint) };
}

function failure(complaint: string): string {
  return `the search failed: ${complaint.trim().split("\n")[0] || "ripgrep ended early"}`;
}

export interface Trust {
  /** As the variable `PATH` has them. */
  readonly folders: string;
  /** The workspace: what lies in it is the project's. */
  readonly root: string;
  /** Where everybody may write; the temporary folders of the machine, unless told otherwise. */
  readonly temporary?: readonly string[];
}

/** The first that works: the one handed in, else the one that `PATH` leads to. It runs without a sandbox, so no stranger's. */
export async function usableRipgrep(handedIn: string | undefined, trust: Trust): Promise<string | null> {
  if (handedIn !== undefined && (await isUsable(handedIn))) return handedIn;
  const { folders, root, temporary = [tmpdir(), "/tmp", "/var/tmp"] } = trust;
  const program = safeProgram({ name: "rg", folders, writable: presentPaths([root, ...temporary]) });
  return program !== null && (await isUsable(program)) ? program : null;
}

/** The first that knows every option we give it. */
const OLDEST = 13;
const PATIENCE_MS = 5_000;

async function isUsable(program: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: PATIENCE_MS });
    return Number(/^ripgrep (\d+)\./.exec(stdout)?.[1] ?? 0) >= OLDEST;
  } catch {
    // It is not there, or cannot run on this machine: there is another way to search.
    return false;
  }
}

/** The program under strace: what it starts, whom it connects to, and what it opens and changes on the disk. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findBuiltProgram } from "./built-program.ts";

export interface ProgramTrace {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
  /** Programs, by their paths as they were asked for, also where there was none. */
  readonly started: readonly string[];
  /** Addresses with their ports, and sockets of this machine. */
  readonly connected: readonly string[];
  /** Paths that were made, written, renamed, linked, removed or given other rights. */
  readonly changed: readonly string[];
  /** Files whose content the program itself opened; not those of what it started. */
  readonly opened: readonly string[];
}

export interface TraceOptions {
  readonly cwd: string;
  /** The file for the trace. */
  readonly log: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program: its sources, unless a built one is named. */
  readonly bin?: string;
}

export async function traceProgram(
  args: readonly string[],
  { cwd, log, env, bin = findBuiltProgram() }: TraceOptions,
): Promise<ProgramTrace> {
  const options = ["-f", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", `trace=${CALLS}`, "-o", log];
  const child = spawn("strace", [...options, process.execPath, bin, ...args], {
    cwd,
    env: { ...env, PATH: env.PATH ?? process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, notes] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    notes += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, notes, ...acts(readFileSync(log, "utf8")) };
}

// Those with a question mark are not there on every processor.
const CALLS = [
  ...["execve", "execveat", "connect", "sendto", "sendmsg", "?open", "openat", "?openat2", "?creat", "truncate"],
  ...["?rename", "?renameat", "renameat2", "?link", "linkat", "?symlink", "symlinkat", "?unlink", "unlinkat", "?rmdir"],
  ...[
    "?mkdir",
    "mkdirat",
    "?mknod",
    "mknodat",
    "?chmod",
    "fchmod",
    "fchmodat",
    "?chown",
    "fchown",
    "fchownat",
    "utimensat",
  ],
  ...["setxattr", "clone", "?fork", "?vfork", "clone3"],
].join(",");

type Acts = Pick<ProgramTrace, "started" | "connected" | "changed" | "opened">;

function acts(log: string): Acts {
  const calls = whole(log.split("\n")).flatMap((line) => call(line) ?? []);
  const started = calls.filter(({ name }) => name.startsWith("execve"));
  // Threads have numbers of their own, so that the others are told by what they execute.
  const children = new Set(started.slice(1).map(({ process }) => process));
  const isOpening = ({ name }: Call): boolean => name.startsWith("open") || name === "creat";
  const isContent = ({ rest }: Call): boolean => !/O_(?:DIRECTORY|PATH)/.test(rest);
  const isWriting = ({ rest }: Call): boolean => /O_(?:WRONLY|RDWR|CREAT|TRUNC)/.test(rest);
  return {
    started: started.map(({ rest }) => quoted(rest)[0] ?? ""),
    connected: calls.flatMap(({ rest }) => address(rest) ?? []),
    changed: calls.filter((each) => (isOpening(each) ? isWriting(each) : CHANGING.test(each.name))).flatMap(paths),
    opened: calls
      .filter((each) => isOpening(each) && isContent(each) && !isWriting(each) && !children.has(each.process))
      .flatMap(paths),
  };
}

interface Call {
  readonly process: string;
  readonly name: string;
  readonly rest: string;
}

const CHANGING = /^(?:truncate|rename|link|symlink|unlink|rmdir|mkdir|mknod|f?chmod|f?chown|utimensat|setxattr)/;

/** A call that another came between is told in two lines: what it was given, and what came of it. */
function whole(lines: readonly string[]): readonly string[] {
  const begun = new Map<string, string>();
  const calls = lines.flatMap((line) => {
    const [, process = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const [, end] = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest) ?? [];
    const start = begun.get(process) ?? `${process} `;
    if (rest.endsWith(UNFINISHED)) begun.set(process, line.slice(0, -UNFINISHED.length));
    else begun.delete(process);
    if (rest.endsWith(UNFINISHED)) return [];
    return [end === undefined ? line : `${start}${end}`];
  });
  return [...calls, ...begun.values()];
}

const UNFINISHED = "<unfinished ...>";

function call(line: string): Call | null {
  const match = /^(\d+) +(\w+)\((.*)$/.exec(line);
  return match && !/ = -1 ENOENT/.test(line)
    ? { process: match[1] ?? "", name: match[2] ?? "", rest: match[3] ?? "" }
    : null;
}

function quoted(rest: string): readonly string[] {
  return [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? "");
}

/** Relative ones behind the folder they count from, where the call names one. */
function paths({ name, rest }: Call): readonly string[] {
  const folder = /^(?:AT_FDCWD|\d+)<([^>]*)>/.exec(rest)?.[1] ?? "";
  const given = quoted(rest.replace(/, O_.*$/, ""));
  const named = given.map((path) => (path.startsWith("/") ? path : join(folder, path)));
  return /^f?ch(?:mod|own)$|^utimensat$/.test(name) && given.length === 0 ? [folder] : named;
}

function address(rest: string): string | null {
  const ip = /sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"/.exec(rest);
  if (ip) return `${ip[2]}:${ip[1]}`;
  return /sun_path=@?"([^"]*)"/.exec(rest)?.[1] ?? null;
}

/**
 * Explains system errors in the output of a sandboxed command: what the sandbox did, and what changes it. It recognizes only the fixed texts
 * and names of error numbers, and mentions a path only if the sandbox restricts it.
 */

import type { FindPathRestriction, PathRestriction, PathUse } from "../../ports.ts";

export interface SandboxNoteOptions {
  readonly findRestriction: FindPathRestriction;
  /** Whether commands may write in the workspace. */
  readonly mayWrite: boolean;
  readonly hasFailed: boolean;
  /** The path of the temporary folder within commands. */
  readonly temporary: string;
}

/** At most three lines, each with another cause. */
export function listSandboxNotes(text: string, options: SandboxNoteOptions): readonly string[] {
  const notes = new Map<string, string>();
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const note = explainLine(line, lines.slice(Math.max(0, index - LINES_BEFORE), index), options);
    if (note !== null && !notes.has(note.key)) notes.set(note.key, `[sandbox] ${note.text}`);
    if (notes.size === MAX_NOTES) break;
  }
  return [...notes.values()];
}

const MAX_NOTES = 3;
/** Some programs name the file in a line before the error. */
const LINES_BEFORE = 3;
const MAX_LINE_CHARS = 2_000;

interface Note {
  /** The same for errors with the same cause. */
  readonly key: string;
  readonly text: string;
}

function explainLine(line: string, linesBefore: readonly string[], options: SandboxNoteOptions): Note | null {
  if (line.length > MAX_LINE_CHARS) return null;
  const error = SYSTEM_ERRORS.find(({ pattern }) => pattern.test(line));
  if (error === undefined || (error.needsFailure && !options.hasFailed)) return null;
  if (NAMESPACE_ERROR.test(line)) return NAMESPACE_NOTE;
  const restriction = findRestrictedPath(line, error, options.findRestriction);
  const found = restriction ?? findInLinesBefore(linesBefore, error, options.findRestriction);
  return found === null ? null : describeRestriction(found, options);
}

interface SystemError {
  readonly pattern: RegExp;
  /** What the program may have wanted to do with the path. */
  readonly uses: readonly PathUse[];
  /** Errors that only a mount causes: a relative path may be meant, and the path may be in an earlier line. */
  readonly isFromMount: boolean;
  /** Programs print these often although all went well. */
  readonly needsFailure: boolean;
}

/** As the C library, Node, Python, Go and Rust write them. */
const SYSTEM_ERRORS: readonly SystemError[] = [
  { pattern: /read-only file system|\bEROFS\b/i, uses: ["write", "move"], isFromMount: true, needsFailure: false },
  {
    pattern: /device or resource busy|resource busy or locked|cross-device link|\bE(?:BUSY|XDEV)\b/i,
    uses: ["move"],
    isFromMount: true,
    needsFailure: false,
  },
  {
    pattern: /permission denied|operation not permitted|\bE(?:ACCES|PERM)\b/i,
    uses: ["open"],
    isFromMount: false,
    needsFailure: false,
  },
  {
    pattern:
      /no such file or directory|connection refused|cannot connect to the docker daemon|\bE(?:NOENT|CONNREFUSED)\b/i,
    uses: ["open"],
    isFromMount: false,
    needsFailure: true,
  },
];

/** Programs that create a sandbox or a container of their own. */
const NAMESPACE_ERROR = /\bunshare failed\b|\bnew namespace\b|\bCLONE_NEWUSER\b|\buser namespaces?\b/i;
const NAMESPACE_NOTE: Note = {
  key: "namespace",
  text: "Commands cannot create user namespaces. Turn off the program's own sandbox (for Chromium: --no-sandbox), or run it with `outside: true`; the user is asked.",
};

function findRestrictedPath(
  fullLine: string,
  { pattern, uses, isFromMount }: SystemError,
  findRestriction: FindPathRestriction,
): PathRestriction | null {
  const line = dropProgramName(fullLine, pattern);
  const quoted = [...line.matchAll(QUOTED)].flatMap(([, text = ""]) => text);
  const absolute = [...line.matchAll(ABSOLUTE)].flatMap(([, text = ""]) => text.replace(/[:.)\]]+$/, ""));
  const full = [...quoted.map(stripScheme).filter(isFull), ...absolute.map(stripScheme)];
  const words = line.split(/[\s:]+/).filter((word) => /^\.?[\w@+-]*[./]/.test(word));
  const relative = full.length > 0 || !isFromMount ? [] : [...quoted, ...words];
  const paths = [...full, ...relative].filter(isPlain);
  const restrictions = paths.flatMap((path) => uses.map((use) => findRestriction(path, use)));
  return restrictions.find((restriction) => restriction !== null) ?? null;
}

/** `/bin/bash: line 1: path: error` names a program first, `path: error` does not. */
function dropProgramName(line: string, pattern: RegExp): string {
  const [, rest = ""] = /^\S+: (?:(?:line )?\d+: )?(.+)$/.exec(line) ?? [];
  return rest === "" || rest.search(pattern) === 0 ? line : rest;
}

const QUOTED = /['"`‘“]([^'"`’”]+)['"`’”]/g;
const ABSOLUTE = /(?:^|[\s=:(])((?:unix:\/\/|file:\/\/)?~?\/[^\s'"`’”,;]+)/g;

function stripScheme(text: string): string {
  return text.replace(/^(?:unix|file):\/\//, "");
}

function isFull(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~/");
}

const MAX_PATH_CHARS = 200;

/** Only a short name without control characters is repeated in a note. */
function isPlain(path: string): boolean {
  return path.length <= MAX_PATH_CHARS && !/\p{Cc}/u.test(path);
}

function findInLinesBefore(
  linesBefore: readonly string[],
  error: SystemError,
  findRestriction: FindPathRestriction,
): PathRestriction | null {
  if (!error.isFromMount) return null;
  for (const line of linesBefore.toReversed()) {
    const restriction = line.length > MAX_LINE_CHARS ? null : findRestrictedPath(line, error, findRestriction);
    if (restriction !== null) return restriction;
  }
  return null;
}

const OUTSIDE = "run the command with `outside: true` (the user is asked)";
const PLAN_KEY = "plan";

function describeRestriction(restriction: PathRestriction, options: SandboxNoteOptions): Note {
  const { cause, path } = restriction;
  if (cause === "workspace" || (isReadOnly(cause) && !options.mayWrite))
    return {
      key: PLAN_KEY,
      text: `${cause === "workspace" ? "The workspace" : path} is read-only now: the mode does not permit changes (plan mode). Commands can write in ${options.temporary} and the home folder. Only the user can change the mode.`,
    };
  return { key: keyOf(restriction), text: describeCause(restriction, options) };
}

function isReadOnly(cause: PathRestriction["cause"]): boolean {
  return ["system", "folder", "repository", "guarded"].includes(cause);
}

/** A build that fails in many places of the system needs one note. */
function keyOf({ cause, path }: PathRestriction): string {
  return cause === "system" || cause === "folder" ? cause : `${cause} ${path}`;
}

function describeCause({ cause, path }: PathRestriction, { temporary }: SandboxNoteOptions): string {
  switch (cause) {
    case "system":
    case "folder":
      return `${path} is read-only for commands. They can write in the workspace, ${temporary} and the home folder. To write there, ${OUTSIDE}; the user can also add the folder to the setting sandboxWrite.`;
    case "repository":
      return `${path} is read-only for commands: it is around the workspace. To write there, ${OUTSIDE}; the user can also start the session in ${path} or add it to the setting sandboxWrite.`;
    case "guarded":
      return `${path} is protected: other programs execute what it contains, so commands cannot change it. Use the write or edit tool, or ${OUTSIDE}.`;
    case "folder-in-use":
      return `${path} cannot be removed or renamed by commands: the sandbox uses it. Change what is in it, or ${OUTSIDE}.`;
    case "hidden":
      return `${path} is not visible to commands. If it is needed, ${OUTSIDE}; the user can also add it to the setting sandboxRead.`;
    case "closed":
      return `${path} is closed to commands: it may contain secrets, or a rule denies it. If it is needed, ask the user.`;
    case "socket":
      return `${path} is a socket of the user's machine, which commands cannot reach. If it is needed, ${OUTSIDE}.`;
    case "workspace":
      return "The workspace is read-only now.";
  }
}

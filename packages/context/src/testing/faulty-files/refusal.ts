/** Creates disk errors with a code and Node's wording, and the error of a crashed process. */

import { diskError, type Files, type OpenFile } from "../../node/files.ts";

export type Operation = keyof Files | keyof OpenFile;

/** One call of the port, as it is told in messages and in the log. */
export interface Call {
  readonly operation: Operation;
  readonly paths: readonly string[];
  /** Set where the call came through an open file. */
  readonly opened?: boolean;
  readonly detail?: string | number;
}

/** Thrown by every call from the crash on, until the process is started again. It has no code: no disk said it. */
export class Crashed extends Error {
  override readonly name: string = "Crashed";

  constructor() {
    super("the process has crashed; restart() or powerCut() begins another");
  }
}

/** Not yet worded: whoever throws it need not know which call it was. */
export function refusal(code: string): Error {
  return Object.assign(new Error(reason(code)), { code });
}

/** The same error as node would show it to the caller. */
export function worded(error: unknown, call: Call): unknown {
  const code = diskError(error);
  if (code === "") return error;
  const syscall = systemCall(call);
  const [path, dest] = call.opened ? [] : call.paths.map((each) => `'${each}'`);
  const where = [syscall, ...(path ? [path] : []), ...(dest ? ["->", dest] : [])].join(" ");
  return Object.assign(new Error(`${reason(code)}, ${where}`), { code, syscall });
}

function reason(code: string): string {
  return `${code}: ${reasons[code] ?? "unknown error"}`;
}

function systemCall({ operation, opened }: Call): string {
  if (opened && operation === "stat") return "fstat";
  return systemCalls[operation];
}

const systemCalls: Readonly<Record<Operation, string>> = {
  open: "open",
  create: "open",
  stat: "lstat",
  list: "scandir",
  makeFolder: "mkdir",
  rename: "rename",
  link: "link",
  remove: "unlink",
  syncFolder: "open",
  read: "read",
  append: "write",
  truncate: "ftruncate",
  sync: "fdatasync",
  close: "close",
};

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBADF: "bad file descriptor",
  EBUSY: "resource busy or locked",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EIO: "i/o error",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links encountered",
  EMFILE: "too many open files",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
};

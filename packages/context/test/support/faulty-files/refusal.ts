/** Creates disk errors with a code and Node's wording, and the error of a crashed process. */

import { diskErrorCode, type Files, type OpenFile } from "../../../src/node/files.ts";

export type FileOperation = keyof Files | keyof OpenFile;

/** One call of the port, as it is told in messages and in the log. */
export interface FileOperationCall {
  readonly operation: FileOperation;
  readonly paths: readonly string[];
  /** Set where the call came through an open file. */
  readonly isOpenFile?: boolean;
  readonly detail?: string | number;
}

/** Thrown by every call from the crash on, until the process is started again. It has no code: no disk said it. */
export class CrashError extends Error {
  override readonly name: string = "Crashed";

  constructor() {
    super("the process has crashed; restart() or powerCut() begins another");
  }
}

/** Not yet worded: whoever throws it need not know which call it was. */
export function createErrnoError(code: string): Error {
  return Object.assign(new Error(formatErrno(code)), { code });
}

/** The same error as node would show it to the caller. */
export function toNodeError(error: unknown, call: FileOperationCall): unknown {
  const code = diskErrorCode(error);
  if (code === "") return error;
  const syscall = syscallName(call);
  const [path, dest] = call.isOpenFile ? [] : call.paths.map((quotedPath) => `'${quotedPath}'`);
  const callText = [syscall, ...(path ? [path] : []), ...(dest ? ["->", dest] : [])].join(" ");
  return Object.assign(new Error(`${formatErrno(code)}, ${callText}`), { code, syscall });
}

function formatErrno(code: string): string {
  return `${code}: ${ERRNO_MESSAGES[code] ?? "unknown error"}`;
}

function syscallName({ operation, isOpenFile }: FileOperationCall): string {
  if (isOpenFile && operation === "stat") return "fstat";
  return SYSCALL_NAMES[operation];
}

const SYSCALL_NAMES: Readonly<Record<FileOperation, string>> = {
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

const ERRNO_MESSAGES: Readonly<Record<string, string>> = {
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

/** Creates disk errors with Node's codes and messages, and the error of a crashed process. */

import { diskErrorCode, type Files, type OpenFile } from "../../../src/node/files.ts";

export type FileOperation = keyof Files | keyof OpenFile;

/** One call of the port, for messages and the log. */
export interface FileOperationCall {
  readonly operation: FileOperation;
  readonly paths: readonly string[];
  /** Whether the call was made on an open file. */
  readonly isOpenFile?: boolean;
  readonly detail?: string | number;
}

/** Thrown by every call after a crash until the next start. It has no code, because it is not a disk error. */
export class CrashError extends Error {
  override readonly name: string = "Crashed";

  constructor() {
    super("the process has crashed; call restart() or cutPower() to start another");
  }
}

/** Creates an error with a code; `toNodeError` adds the call to its message. */
export function createErrnoError(code: string): Error {
  return Object.assign(new Error(formatErrno(code)), { code });
}

/** Converts an error to the form that Node throws. */
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

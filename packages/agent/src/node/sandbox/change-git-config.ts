/**
 * Changes the settings of a repository for a command that is still running. The file keeps its inode: replacing the file would remove the
 * read-only mount over it in every running sandbox, and commands could then write it themselves.
 */

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readlinkSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../safe-files.ts";
import { MAX_CONFIG_BYTES } from "./git-dangers.ts";
import { openFolderNoFollow } from "./mounts.ts";

export type ChangeResult = { readonly type: "changed" } | { readonly type: "failed"; readonly why: string };

export interface ConfigChange {
  /** A real path. */
  readonly file: string;
  /** The text that the change is based on. */
  readonly oldText: string;
  readonly newText: string;
}

const LOCK_TRIES = 20;
const LOCK_WAIT_MS = 100;

/** Uses git's own lock file, so that git outside the sandbox does not write at the same time. */
export async function changeGitConfig(change: ConfigChange): Promise<ChangeResult> {
  for (let tries = 1; ; tries += 1) {
    const result = changeOnce(change);
    if (result !== "locked") return result;
    if (tries === LOCK_TRIES) return failure("it is locked; another git process is changing it, or left config.lock");
    await sleep(LOCK_WAIT_MS);
  }
}

function failure(why: string): ChangeResult {
  return { type: "failed", why };
}

function changeOnce({ file, oldText, newText }: ConfigChange): ChangeResult | "locked" {
  let folder: number | null = null;
  try {
    folder = openFolderNoFollow(dirname(file));
    // A part of the path may have become a link.
    if (readlinkSync(`/proc/self/fd/${folder}`) !== dirname(file)) return failure("its folder was moved");
    const path = `/proc/self/fd/${folder}/${basename(file)}`;
    const lock = `${path}.lock`;
    closeSync(openSync(lock, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600));
    try {
      return replaceText(path, Buffer.from(oldText), Buffer.from(newText));
    } finally {
      // A command may have removed it.
      tryUnlink(lock);
    }
  } catch (error) {
    return errorCode(error) === "EEXIST" ? "locked" : failure(error instanceof Error ? error.message : String(error));
  } finally {
    if (folder !== null) closeSync(folder);
  }
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed, or replaced by a folder.
  }
}

function replaceText(path: string, oldBytes: Buffer, newBytes: Buffer): ChangeResult {
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.nlink !== 1) return failure("it is not a plain file");
    if (stats.size > MAX_CONFIG_BYTES || !readAll(file, stats.size).equals(oldBytes))
      return failure("it was changed at the same time; run the command again");
    writeInPlace(file, oldBytes, newBytes);
    return { type: "changed" };
  } finally {
    closeSync(file);
  }
}

function readAll(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count)
    count = readSync(file, bytes, length, bytes.length - length, length);
  return bytes.subarray(0, length);
}

/**
 * A reader sees the old or the new settings. The file first grows by a comment, so that one write without a change of the size replaces
 * the text; then it is cut, and what is cut off is the rest of the comment.
 */
function writeInPlace(file: number, oldBytes: Buffer, newBytes: Buffer): void {
  const text = endsWithLineBreak(newBytes) ? newBytes : Buffer.concat([newBytes, LINE_BREAK]);
  const size = Math.max(oldBytes.length, text.length) + 2;
  writeSync(file, createComment(size - oldBytes.length, oldBytes), 0, size - oldBytes.length, oldBytes.length);
  const paddedText = Buffer.concat([text, createComment(size - text.length, text)]);
  const written = writeSync(file, paddedText, 0, size, 0);
  if (written !== size) writeSync(file, paddedText, written, size - written, written);
  ftruncateSync(file, text.length);
  fdatasyncSync(file);
}

const LINE_BREAK = Buffer.from("\n");

function endsWithLineBreak(bytes: Buffer): boolean {
  return bytes.length === 0 || bytes.at(-1) === LINE_BREAK[0];
}

/** At least two bytes long. */
function createComment(length: number, before: Buffer): Buffer {
  const comment = Buffer.alloc(length, "#");
  if (!endsWithLineBreak(before)) LINE_BREAK.copy(comment);
  return comment;
}

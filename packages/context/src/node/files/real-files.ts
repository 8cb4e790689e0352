/** The files of this machine. Every call waits for the disk: an append is one write and one sync, and nothing comes between. */

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { type FileStat, type Files, type OpenFile, orNothing } from "./files.ts";

export const realFiles: Files = {
  open: (path, how) => opened(openSync(path, (how === "append" ? APPEND : constants.O_RDONLY) | PLAIN)),
  create: (path) => opened(openSync(path, APPEND | PLAIN | constants.O_CREAT | constants.O_EXCL, OWNER_FILE)),
  stat: (path) => orNothing(() => statOf(lstatSync(path))),
  list: (folder) => orNothing(() => readdirSync(folder)) ?? [],
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: OWNER_FOLDER }),
  rename: renameSync,
  link: linkSync,
  remove: unlinkSync,
  syncFolder: withFolder(fsyncSync),
};

const APPEND = constants.O_RDWR | constants.O_APPEND;
// Neither links nor pipes: opening a pipe would wait for its other end.
const PLAIN = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A number that no file has, so that every act on it is refused. */
const CLOSED = 2 ** 31 - 1;
const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;
const OWNER_WRITES = 0o200;

function opened(number: number): OpenFile {
  let descriptor = number;
  return {
    read: (into, position) => readAll(descriptor, into, position),
    append: (bytes) => writeSync(descriptor, bytes),
    truncate: (size) => ftruncateSync(descriptor, size),
    sync: () => fdatasyncSync(descriptor),
    stat: () => statOf(fstatSync(descriptor)),
    close() {
      closeSync(descriptor);
      // The system gives the number to the next file that is opened; a late write must not reach that one.
      descriptor = CLOSED;
    },
  };
}

function readAll(descriptor: number, into: Uint8Array, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(descriptor, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function statOf(stats: Stats): FileStat {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  const readOnly = (stats.mode & OWNER_WRITES) === 0;
  return { kind, identity: `${stats.dev}:${stats.ino}`, size: stats.size, modified: stats.mtimeMs, readOnly };
}

function withFolder(act: (descriptor: number) => void): (path: string) => void {
  return (path) => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      act(descriptor);
    } finally {
      closeSync(descriptor);
    }
  };
}

/** All bytes of one file, up to a bound. Never waits for the other end of a pipe, and never grows with an endless file. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { FileRead } from "../../workspace.ts";
import { refusal } from "../disk/disk-refusal.ts";
import { codeOf } from "../disk/error-code.ts";
import { type HeldFile, openHeld } from "../disk/open-held.ts";
import { namesIn, namesNear } from "./near-names.ts";
import type { Place } from "./place.ts";

export interface BoundedAct {
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
}

export async function readBytes(place: Place, act: BoundedAct): Promise<FileRead> {
  act.signal?.throwIfAborted();
  try {
    const { file, path } = await opened(place);
    try {
      return await readOpen(file, { ...place, path }, act);
    } finally {
      await file.close();
    }
  } catch (error) {
    act.signal?.throwIfAborted();
    return unread(place, error);
  }
}

async function opened({ path, real }: Place): Promise<HeldFile> {
  if (real !== undefined) return await openHeld({ real });
  return { file: await open(path, constants.O_RDONLY | constants.O_NONBLOCK), path };
}

async function readOpen(file: FileHandle, place: Place, { mostBytes, signal }: BoundedAct): Promise<FileRead> {
  const stats = await file.stat();
  if (stats.isDirectory()) return await folder(place);
  if (!stats.isFile()) return { type: "refused", message: `${place.shown} is no regular file` };
  if (stats.size > mostBytes) return tooLarge(place, mostBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // One byte beyond the bound is asked for, because a file can grow, and some (under /proc) say that they have no size.
  const bounds = { start: 0, end: mostBytes, autoClose: false, highWaterMark: CHUNK };
  for await (const chunk of file.createReadStream(bounds)) {
    signal?.throwIfAborted();
    chunks.push(chunk);
    size += chunk.length;
  }
  return size > mostBytes ? tooLarge(place, mostBytes) : { type: "read", bytes: Buffer.concat(chunks, size) };
}

const CHUNK = 1024 * 1024;

function tooLarge({ shown }: Place, mostBytes: number): FileRead {
  const bound = mostBytes >= MEGABYTE ? `${Math.floor(mostBytes / MEGABYTE)} MB` : `${mostBytes} bytes`;
  return { type: "too-large", message: `${shown} has more than ${bound}; look at a part of it with the shell` };
}

const MEGABYTE = 1024 * 1024;

async function unread(place: Place, error: unknown): Promise<FileRead> {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { type: "missing", message: `${place.shown} is not there${await namesNear(place)}` };
    case "EISDIR":
      return await folder(place);
    default:
      return { type: "refused", message: refusal(error, { act: "read", shown: place.shown }) };
  }
}

async function folder(place: Place): Promise<FileRead> {
  return { type: "folder", message: `${place.shown} is a folder${await namesIn(place.path)}` };
}

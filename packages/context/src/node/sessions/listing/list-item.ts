/** One session as a list shows it, from the ends of its file. What cannot be read is shown as such, never thrown. */

import { basename } from "node:path";
import { plainText } from "../../../session/plain-text.ts";
import type { FileStat, Files, OpenFile } from "../../files/files.ts";
import { unavailable } from "../../files/unavailable.ts";
import { idInName } from "../placing/file-name.ts";
import { type FileHead, fileHead, type HeadRules } from "./file-head.ts";
import { latestName } from "./latest-name.ts";

/** Texts are cleaned for the screen; paths are as they are. */
export interface SessionItem {
  readonly path: string;
  readonly id: string;
  /** The directory it belongs to: of the folder it lies in, else what its header says. */
  readonly cwd: string;
  readonly name?: string;
  /** ISO; empty where the file does not say. */
  readonly created: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** In bytes. */
  readonly size: number;
  /** What the user said first, its beginning; empty for nothing. */
  readonly firstMessage: string;
  /** The file it was forked from. */
  readonly parentSession?: string;
  /** Why it cannot be read as a session, and what to do. */
  readonly damaged?: string;
}

/** What the file itself says; its path, size and time are told by its folder. */
export type ItemFromFile = Omit<SessionItem, "path" | "modified" | "size">;

export interface ReadItem {
  readonly item: ItemFromFile;
  /** Whether it will be the same as long as the file is; not so where the disk refused. */
  readonly lasting: boolean;
}

export function listItem(path: string, { kind }: FileStat, parts: HeadRules & { readonly files: Files }): ReadItem {
  const name = basename(path);
  if (kind !== "file")
    return { item: damagedItem(name, "this is no plain file; name the file that it stands for"), lasting: false };
  try {
    const file = parts.files.open(path, "read");
    try {
      return { item: itemOf(path, file, parts), lasting: true };
    } finally {
      file.close();
    }
  } catch (error) {
    return { item: damagedItem(name, unavailable("it cannot be read", error).why), lasting: false };
  }
}

function itemOf(
  path: string,
  file: OpenFile,
  { files, ...rules }: HeadRules & { readonly files: Files },
): ItemFromFile {
  const { size } = file.stat();
  const { bytes, head } = beginning(file, size, rules);
  const { header, ours, start } = head;
  if (!header) return damagedItem(basename(path), size === 0 ? EMPTY : NO_HEADER);
  const name = latestName({ path, file, files, rules: { ...rules, ours }, start, head: bytes, size });
  const { id, cwd, timestamp, parentSession } = header;
  return {
    id: plainText(id),
    cwd: typeof cwd === "string" ? cwd : "",
    ...(name && { name: plainText(name) }),
    created: typeof timestamp === "string" ? plainText(timestamp) : "",
    firstMessage: plainText(head.firstMessage ?? ""),
    ...(typeof parentSession === "string" && { parentSession }),
  };
}

// A system prompt with its tools may come before the first word of the user.
function beginning(
  file: OpenFile,
  size: number,
  rules: HeadRules,
): { readonly bytes: Buffer; readonly head: FileHead } {
  const short = size <= WHOLE;
  const bytes = firstBytes(file, short ? size : HEAD);
  const head = fileHead(bytes, rules);
  if (short || (head.header && head.firstMessage !== undefined)) return { bytes, head };
  const more = firstBytes(file, WHOLE);
  return { bytes: more, head: fileHead(more, rules) };
}

function firstBytes(file: OpenFile, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, file.read(bytes, 0));
}

function damagedItem(name: string, damaged: string): ItemFromFile {
  return { id: plainText(idInName(name) ?? ""), cwd: "", created: "", firstMessage: "", damaged };
}

const HEAD = 64 * 1024;
const WHOLE = 256 * 1024;
const EMPTY = "the file is empty; put it into the trash";
const NO_HEADER = "this is no session, or its header is lost; open it to see what can be saved";

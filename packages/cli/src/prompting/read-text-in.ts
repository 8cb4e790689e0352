/** The first of some files that a folder has, as harmless text. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "@pith/agent";
import { plain } from "../printing/plain.ts";
import { MOST_EACH } from "./bounded-texts.ts";
import { isInside } from "./is-inside.ts";

export type FoundText =
  | { readonly type: "text"; readonly path: string; readonly text: string; readonly isWhole: boolean }
  | { readonly type: "none" }
  | { readonly type: "unread"; readonly note: string };

export interface TextWish {
  /** The first that is there counts. */
  readonly names: readonly string[];
  /** A link may lead anywhere in this folder, and not out of it; absent: anywhere. */
  readonly inside?: string;
  /** Asked of where a path leads; absent: all of it. */
  readonly mayRead?: (path: string) => Promise<boolean>;
}

export async function readTextIn(folder: string, { names, inside, mayRead }: TextWish): Promise<FoundText> {
  for (const name of names) {
    const path = join(folder, name);
    try {
      const real = await realpath(path);
      if (inside !== undefined && !isInside(await realpath(inside), real))
        return unread(`${path} leads out of the project, so it was not read`);
      if (mayRead && !(await mayRead(real))) return unread(`${path} may not be read without a question, so it was not`);
      // Whoever exchanges it for a link or a pipe in between is not followed, and not waited for.
      const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      return await readOpen(file, path).finally(() => file.close());
    } catch (error) {
      const { code = "for an unknown reason" } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") return unread(`${path} cannot be read: ${code}`);
    }
  }
  return { type: "none" };
}

async function readOpen(file: FileHandle, path: string): Promise<FoundText> {
  const stats = await file.stat();
  if (!stats.isFile()) return unread(`${path} is no regular file, so it was not read`);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_EACH + 1), position: 0 });
  const text = textOf(buffer.subarray(0, bytesRead));
  if (text === null) return unread(`${path} is no text, so it was not read`);
  if (text.trim() === "") return { type: "none" };
  return { type: "text", path, text: plain(text), isWhole: bytesRead <= MOST_EACH };
}

function unread(note: string): FoundText {
  return { type: "unread", note };
}

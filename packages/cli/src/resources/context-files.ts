/** Finds and reads AGENTS.md, else CLAUDE.md, within limits. Nothing in them runs, and no file they name is opened. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { decodeText, type ProjectText } from "@pith/agent";
import { plain } from "../text/safe-text.ts";
import { isInside, projectFolders } from "../trust/project-folders.ts";

/** Bytes. */
export const MOST_EACH: number = 32 * 1024;

export const MOST_IN_ALL: number = 64 * 1024;

export interface ProjectTexts {
  /** The user's own first, the nearest last. */
  readonly texts: readonly ProjectText[];
  /** For people: what was not read, or not whole. */
  readonly notes: readonly string[];
}

export interface LongText extends ProjectText {
  /** False where it was read only as far as it could be told. */
  readonly isWhole: boolean;
}

/** Where it is too much in all, the nearest are told: they are the most particular, and stand last. */
export function boundedTexts(found: readonly LongText[]): ProjectTexts {
  const texts: ProjectText[] = [];
  const notes: string[] = [];
  let room = MOST_IN_ALL;
  for (const { path, text, isWhole } of found.toReversed()) {
    const told = headOf(text, Math.min(room, MOST_EACH));
    const isCut = told.length < text.length || !isWhole;
    texts.unshift({ path, text: isCut ? `${told}\n[cut here; the rest stands in ${path}]` : told });
    if (isCut)
      notes.unshift(`${path} is long: only its first ${Math.ceil(Buffer.byteLength(told) / 1024)} KB are told`);
    room -= Buffer.byteLength(told);
  }
  return { texts, notes };
}

/** Whole lines, where it has any. */
function headOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  // The last character may be cut in two.
  const head = encoded
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
  const end = head.lastIndexOf("\n");
  return end < 0 ? head : head.slice(0, end + 1);
}

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
  const text = decodeText(buffer.subarray(0, bytesRead));
  if (text === null) return unread(`${path} is no text, so it was not read`);
  if (text.trim() === "") return { type: "none" };
  return { type: "text", path, text: plain(text), isWhole: bytesRead <= MOST_EACH };
}

function unread(note: string): FoundText {
  return { type: "unread", note };
}

export interface TextPlaces {
  readonly cwd: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** Pith's home. */
  readonly home: string;
  /** Whether a tool could read what lies there, without a question to anybody. */
  readonly mayRead: (path: string) => Promise<boolean>;
}

/** The user's own, then those of the repository from its root down to where one works. */
export async function projectTexts({ cwd, userHome, home, mayRead }: TextPlaces): Promise<ProjectTexts> {
  const folders = await projectFolders(cwd, userHome);
  const [inside = cwd] = folders;
  const found = await Promise.all([
    readTextIn(home, { names: ["AGENTS.md"] }),
    ...folders
      .filter((folder) => folder !== home)
      .map((folder) => readTextIn(folder, { names: ["AGENTS.md", "CLAUDE.md"], inside, mayRead })),
  ]);
  const { texts, notes } = boundedTexts(found.filter((each) => each.type === "text"));
  const unread = found.flatMap((each) => (each.type === "unread" ? [each.note] : []));
  return { texts, notes: [...unread, ...notes] };
}

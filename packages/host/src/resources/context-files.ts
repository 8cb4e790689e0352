/** Finds and reads the context files (AGENTS.md, else CLAUDE.md) within size limits. It never runs them or opens files that they name. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { decodeText, type ProjectText } from "@pith/agent";
import type { HostContext } from "../host-context.ts";
import { escapeControls } from "../text/safe-text.ts";
import { findProjectFolders, isInside, OUTSIDE_PROJECT } from "../trust/project-files.ts";

export const MAX_FILE_BYTES: number = 32 * 1024;

export const MAX_TOTAL_BYTES: number = 64 * 1024;

export interface ContextFiles {
  /** The user's file first, then the project's files from the root down. */
  readonly texts: readonly ProjectText[];
  /** Which files were not read, or only in part, shown to the user. */
  readonly notes: readonly string[];
}

export interface ContextFileText extends ProjectText {
  /** False if only the beginning of the file was read. */
  readonly isWhole: boolean;
}

/** Shortens the texts to the limits. Files near the working directory have priority, because they are the most specific. */
function limitTexts(files: readonly ContextFileText[]): ContextFiles {
  const texts: ProjectText[] = [];
  const notes: string[] = [];
  let remainingBytes = MAX_TOTAL_BYTES;
  for (const { path, text, isWhole } of files.toReversed()) {
    const excerpt = takeHead(text, Math.min(remainingBytes, MAX_FILE_BYTES));
    const isCut = excerpt.length < text.length || !isWhole;
    texts.unshift({ path, text: isCut ? `${excerpt}\n[truncated; the rest is in ${path}]` : excerpt });
    if (isCut)
      notes.unshift(`${path} is too long: only its first ${Math.ceil(Buffer.byteLength(excerpt) / 1024)} KB are sent`);
    remainingBytes -= Buffer.byteLength(excerpt);
  }
  return { texts, notes };
}

/** Cuts after a complete line if possible. */
function takeHead(text: string, maxBytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= maxBytes) return text;
  // Removes a character whose bytes were cut.
  const head = encoded
    .subarray(0, maxBytes)
    .toString()
    .replace(/\ufffd+$/, "");
  const end = head.lastIndexOf("\n");
  return end < 0 ? head : head.slice(0, end + 1);
}

export type ReadTextResult =
  | { readonly type: "text"; readonly path: string; readonly text: string; readonly isWhole: boolean }
  | { readonly type: "none" }
  | { readonly type: "unread"; readonly note: string };

export interface ReadTextOptions {
  /** The first name that exists is used. */
  readonly names: readonly string[];
  /** A link must not lead out of this folder. Default: links may lead anywhere. */
  readonly rootFolder?: string;
  /** Called with the real path. Default: every file may be read. */
  readonly mayRead?: (path: string) => Promise<boolean>;
}

async function readFirstText(folder: string, { names, rootFolder, mayRead }: ReadTextOptions): Promise<ReadTextResult> {
  for (const name of names) {
    const path = join(folder, name);
    try {
      const realPath = await realpath(path);
      if (rootFolder !== undefined && !isInside(await realpath(rootFolder), realPath))
        return createUnreadResult(`${path} ${OUTSIDE_PROJECT}, so it was not read`);
      if (mayRead && !(await mayRead(realPath)))
        return createUnreadResult(`${path} was not read, because reading it requires permission`);
      // If the file was replaced in the meantime, a link is not followed and a pipe does not block.
      const file = await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      return await readOpenFile(file, path).finally(() => file.close());
    } catch (error) {
      const { code = "unknown error" } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") return createUnreadResult(`${path} cannot be read: ${code}`);
    }
  }
  return { type: "none" };
}

async function readOpenFile(file: FileHandle, path: string): Promise<ReadTextResult> {
  const stats = await file.stat();
  if (!stats.isFile()) return createUnreadResult(`${path} is not a regular file, so it was not read`);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_FILE_BYTES + 1), position: 0 });
  const text = decodeText(buffer.subarray(0, bytesRead));
  if (text === null) return createUnreadResult(`${path} is not a text file, so it was not read`);
  if (text.trim() === "") return { type: "none" };
  return { type: "text", path, text: escapeControls(text), isWhole: bytesRead <= MAX_FILE_BYTES };
}

function createUnreadResult(note: string): ReadTextResult {
  return { type: "unread", note };
}

export interface ContextFileSources extends Pick<HostContext, "cwd" | "home" | "userHome"> {
  /** Whether a tool may read the path without asking the user. */
  readonly mayRead: (path: string) => Promise<boolean>;
}

/** Reads the user's file, then those of the repository from its root down to the working directory. */
export async function readContextFiles({ cwd, userHome, home, mayRead }: ContextFileSources): Promise<ContextFiles> {
  const folders = await findProjectFolders(cwd, userHome);
  const [rootFolder = cwd] = folders;
  const results = await Promise.all([
    readFirstText(home, { names: ["AGENTS.md"] }),
    ...folders
      .filter((folder) => folder !== home)
      .map((folder) => readFirstText(folder, { names: ["AGENTS.md", "CLAUDE.md"], rootFolder, mayRead })),
  ]);
  const { texts, notes } = limitTexts(results.filter((result) => result.type === "text"));
  const unreadNotes = results.flatMap((result) => (result.type === "unread" ? [result.note] : []));
  return { texts, notes: [...unreadNotes, ...notes] };
}

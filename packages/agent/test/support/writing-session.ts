/** Creates a session that writes files: the files and their originals are in memory, and each write returns its entry. */

import type { Entry } from "@pith/context";
import type { FileOriginals, FileWriteResult, WorkspaceFiles } from "../../src/ports.ts";
import type { CheckRestorePermission, FileChange } from "../../src/rewind-files.ts";
import { hashBytes } from "../../src/text.ts";
import type { ToolOutput } from "../../src/tool.ts";
import { ReadTracker, replaceFile } from "../../src/tools/file-access.ts";

export interface WritingSession {
  readonly files: MemoryFiles;
  readonly originals: MemoryOriginals;
  /** Permits everything. */
  readonly checkPermission: CheckRestorePermission;
  /** Writes a file and gives the entry that says so. */
  write(path: string, text: string): Promise<Entry>;
}

export function writingSession(): WritingSession {
  const files = memoryFiles();
  const originals = memoryOriginals();
  const reads = new ReadTracker();
  return {
    files,
    originals,
    checkPermission: async (path) => ({ type: "permitted", realPath: path }),
    write: async (path, text) => {
      const found = await files.read(path);
      const before = found.type === "read" ? found.bytes : null;
      const after = new TextEncoder().encode(text);
      const done = await replaceFile({ path, before, after }, { files, originals, readTracker: reads });
      if (done.type === "refused") throw new Error(done.message);
      return resultEntry("write", { details: { pith: done.change } });
    },
  };
}

export function changeEntry(change: FileChange): Entry {
  return resultEntry("edit", { details: { diff: "", pith: change } });
}

export interface MemoryFiles extends WorkspaceFiles {
  /** What every file has now, as text. */
  texts(): Readonly<Record<string, string>>;
  put(path: string, text: string | null): void;
  /** Refuses to change this one from now on. */
  refuse(path: string): void;
}

function memoryFiles(): MemoryFiles {
  const there = new Map<string, Uint8Array>();
  const refused = new Set<string>();
  const change = (path: string, bytes: Uint8Array | null): FileWriteResult => {
    if (refused.has(path)) return { type: "refused", message: `${path} cannot be written` };
    if (bytes) there.set(path, bytes.slice());
    else there.delete(path);
    return { type: "written" };
  };
  return {
    resolve: (path) => path,
    read: async (path) => {
      const bytes = there.get(path);
      if (path.endsWith("/")) return { type: "folder", message: `${path} is a folder` };
      return bytes ? { type: "read", bytes } : { type: "missing", message: `${path} does not exist` };
    },
    write: async (path, bytes) => change(path, bytes),
    remove: async (path) => change(path, null),
    texts: () => Object.fromEntries([...there].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])),
    put: (path, text) => void change(path, text === null ? null : new TextEncoder().encode(text)),
    refuse: (path) => void refused.add(path),
  };
}

export interface MemoryOriginals extends FileOriginals {
  lose(hash: string): void;
}

export function memoryOriginals(): MemoryOriginals {
  const kept = new Map<string, Uint8Array>();
  return {
    keep: async (bytes) => {
      const hash = await hashBytes(bytes);
      kept.set(hash, bytes.slice());
      return hash;
    },
    read: async (hash) => kept.get(hash) ?? null,
    lose: (hash) => void kept.delete(hash),
  };
}

export function resultEntry(toolName: string, { content, isError = false, details }: Partial<ToolOutput>): Entry {
  const message = { role: "toolResult", toolCallId: "c1", toolName, content, isError, details, timestamp: 0 };
  return { type: "message", id: "e", parentId: null, timestamp: "", message } as Entry;
}

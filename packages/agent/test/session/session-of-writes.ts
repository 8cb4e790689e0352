/** A session that writes files; each write changes a file and returns its entry. */

import type { Entry } from "@pith/context";
import type { CheckRestorePermission, FileChange } from "../../src/rewind-files.ts";
import { ReadTracker, replaceFile } from "../../src/tools/file-access.ts";
import { resultEntry } from "../tools/results.ts";
import { type MemoryFiles, memoryFiles } from "./memory-files.ts";
import { type MemoryOriginals, memoryOriginals } from "./memory-originals.ts";

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

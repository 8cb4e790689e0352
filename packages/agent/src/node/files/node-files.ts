/** The files of this machine as a workspace: paths as a model writes them, reads that are bounded, writes that are whole or not at all. */

import { homedir } from "node:os";
import type { WorkspaceFiles } from "../../workspace.ts";
import { type Place, placeOf } from "./place.ts";
import { readBytes } from "./read-bytes.ts";
import { removeFile } from "./remove-file.ts";
import { writeWhole } from "./write-whole.ts";

export interface NodeFilesParts {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's own folder unless said. */
  readonly home?: string;
  /** The most bytes that are read of a file; 64 MB unless said. */
  readonly mostBytes?: number;
}

/** The files under and around a folder of this machine. */
export function nodeFiles({ root, home = homedir(), mostBytes = MOST_BYTES }: NodeFilesParts): WorkspaceFiles {
  const placed = (path: string): Place => placeOf(path, { root, home });
  return {
    resolve: (path) => placed(path).path,
    read: (path, { real, mostBytes: wanted = mostBytes, ...act } = {}) =>
      readBytes({ ...placed(path), real }, { ...act, mostBytes: Math.min(mostBytes, wanted) }),
    write: (path, bytes, { real } = {}) => writeWhole({ ...placed(path), real }, bytes),
    remove: (path) => removeFile(placed(path)),
  };
}

const MOST_BYTES = 64 * 1024 * 1024;

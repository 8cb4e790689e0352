/** What the page of changes knows: the files, which of them is chosen, and how far its changes are scrolled. */

import type { ChangedFile } from "../../../commands/looking/changed-file.ts";
import type { Walk } from "../../widgets/list.ts";

export interface DiffState {
  readonly files: readonly ChangedFile[];
  readonly walk: Walk;
  /** The first line of its changes that is seen. */
  readonly from: number;
}

/** Files that are seen at once. */
export const LIST_ROWS = 6;

/** All lines of a file's changes, notes first. */
export function patchRows(file: ChangedFile | undefined): readonly string[] {
  if (!file) return [];
  return [...file.notes.map((note) => `# ${note}`), ...(file.patch === "" ? [] : file.patch.split("\n"))];
}

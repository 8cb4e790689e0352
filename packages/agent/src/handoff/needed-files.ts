/** The files that handed-over work needs: those it names, and those that were changed, as far as they are still there. */

import { type Entry, type ToolRoles, touchedFiles } from "@pith/context";

/** Whether a file is there. */
export type IsThere = (path: string) => Promise<boolean>;

export interface NeededFiles {
  /** The branch; a compaction on it knows of those before it. */
  readonly entries: readonly Entry[];
  readonly tools: ToolRoles | undefined;
  /** What the work was told to be. */
  readonly story: string;
  readonly isThere: IsThere;
}

/** Named ones first, then what was changed; no more than a new session can look at. */
export async function neededFiles({ entries, tools, story, isThere }: NeededFiles): Promise<readonly string[]> {
  const { read, modified } = touchedFiles(entries, tools);
  const named = [...modified, ...read].filter((path) => isNamed(path, story));
  const wanted = [...new Set([...named, ...modified])].slice(0, MOST_TRIED);
  const found: string[] = [];
  for (const path of wanted) {
    if (found.length === MOST) break;
    if (await isThere(path)) found.push(path);
  }
  return found;
}

/** As a whole, not as the end of another name. */
function isNamed(path: string, story: string): boolean {
  for (let at = story.indexOf(path); at >= 0; at = story.indexOf(path, at + 1)) {
    const [before, after] = [story[at - 1] ?? " ", story[at + path.length] ?? " "];
    if (!/[\p{L}\p{N}_./-]/u.test(before) && !/[\p{L}\p{N}_/-]/u.test(after)) return true;
  }
  return false;
}

const MOST = 20;
/** Of a long session's files most may be gone. */
const MOST_TRIED = 200;

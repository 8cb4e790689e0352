/** What belongs to a session and is not its log: lease, index, blobs. It lies in a folder of its own, out of the way of others. */

import { basename, dirname, join } from "node:path";

/** `…/.pith/<name of the session's file>` beside the file. */
export function sideFolder(path: string): string {
  return join(dirname(path), ".pith", basename(path));
}

export const leasePath = (path: string): string => join(sideFolder(path), "writer");
export const indexPath = (path: string): string => join(sideFolder(path), "index");
export const blobFolder = (path: string): string => join(sideFolder(path), "blobs");

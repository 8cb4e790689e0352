/** What stands for an image that is not shown: `[image entry:4f2a, 800x600, shot.png, "the login page"]`. */

import { LETTERS, type LedgerImage } from "../ledger.ts";
import { quoted, quotedPath } from "./quoted.ts";

export function imageMark({ handle, size, path, caption }: LedgerImage): string {
  const parts = [
    `image ${quoted(handle, LETTERS.reference)}`,
    quoted(size ?? "", LETTERS.caption),
    quotedPath(path ?? ""),
    caption === null ? "" : `"${quoted(caption, LETTERS.caption)}"`,
  ];
  return `[${parts.filter((part) => part !== "").join(", ")}]`;
}

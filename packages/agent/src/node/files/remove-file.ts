/** A file taken away by its name alone: what a link leads to stays, and a folder is never emptied. */

import { lstat, unlink } from "node:fs/promises";
import type { FileWritten } from "../../workspace.ts";
import { refusal } from "../disk/disk-refusal.ts";
import { codeOf } from "../disk/error-code.ts";
import type { Place } from "./place.ts";

export async function removeFile({ path, shown }: Place): Promise<FileWritten> {
  try {
    const there = await lstat(path);
    if (!there.isFile()) {
      const what = there.isDirectory() ? "a folder" : there.isSymbolicLink() ? "a link" : "no regular file";
      return { type: "refused", message: `${shown} cannot be removed: it is ${what}` };
    }
    await unlink(path);
    return { type: "written" };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { type: "written" };
    return { type: "refused", message: refusal(error, { act: "removed", shown }) };
  }
}

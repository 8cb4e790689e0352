/** A picture comes into the words: from the clipboard, or from a file whose path was pasted or dropped. */

import { LARGEST_PICTURE } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import { clippedPicture } from "../../typing/pictures/clipboard.ts";
import type { Talking } from "../talking.ts";

export async function pastePicture({ ready, screen }: Talking): Promise<void> {
  const clipped = await clippedPicture(ready.place.environment);
  if (clipped.type === "none") return screen.tell(clipped.why, "warning");
  const taken = screen.editor?.pictures.take(clipped.bytes);
  if (taken?.type === "refused") return screen.tell(taken.why, "warning");
  if (taken) screen.words.insert(`${taken.marker} `);
}

/** False where there is no picture, so that the path is words. */
export async function pictureAt(path: string, { ready, screen }: Talking): Promise<boolean> {
  const files = nodeFiles({ root: ready.place.cwd, mostBytes: LARGEST_PICTURE });
  const read = await files.read(path);
  if (read.type === "too-large") screen.tell(`${path}: ${read.message}; up to 3.75 MB can be said`, "warning");
  const taken = read.type === "read" ? screen.editor?.pictures.take(read.bytes) : undefined;
  if (taken?.type !== "taken") return false;
  screen.words.insert(`${taken.marker} `);
  return true;
}

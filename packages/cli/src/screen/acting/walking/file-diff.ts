/** What putting a file back would change in it, read from the disk and from what was kept. */

import { type PlannedFile, type RewindParts, unifiedDiff } from "@pith/agent";
import { pathShown } from "../../panels/walking/questions/file-row.ts";

export async function fileDiff(file: PlannedFile, { files, originals }: RewindParts, folder: string): Promise<string> {
  const { path, target, type } = file;
  if (type === "lost") return "What it was before is not kept any more.";
  const found = await files.read(path);
  if (found.type !== "read" && found.type !== "missing") return "It cannot be read.";
  const now = found.type === "read" ? textOf(found.bytes) : "";
  const kept = target === null ? null : await originals.read(target);
  const then = kept ? textOf(kept) : "";
  if (now === null || then === null) return "It is no text.";
  const splices = [{ start: 0, end: now.length, text: then }];
  const whole = unifiedDiff({ path: pathShown(path, folder), text: now, splices });
  // What it is called stands above it.
  const diff = whole.replace(/^--- .*\n\+\+\+ .*\n/, "");
  if (type !== "conflict") return diff;
  return `It is not as this session left it, so nobody writes over it. What differs from how it was there:\n${diff}`;
}

/** Null for what is no text. */
function textOf(bytes: Uint8Array): string | null {
  return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
}

/** Files beside a session that tell its secrets: what it was before a migration, what was torn off its end, a blob that a crash or a bad disk has left. They are no part of it, so they are not mended. */

import { basename, dirname, join } from "node:path";
import { blobContent } from "../../blobs/blob-folder.ts";
import type { Files } from "../../files/files.ts";
import { blobFolder } from "../../jsonl/side-folder.ts";
import type { Looking } from "./changed-blobs.ts";

/** Their paths. */
export function tellingFiles(sessionPath: string, { files, redaction }: Looking): readonly string[] {
  return filesBeside(sessionPath, files).filter((path) => {
    const text = textOf(path, files);
    return text !== null && redaction.redacted(text) !== text;
  });
}

function filesBeside(sessionPath: string, files: Files): readonly string[] {
  const [folder, blobs] = [dirname(sessionPath), blobFolder(sessionPath)];
  const others = files.list(folder).filter((name) => name.startsWith(`${basename(sessionPath)}.`));
  const strays = files.list(blobs).filter((name) => blobContent(sessionPath, name, { files }).type !== "read");
  return [...others.map((name) => join(folder, name)), ...strays.map((name) => join(blobs, name))];
}

function textOf(path: string, files: Files): string | null {
  if (files.stat(path)?.kind !== "file") return null;
  const file = files.open(path, "read");
  try {
    const bytes = new Uint8Array(file.stat().size);
    file.read(bytes, 0);
    return Buffer.from(bytes).toString("utf8");
  } finally {
    file.close();
  }
}

/** Takes secrets out of a session's history: the one act that writes old lines anew. What it leaves is a whole session, in which placeholders stand for what is gone. */

import { basename, dirname, join } from "node:path";
import type { Redaction } from "../../../session/redaction.ts";
import { blobPath, syncBlobFolders } from "../../blobs/blob-folder.ts";
import { orNull, orUnavailable, type Unavailable } from "../../files/unavailable.ts";
import { indexPath, leasePath, sideFolder } from "../../jsonl/side-folder.ts";
import { createWhole } from "../../jsonl/writing/rewrite.ts";
import { takeLease } from "../../lease/lease.ts";
import { copiedLines } from "../copying/copied-lines.ts";
import { redactedText } from "../copying/redacted-text.ts";
import { type Source, sourceLines } from "../copying/source-lines.ts";
import { writeCopy } from "../copying/write-copy.ts";
import { type HomeParts, settled } from "../home.ts";
import type { Held } from "../trash-session.ts";
import { changedBlobs, renamed } from "./changed-blobs.ts";
import { strayLines } from "./stray-lines.ts";
import { tellingFiles } from "./telling-files.ts";

export interface PurgePlan extends HomeParts {
  /** What it changes is what is taken out. */
  readonly redaction: Redaction;
  /** Only look: nothing is written. */
  readonly isDry?: boolean;
}

export type Purging =
  | {
      readonly type: "purged";
      /** Lines that held something. */
      readonly lines: number;
      readonly blobs: number;
      /** Files beside it that held something and were removed: `.bak`, `.damaged` and their like. */
      readonly removed: readonly string[];
    }
  | Held
  | Unavailable;

/** Nobody may be writing it. */
export async function purgeSession(path: string, { redaction, isDry = false, ...parts }: PurgePlan): Promise<Purging> {
  const all = settled(parts);
  const { files, ports, processes } = all;
  return orUnavailable<Purging>(`${path} cannot be purged`, async () => {
    if (isDry) return await purged(path, { ...all, redaction, isDry });
    files.makeFolder(sideFolder(path));
    const leasing = takeLease(leasePath(path), { files, processes, now: ports.now, nonce: ports.nonce });
    if (leasing.type === "held") return leasing;
    try {
      return await purged(path, { ...all, redaction, isDry });
    } finally {
      // What is done is done: a lease that cannot be given up ends with this process.
      orNull(() => leasing.lease.release());
    }
  });
}

type PurgeParts = Required<HomeParts> & Required<Pick<PurgePlan, "redaction" | "isDry">>;

async function purged(path: string, parts: PurgeParts): Promise<Purging> {
  const { files, redaction, isDry } = parts;
  const blobs = changedBlobs(path, parts);
  const change = (text: string): string => renamed(redactedText(text, redaction), blobs);
  const file = files.open(path, "read");
  try {
    const source = await sourceLines(file, parts);
    const lines = Math.max(countOf(source, change), source.isWhole ? 0 : strayLines(file, parts));
    const removed = tellingFiles(path, parts);
    if (!isDry) {
      for (const { bytes, to } of blobs)
        if (!files.stat(blobPath(path, to))) createWhole(blobPath(path, to), bytes, files);
      if (blobs.length > 0) syncBlobFolders(path, files);
      if (lines > 0) await rewritten(path, source, { ...parts, change });
      for (const { from } of blobs) files.remove(blobPath(path, from));
      for (const each of removed) files.remove(each);
    }
    return { type: "purged", lines, blobs: blobs.length, removed: removed.map((each) => basename(each)) };
  } finally {
    file.close();
  }
}

function countOf({ lines }: Source, change: (text: string) => string): number {
  let count = 0;
  for (const line of lines()) {
    const text = line.text();
    if (change(text) !== text) count += 1;
  }
  return count;
}

/** The old file has no copy left: that would keep what is to be gone. */
async function rewritten(
  path: string,
  { header, headerText, lines }: Source,
  { files, ports, change }: PurgeParts & { readonly change: (text: string) => string },
): Promise<void> {
  const fresh = `${path}.purged`;
  if (files.stat(fresh)) files.remove(fresh);
  const all = header.pith
    ? copiedLines({ header: headerText, lines: lines(), checksum: ports.checksum, change })
    : plainLines(headerText, lines(), change);
  await writeCopy(fresh, all, files);
  // One says where lines begin, the other quotes them: both are made again. Before, so that a crash leaves nothing to find here.
  for (const stale of [indexPath(path), join(dirname(path), ".pith", "list.json")])
    if (files.stat(stale)) files.remove(stale);
  files.rename(fresh, path);
  files.syncFolder(dirname(path));
}

function* plainLines(
  header: string,
  lines: ReturnType<Source["lines"]>,
  change: (text: string) => string,
): Generator<Uint8Array> {
  yield Buffer.from(`${header}\n`);
  for (const { text } of lines) yield Buffer.from(`${change(text())}\n`);
}

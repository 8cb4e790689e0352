/** What the first append puts right: opening only found it, and until then the file is as it was. */

import type { Checksum } from "../../../ports.ts";
import { migrated, type SessionFile } from "../../../session/codec/session-file.ts";
import type { Files } from "../../files/files.ts";
import type { Found } from "../found.ts";
import { LogFile } from "./log-file.ts";
import { replaceWhole, setAside } from "./rewrite.ts";

export interface Appendable {
  readonly log: LogFile;
  readonly found: Found;
}

// LOG5, LOG14
/** Null if another hand added to the file meanwhile: nothing of theirs is cut off. */
export function madeAppendable({ log, found }: Appendable, files: Files, checksum: Checksum): Appendable | null {
  const { unready } = found;
  if (!unready) return { log, found };
  if (unready.type === "whole" && unready.file.outdated)
    return migratedFile({ log, found }, unready.file, { files, checksum });
  const end = unready.type === "torn" ? unready.end : pastLineEnd(log, unready.file.end);
  return isCut(log, end, files) ? { log, found: { ...found, unready: null } } : null;
}

function migratedFile(
  { log, found }: Appendable,
  file: SessionFile,
  { files, checksum }: { readonly files: Files; readonly checksum: Checksum },
): Appendable {
  const { header, bytes } = migrated(file, found.header, checksum);
  replaceWhole(log.path, bytes, files);
  const fresh = new LogFile(log.path, files.open(log.path, "append"), files);
  log.close();
  return { log: fresh, found: { ...found, header, ours: true, unready: null } };
}

function isCut(log: LogFile, end: number, files: Files): boolean {
  if (end >= log.size) return true;
  setAside(`${log.path}.damaged`, bytesFrom(log, end), files);
  if (log.file.stat().size !== log.size) return false;
  log.shorten(end);
  return true;
}

function pastLineEnd(log: LogFile, end: number): number {
  return log.endsInLineEnd(end + 1) ? end + 1 : end;
}

function* bytesFrom(log: LogFile, from: number): Generator<Uint8Array> {
  for (let at = from; at < log.size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(STEP, log.size - at));
    const count = log.file.read(chunk, at);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    at += count;
  }
}

const STEP = 1024 * 1024;

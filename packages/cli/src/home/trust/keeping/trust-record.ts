/** What somebody trusted of a project: every file by its hash, and short texts without a secret whole, so that a change can be shown. */

import { textOf } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { Holdings } from "../holding/held-file.ts";
import { nameIn } from "../holding/name-in.ts";
import { whatCanRun } from "../holding/what-can-run.ts";

export interface TrustRecord {
  /** When. */
  readonly trusted: string;
  /** By their names in the project. */
  readonly files: Readonly<Record<string, TrustedFile>>;
}

export interface TrustedFile {
  readonly hash: string;
  readonly size: number;
  readonly text?: string;
}

export interface Recorded {
  /** When. */
  readonly trusted: string;
  readonly before: TrustRecord | undefined;
  readonly redaction: Redaction;
}

/** What was trusted from another folder of the same project stays trusted. */
export function trustRecord(holds: Holdings, { trusted, before, redaction }: Recorded): TrustRecord {
  const elsewhere = Object.entries(before?.files ?? {}).filter(([name]) => !isInView(name, holds));
  let room = MOST_TEXT_IN_ALL;
  const here = holds.files.map(({ name, hash, bytes }): [string, TrustedFile] => {
    const text = bytes.length <= Math.min(room, MOST_TEXT) ? textOf(bytes) : null;
    const isKept = text !== null && redaction.redacted(text) === text;
    if (isKept) room -= bytes.length;
    return [name, { hash, size: bytes.length, ...(isKept && { text }) }];
  });
  return { trusted, files: Object.fromEntries([...elsewhere, ...here]) };
}

/** Whether it would be read from where one works. */
export function isInView(name: string, { root, folders }: Holdings): boolean {
  return folders.some((folder) => {
    const above = nameIn(root, folder);
    const inside = above === "" ? name : name.startsWith(`${above}/`) ? name.slice(above.length + 1) : null;
    return inside !== null && whatCanRun.some(({ path }) => inside === path || inside.startsWith(`${path}/`));
  });
}

const MOST_TEXT = 16 * 1024;
const MOST_TEXT_IN_ALL = 64 * 1024;

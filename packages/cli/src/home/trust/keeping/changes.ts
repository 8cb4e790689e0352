/** What is no longer as it was when somebody trusted it. */

import { textOf, unifiedDiff } from "@pith/agent";
import type { HeldFile, Holdings } from "../holding/held-file.ts";
import { isInView, type TrustedFile, type TrustRecord } from "./trust-record.ts";

export type Change =
  | { readonly type: "added" | "removed"; readonly name: string }
  /** Without a diff where the old text was too long to be kept, or one of the two is no text. */
  | { readonly type: "changed"; readonly name: string; readonly diff?: string };

/** Those in folders that are not looked at from here are not among them. */
export function changesSince(record: TrustRecord, holds: Holdings): readonly Change[] {
  const now = holds.files.flatMap((file) => changeOf(file, record) ?? []);
  const names = new Set(holds.files.map(({ name }) => name));
  const gone = Object.keys(record.files).filter((name) => !names.has(name) && isInView(name, holds));
  return [...now, ...gone.map((name) => ({ type: "removed", name }) as const)];
}

function changeOf(file: HeldFile, { files }: TrustRecord): Change | null {
  const { name, hash } = file;
  const known = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!known) return { type: "added", name };
  return known.hash === hash ? null : { type: "changed", name, ...diffOf(known, file) };
}

function diffOf({ text: old }: TrustedFile, { name, bytes }: HeldFile): { readonly diff?: string } {
  const fresh = textOf(bytes);
  // Of bytes that are no letters a diff would say nothing.
  if (old === undefined || fresh === null || old === fresh) return {};
  return { diff: unifiedDiff({ path: name, text: old, splices: [{ start: 0, end: old.length, text: fresh }] }) };
}

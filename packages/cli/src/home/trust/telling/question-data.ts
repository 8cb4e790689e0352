/** What a folder holds, as data for programs: everything but the bytes. */

import type { TrustQuestion } from "../trust-question.ts";

export function questionData({ root, why, kinds, changes, unread, contextFiles }: TrustQuestion): object {
  return {
    root,
    isTrusted: why === "trusted",
    ...(why === "changed" && { isChanged: true }),
    files: kinds.flatMap(({ kind, files }) => files.map(({ name, size, hash }) => ({ kind, name, size, hash }))),
    changes,
    unread,
    contextFiles,
  };
}

/** The one line that says what of a folder is not used, and how to use it. */

import { oneLine } from "../../printing/one-line.ts";
import type { Holdings } from "./holding/held-file.ts";
import { kindsIn } from "./holding/kinds-in.ts";
import type { TrustedFolder } from "./trusted-folder.ts";

/** Null where there is nothing to say: all that it holds is used. */
export function untrustedNote(folder: TrustedFolder): string | null {
  if (folder.type === "trusted" || folder.holds.files.length === 0) return unreadNote(folder.holds);
  const { holds, why, changes } = folder;
  const unused = `so its ${listed(kindsIn(holds.files))} are not used; look with: pith trust --show, then: pith trust`;
  if (why === "never") return `this folder is not trusted, ${unused}`;
  const changed = changes.length === 1 ? `${oneLine(changes[0]?.name ?? "")} has` : `${changes.length} files have`;
  return `${changed} changed since this folder was trusted, ${unused}`;
}

/** What trust does not help with. */
function unreadNote({ unread: [first, ...others] }: Holdings): string | null {
  if (!first) return null;
  const more = others.length === 0 ? "" : `, nor ${others.length} more, which pith trust --show names`;
  return `${oneLine(first.name)} ${first.why}, so it is not used${more}`;
}

function listed(kinds: readonly string[]): string {
  const last = kinds.at(-1) ?? "";
  return kinds.length < 2 ? last : `${kinds.slice(0, -1).join(", ")} and ${last}`;
}

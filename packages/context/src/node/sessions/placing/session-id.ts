/** Ids that a user may give to a session: safe as a part of a file name on every system, and never taken for a flag. */

import { createHash } from "node:crypto";

/** What is wrong with it, as a sentence that says what to do; null for an id that is good. */
export function wrongId(id: string): string | null {
  if (id === "") return "a session id needs at least one letter; leave it out to have one made";
  if (id.length > LONGEST) return `a session id has at most ${LONGEST} letters; this one has ${id.length}`;
  if (!/^[A-Za-z0-9._-]+$/.test(id))
    return "a session id holds only letters A-Z and a-z, digits, dot, dash and underscore";
  if (!/^[A-Za-z0-9]/.test(id)) return "a session id begins with a letter or a digit";
  if (id.includes("..")) return "a session id holds no two dots in a row";
  if (id.endsWith(".")) return "a session id does not end in a dot";
  if (DEVICE.test(id)) return `"${id}" is the name of a device on Windows; choose another id`;
  return null;
}

/** The id as a part of a path. The header of a file that came from elsewhere may hold anything: what is no good id is named by its hash. */
export function idAsName(id: string): string {
  return wrongId(id) === null ? id : `id-${createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32)}`;
}

const LONGEST = 64;
/** Windows takes them for devices whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** What to type to mean a session. It is copied into a shell, so nothing that a stranger wrote may be more than a word there. */

import { sep } from "node:path";
import { idAsName, sessionsFolder } from "@pith/context/node";

/** The beginning of its id; its path, where no id leads to it or the id is not one of ours. */
export function wordFor({ id, path }: { readonly id: string; readonly path: string }, home: string): string {
  const isKept = path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`);
  return isKept && isPlainId(id) ? id.slice(0, LETTERS) : quoted(path);
}

/** Whether it can be typed as it is. */
export function isPlainId(id: string): boolean {
  return idAsName(id) === id;
}

const LETTERS = 8;

/** One word for a shell, whatever it is. */
export function quoted(text: string): string {
  return /^[\w./@%+,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

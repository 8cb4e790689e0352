/** Whether a path lies in a folder, compared name by name; both absolute. */

import { sep } from "node:path";

export function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

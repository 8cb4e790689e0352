/** The name of a file in its project, the same on every system. */

import { relative, sep } from "node:path";

export function nameIn(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

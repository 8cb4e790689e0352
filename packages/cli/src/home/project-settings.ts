/** The settings file of a project: the nearest to where one works, and only where the project is trusted. */

import type { ProjectFile } from "./choose.ts";
import { type TrustedFolder, trustedFiles } from "./trust/trusted-folder.ts";

/** The very bytes that were trusted; null where there are none. */
export function projectSettings(folder: TrustedFolder): ProjectFile | null {
  const nearest = trustedFiles(folder, "settings").at(-1);
  return nearest ? { path: nearest.path, text: new TextDecoder().decode(nearest.bytes) } : null;
}

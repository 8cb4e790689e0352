/** Workspaces that no sandbox makes safe: whoever may write there decides what the user's next shell or program does. */

import { join } from "node:path";
import { isWithin } from "../../text/paths.ts";
import { presentPath } from "./layout/present-path.ts";

/** Within the home. */
const OBEYED: readonly string[] = [".config", ".gnupg", ".local/bin", ".local/share/systemd", ".ssh"];

/** Why, or null where it is fit. All absolute, and the root through no link. */
export function unfitRoot(root: string, home: string): string | null {
  if (root === "/") return "the workspace is the whole disk, and nothing would be outside it";
  const real = presentPath(home) ?? home;
  if (isWithin(root, real)) return "the workspace is the home itself, where shells find what they begin with";
  const obeyed = OBEYED.map((name) => join(real, name)).find((path) => isWithin(root, path));
  return obeyed ? `the workspace holds ${obeyed}, whose files other programs obey` : null;
}

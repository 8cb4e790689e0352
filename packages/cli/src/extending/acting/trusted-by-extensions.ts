/** Whether an extension of the user trusts a folder: asked where it holds something that nobody has trusted, before a person is. */

import { existsSync } from "node:fs";
import type { TrustedFolder } from "../../home/trust/trusted-folder.ts";
import type { Place } from "../../place.ts";
import { extensionsFolder } from "../finding/extensions-folder.ts";

export interface Asking extends Pick<Place, "cwd" | "home" | "note"> {
  readonly trusted: TrustedFolder;
  /** False where none are wanted. */
  readonly isWanted: boolean;
}

/** For this call alone. */
export async function trustedByExtensions({ trusted, isWanted, ...place }: Asking): Promise<boolean> {
  const { files } = trusted.holds;
  if (!isWanted || trusted.type === "trusted" || files.length === 0) return false;
  if (!existsSync(extensionsFolder(place.home))) return false;
  const [{ assembled }, { userExtensions }, { loaded }] = await Promise.all([
    import("../extensions-here.ts"),
    import("../finding/user-extensions.ts"),
    import("../loading/load-extension.ts"),
  ]);
  const { found } = userExtensions(place.home);
  if (found.length === 0) return false;
  // What is wrong with one is said when the session is made ready.
  const report = (): void => {};
  const { asked } = await assembled(loaded(found, report), { cwd: place.cwd, report });
  const answers = await asked({ type: "project_trust", cwd: place.cwd, files: files.map(({ name }) => name) });
  return answers.some(({ trusted: isTrusted }) => isTrusted === true);
}

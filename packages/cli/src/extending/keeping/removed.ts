/** An extension of the user that is no longer wanted: a package is uninstalled, a file or folder is put aside. */

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { mistake } from "../../asking/mistake.ts";
import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { extensionsFolder } from "../finding/extensions-folder.ts";
import { userExtensions } from "../finding/user-extensions.ts";
import { npm } from "./npm.ts";

export async function removed({ arguments: [name = ""], home }: Call): Promise<Outcome> {
  const folder = extensionsFolder(home);
  const { found } = existsSync(folder) ? userExtensions(home) : { found: [] };
  const meant = found.find((each) => each.name === name);
  if (!meant) return mistake(`there is no extension ${name} of yours; pith extensions list names them`);
  if (meant.from === "package") {
    const done = await npm("uninstall", folder, name);
    return done.type === "failed" ? done : { type: "shown", text: `${name} was uninstalled`, data: { name } };
  }
  // Somebody may have written it here.
  mkdirSync(join(folder, ASIDE), { recursive: true, mode: 0o700 });
  const path = join(folder, ASIDE, `${Date.now()}-${name}`);
  renameSync(join(folder, name), path);
  return { type: "shown", text: `${name} is not loaded any more; it lies in ${path}`, data: { name, path } };
}

const ASIDE = ".removed";

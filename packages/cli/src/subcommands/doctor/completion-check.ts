/** Whether the shell knows the words of `pith`. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { Call } from "../subcommand.ts";
import { type Check, ok } from "./check.ts";

/** Never more than a hint: there are many places where they may lie. */
export async function completionCheck({ environment }: Call): Promise<Check> {
  const shell = basename(environment.SHELL ?? "");
  const place = PLACES[shell];
  if (place === undefined) return ok("completions", "for bash, zsh and fish: pith completions --help");
  const path = join(homedir(), place);
  if (existsSync(path)) return ok("completions", path);
  return ok("completions", `none in ${path}; pith completions ${shell} --help says how to have them`);
}

export const PLACES: Readonly<Record<string, string>> = {
  bash: ".local/share/bash-completion/completions/pith",
  zsh: ".zfunc/_pith",
  fish: ".config/fish/completions/pith.fish",
};

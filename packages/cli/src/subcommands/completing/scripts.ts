/** The script for each shell, made from the tables of flags and subcommands. */

import type { Subcommand } from "../subcommand.ts";
import { bashScript } from "./bash-script.ts";
import { fishScript } from "./fish-script.ts";
import { lines } from "./lines.ts";
import { zshScript } from "./zsh-script.ts";

export const scripts: Readonly<Record<string, (all: readonly Subcommand[]) => string>> = {
  bash: (all) => bashScript(lines(all)),
  zsh: (all) => zshScript(lines(all)),
  fish: (all) => fishScript(lines(all)),
};

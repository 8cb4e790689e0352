/** `pith completions`: what a shell needs to complete the words of `pith`. */

import { mistake } from "../asking/mistake.ts";
import type { Call, Outcome, Subcommand } from "./subcommand.ts";

/** For all of these, itself among them. */
export function completionsOf(all: () => readonly Subcommand[]): Subcommand {
  return {
    name: "completions",
    takes: "bash|zsh|fish",
    count: { least: 1, most: 1 },
    says: "print what your shell needs to complete the words of pith",
    more: `For bash, into ~/.local/share/bash-completion/completions/pith; for fish, into ~/.config/fish/completions/pith.fish;
for zsh, into a folder of $fpath under the name _pith, before compinit runs.`,
    json: "{ shell, script }",
    flags: {},
    examples: [
      "pith completions bash > ~/.local/share/bash-completion/completions/pith",
      "pith completions fish > ~/.config/fish/completions/pith.fish",
      "pith completions zsh > ~/.zfunc/_pith",
    ],
    async run({ arguments: [shell = ""] }: Call): Promise<Outcome> {
      const { scripts } = await import("./completing/scripts.ts");
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (!script) return mistake(`there are no completions for "${shell}"; write bash, zsh or fish`);
      const text = script(all());
      return { type: "shown", text, data: { shell, script: text } };
    },
  };
}

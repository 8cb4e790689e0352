/** `/mode`: what may be done without a question. */

import type { Mode } from "@pith/agent";
import { mistake } from "../../asking/mistake.ts";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";

/** In the order of what they leave to the model, the least first. */
export const modes: readonly { readonly name: Mode; readonly says: string }[] = [
  { name: "plan", says: "it only looks, and says what it would do" },
  { name: "ask", says: "it asks before it changes a file, runs a command or opens a page" },
  { name: "edit", says: "it changes files here and runs commands in the sandbox; else it asks" },
  { name: "all", says: "it does everything without asking" },
];

export const mode: Command = {
  name: "mode",
  takes: "[plan|ask|edit|all]",
  says: "what may be done without a question: plan, ask, edit or all",
  examples: ["/mode", "/mode plan"],
  async run(words, { mode: held }) {
    if (!held) return mistake("/mode: nobody is asked here, so there is nothing to set");
    if (words === "") return told(modeTold(held.now()), { mode: held.now() });
    const wanted = modes.find(({ name }) => name === words);
    if (!wanted) return mistake(`/mode takes plan, ask, edit or all, not "${words}"`);
    held.set(wanted.name);
    return told(`${modeTold(wanted.name)}, until this program ends`, { mode: wanted.name });
  },
};

export function modeTold(name: Mode): string {
  return `${name} mode: ${modes.find((each) => each.name === name)?.says ?? ""}`;
}

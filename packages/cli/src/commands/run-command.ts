/** Words that begin with a slash: a command, one of an extension, a template or a skill, or a mistake that says what was meant. */

import type { NamedCommand } from "@pith/agent";
import { mistake } from "../asking/mistake.ts";
import { nearest } from "../asking/nearest.ts";
import type { Answer, Command, Desk } from "./command.ts";
import { commands } from "./commands.ts";

/** Null where these words are for the model: `/usr/bin/x` is no command, and `fix /tmp` is none either. */
export async function runCommand(words: string, desk: Desk): Promise<Answer | null> {
  if (ESCAPED.test(words)) return { type: "prompt", content: words.slice(1) };
  const [whole, name = "", behind = ""] = CALL.exec(words) ?? [];
  if (whole === undefined) return null;
  const command = commandCalled(name);
  if (command) return unheard(command, behind.trim()) ?? (await command.run(behind.trim(), desk));
  const theirs = desk.extensions?.commands.find((each) => each.name === name);
  if (theirs) return await ofExtension(theirs, behind.trim(), desk);
  const content = (await desk.templates?.filled(name, behind.trim())) ?? null;
  if (content === null) return await unknown(name, desk);
  return content === "" ? mistake(`/${name} says nothing without words behind it`) : { type: "prompt", content };
}

const WORD = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}:-]*[\\p{L}\\p{N}])?";
const CALL = new RegExp(`^/(${WORD})(?:\\s+([\\s\\S]*))?$`, "u");
/** COM2: what would be a command is said to the model with one slash more. */
const ESCAPED = new RegExp(`^//${WORD}(?:\\s|$)`, "u");

function commandCalled(name: string): Command | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name));
}

/** Words that would go unheard were meant to be heard: `/undo the last edit` means another undo than ours. */
function unheard({ name, takes, says }: Command, words: string): Answer | null {
  if (words === "" || takes !== undefined) return null;
  return mistake(`/${name} takes nothing behind it; it is: ${says}. To say all of it to the model, write //${name} …`);
}

async function ofExtension(command: NamedCommand, words: string, desk: Desk): Promise<Answer> {
  const { runExtensionCommand } = await import("../extending/acting/run-extension-command.ts");
  return await runExtensionCommand(command, words, desk);
}

async function unknown(
  name: string,
  { templates, extensions }: Pick<Desk, "templates" | "extensions">,
): Promise<Answer> {
  const own = [...commands, ...(extensions?.commands ?? [])].flatMap((command: Pick<Command, "name" | "aliases">) => [
    command.name,
    ...(command.aliases ?? []),
  ]);
  const names = [...own, ...((await templates?.list()) ?? []).map((template) => template.name)];
  const near = nearest(name, names);
  const meant = near === null ? "/help names them all." : `did you mean /${near}?`;
  return mistake(`there is no command /${name}; ${meant} To say it to the model, write //${name}`);
}

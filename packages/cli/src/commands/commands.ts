/** Lists every slash command in the order in which they are shown, and defines `/help` and `/quit`. */

import type { CommandRegistration } from "@pith/agent";
import type { Templates } from "../resources/templates.ts";
import { mistake } from "../text/usage-error.ts";
import { type Command, told } from "./command.ts";
import { autocompact, compact, redo, undo } from "./compact.ts";
import { context, seen } from "./context.ts";
import { copy } from "./copy.ts";
import { diff } from "./diff.ts";
import { clone, fork } from "./fork.ts";
import { handoff } from "./handoff.ts";
import { pin, unpin } from "./pin.ts";
import { begin, exporting, name, resume, session } from "./sessions.ts";
import { keys, mode, model, reload, settings, thinking } from "./settings.ts";
import { transcript, tree } from "./tree.ts";

/** Of these, itself among them. */
export function helpFor(all: () => readonly Command[]): Command {
  return {
    name: "help",
    takes: "[command]",
    says: "all commands, or how one of them is used",
    examples: ["/help", "/help tree"],
    async run(words, { templates, extensions }) {
      const commands = [...all(), ...(extensions?.commands ?? []).map(asCommand)];
      if (words === "") return told(await overview(commands, templates), commands.map(asData));
      const name = words.replace(/^\//, "");
      const command = commands.find((each) => each.name === name || each.aliases?.includes(name));
      if (!command) return mistake(`there is no command /${name}; /help names them all`);
      return told(detail(command), asData(command));
    },
  };
}

/** With whose it is. */
function asCommand({ name, argumentHint, description, extension }: CommandRegistration): Shown {
  return { name, says: `${description} (${extension})`, ...(argumentHint !== undefined && { takes: argumentHint }) };
}

type Shown = Omit<Command, "run">;

async function overview(commands: readonly Shown[], templates: Templates | undefined): Promise<string> {
  const own = (await templates?.list()) ?? [];
  const lines = commands.map((command) => ({ call: callOf(command), says: `${command.says}${alsoCalled(command)}` }));
  const more = own.map(({ name, says }) => ({ call: `/${name}`, says }));
  const width = Math.min(WIDEST, Math.max(...lines.concat(more).map(({ call }) => call.length)));
  const shown = (each: { readonly call: string; readonly says: string }): string =>
    `  ${each.call.padEnd(width)}${each.call.length > width ? `\n${" ".repeat(width + 2)}` : ""}  ${each.says}`;
  return [...lines.map(shown), ...(more.length > 0 ? ["", "Yours:", ...more.map(shown)] : [])].join("\n");
}

const WIDEST = 44;

function alsoCalled({ aliases = [] }: Shown): string {
  return aliases.length === 0 ? "" : ` (or ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}

function detail(command: Shown): string {
  const names = (command.aliases ?? []).map((alias) => `/${alias}`);
  return [
    `${callOf(command)}: ${command.says}`,
    ...(names.length > 0 ? [`The same: ${names.join(", ")}`] : []),
    ...(command.examples ?? []).map((example) => `  ${example}`),
  ].join("\n");
}

function callOf({ name, takes }: Shown): string {
  return takes === undefined ? `/${name}` : `/${name} ${takes}`;
}

function asData({ name, aliases = [], takes = "", says, examples = [] }: Shown): object {
  return { name, aliases, takes, says, examples };
}

export const quit: Command = {
  name: "quit",
  aliases: ["exit"],
  says: "leave; the session is kept",
  run: async () => ({ type: "quit" }),
};

/** The names that no template and no extension command may have. */
export function builtInNames(): readonly string[] {
  return commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
}

export const commands: readonly Command[] = [
  compact,
  undo,
  redo,
  autocompact,
  context,
  seen,
  pin,
  unpin,
  tree,
  fork,
  clone,
  handoff,
  begin,
  resume,
  name,
  session,
  transcript,
  exporting,
  copy,
  diff,
  model,
  thinking,
  mode,
  settings,
  reload,
  keys,
  helpFor(() => commands),
  quit,
];

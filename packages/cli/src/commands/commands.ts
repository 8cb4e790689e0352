/** Lists every slash command in display order, and implements `/help` and `/quit`. */

import type { CommandRegistration } from "@pith/agent";
import type { Templates } from "@pith/host/resources/templates";
import { usageError } from "@pith/host/text/usage-error";
import { type Command, success } from "./command.ts";
import { autocompactCommand, compactCommand } from "./compact.ts";
import { contextCommand, rulesCommand, seenCommand } from "./context.ts";
import { copyCommand } from "./copy.ts";
import { cloneCommand, forkCommand } from "./fork.ts";
import { handoffCommand } from "./handoff.ts";
import { loginCommand, logoutCommand } from "./login.ts";
import { pinCommand, unpinCommand } from "./pin.ts";
import { diffCommand, exportCommand, nameCommand, newCommand, resumeCommand, sessionCommand } from "./sessions.ts";
import {
  keysCommand,
  mcpCommand,
  modeCommand,
  modelCommand,
  reloadCommand,
  settingsCommand,
  thinkingCommand,
} from "./settings.ts";
import { transcriptCommand, treeCommand } from "./tree.ts";
import { redoCommand, undoCommand } from "./undo.ts";

/** `listCommands` is a function, because the list contains the help command itself. */
function createHelpCommand(listCommands: () => readonly Command[]): Command {
  return {
    name: "help",
    argumentHint: "[command]",
    description: "list all commands, or show how to use one",
    examples: ["/help", "/help tree"],
    async run(args, { templates, extensions }) {
      const commands = [...listCommands(), ...(extensions?.commands ?? []).map(toCommandInfo)];
      if (args === "") return success(await formatOverview(commands, templates), commands.map(toHelpData));
      const name = args.replace(/^\//, "");
      const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name));
      if (!command) return usageError(`unknown command /${name}; /help lists all commands`);
      return success(formatCommandHelp(command), toHelpData(command));
    },
  };
}

/** Adds the name of the extension to the description. */
function toCommandInfo({ name, argumentHint, description, extension }: CommandRegistration): CommandInfo {
  return { name, description: `${description} (${extension})`, ...(argumentHint !== undefined && { argumentHint }) };
}

type CommandInfo = Omit<Command, "run">;

async function formatOverview(commands: readonly CommandInfo[], templates: Templates | undefined): Promise<string> {
  const userTemplates = (await templates?.list()) ?? [];
  const commandRows = commands.map((command) => ({
    call: formatUsage(command),
    description: `${command.description}${formatAliases(command)}`,
  }));
  const templateRows = userTemplates.map(({ name, description }) => ({ call: `/${name}`, description }));
  const width = Math.min(MAX_USAGE_WIDTH, Math.max(...commandRows.concat(templateRows).map(({ call }) => call.length)));
  const formatRow = (row: { readonly call: string; readonly description: string }): string =>
    `  ${row.call.padEnd(width)}${row.call.length > width ? `\n${" ".repeat(width + 2)}` : ""}  ${row.description}`;
  return [
    ...commandRows.map(formatRow),
    ...(templateRows.length > 0 ? ["", "Prompt templates and skills:", ...templateRows.map(formatRow)] : []),
  ].join("\n");
}

const MAX_USAGE_WIDTH = 44;

function formatAliases({ aliases = [] }: CommandInfo): string {
  return aliases.length === 0 ? "" : ` · alias ${aliases.map((alias) => `/${alias}`).join(", ")}`;
}

function formatCommandHelp(command: CommandInfo): string {
  const aliasNames = (command.aliases ?? []).map((alias) => `/${alias}`);
  return [
    `${formatUsage(command)}: ${command.description}`,
    ...(aliasNames.length > 0 ? [`Aliases: ${aliasNames.join(", ")}`] : []),
    ...(command.examples ?? []).map((example) => `  ${example}`),
  ].join("\n");
}

function formatUsage({ name, argumentHint }: CommandInfo): string {
  return argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`;
}

function toHelpData({ name, aliases = [], argumentHint = "", description, examples = [] }: CommandInfo): object {
  return { name, aliases, argumentHint, description, examples };
}

const quitCommand: Command = {
  name: "quit",
  aliases: ["exit"],
  description: "quit; the session is saved",
  run: async () => ({ type: "quit" }),
};

/** The names that templates and extension commands cannot use. */
export function builtInNames(): readonly string[] {
  return commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
}

export const commands: readonly Command[] = [
  compactCommand,
  undoCommand,
  redoCommand,
  autocompactCommand,
  contextCommand,
  seenCommand,
  rulesCommand,
  pinCommand,
  unpinCommand,
  treeCommand,
  forkCommand,
  cloneCommand,
  handoffCommand,
  newCommand,
  resumeCommand,
  nameCommand,
  sessionCommand,
  transcriptCommand,
  exportCommand,
  copyCommand,
  diffCommand,
  modelCommand,
  loginCommand,
  logoutCommand,
  thinkingCommand,
  modeCommand,
  settingsCommand,
  reloadCommand,
  mcpCommand,
  keysCommand,
  createHelpCommand(() => commands),
  quitCommand,
];

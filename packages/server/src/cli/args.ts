/** Parses the command line of `pith-server`. */

import { parseArgs } from "node:util";

/** A command of `pith-server`. */
export interface ServerCommand {
  /** The words after `pith-server`, such as `sessions list`. */
  readonly name: string;
  /** The arguments, as shown in the help. */
  readonly argumentNames: readonly string[];
  readonly description: string;
  readonly flags: Readonly<Record<string, FlagDefinition>>;
  /** Imports what it needs itself, so that a mistake is found at once. Returns what is printed. Throws an error whose message says what to do. */
  run(call: CommandCall): Promise<string>;
}

export interface FlagDefinition {
  readonly type: "string" | "boolean";
  readonly description: string;
}

export interface CommandCall {
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints a line at once. */
  readonly print: (line: string) => void;
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export type ParsedLine =
  | { readonly type: "help"; readonly text: string }
  | {
      readonly type: "command";
      readonly command: ServerCommand;
      readonly args: readonly string[];
      readonly flags: CommandCall["flags"];
    };

export function parseCommandLine(words: readonly string[], commands: readonly ServerCommand[]): ParsedLine {
  const command = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  if (!command) {
    if (words.length === 0 || words[0] === "--help" || words[0] === "-h")
      return { type: "help", text: describeCommands(commands) };
    throw new UsageError(`there is no command ${words[0]}; run: pith-server --help`);
  }
  const { name, argumentNames, flags } = command;
  const options = { ...flags, help: { type: "boolean", short: "h" } } as const;
  const { values, positionals } = parseFlags([...words.slice(name.split(" ").length)], options, name);
  if (values.help) return { type: "help", text: describeCommand(command) };
  if (positionals.length !== argumentNames.length) throw new UsageError(`usage: ${formatUsage(command)}`);
  return { type: "command", command, args: positionals, flags: values };
}

function parseFlags(
  args: string[],
  flags: Readonly<Record<string, { readonly type: "string" | "boolean" }>>,
  name: string,
) {
  const options = Object.fromEntries(Object.entries(flags).map(([flag, { type }]) => [flag, { type }]));
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new UsageError(`${sentence}; run: pith-server ${name} --help`);
  }
}

function formatUsage({ name, argumentNames, flags }: ServerCommand): string {
  const options = Object.entries(flags).map(([flag, { type }]) => `[--${flag}${type === "string" ? " VALUE" : ""}]`);
  return ["pith-server", name, ...argumentNames, ...options].join(" ");
}

function describeCommand(command: ServerCommand): string {
  const flags = Object.entries(command.flags).map(([flag, { description }]) => `  --${flag.padEnd(16)}${description}`);
  return [command.description, "", `usage: ${formatUsage(command)}`, ...(flags.length > 0 ? ["", ...flags] : [])].join(
    "\n",
  );
}

function describeCommands(commands: readonly ServerCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return [
    "usage: pith-server COMMAND",
    "",
    ...commands.map(({ name, description }) => `  ${name.padEnd(width)}${description}`),
    "",
    "pith-server COMMAND --help shows the flags of a command.",
  ].join("\n");
}

/** Runs a subcommand or prints its help. Exit codes: 0 success, 1 failure, 2 usage error. */

import { escapeControls, formatJson } from "@pith/host/text/safe-text";
import type { Subcommand, SubcommandCall, SubcommandFlag, SubcommandResult } from "../args/subcommand.ts";
import type { Terminal } from "../text/process-io.ts";
import { commonFlags, findSubcommand, findTopicError, parseCall } from "./parse.ts";
import { subcommands } from "./subcommands.ts";

function formatHelp(subcommand: Subcommand): string {
  const { description, details, jsonShape, flags, examples } = subcommand;
  const flagRows = Object.entries({ ...flags, ...commonFlags }).map(([name, flag]) => [
    formatFlag(name, flag),
    flag.description,
  ]);
  const fullDescription = details === undefined ? description : `${description}\n\n${details}`;
  return [
    formatUsage(subcommand),
    "",
    fullDescription,
    "",
    ...formatColumns(flagRows),
    "",
    "Examples:",
    ...examples.map(indent),
    "",
    `--json: ${jsonShape}`,
  ].join("\n");
}

function formatGroupHelp(name: string, all: readonly Subcommand[]): string {
  const members = all.filter((subcommand) => subcommand.name.startsWith(`${name} `));
  const rows = members.map((subcommand) => [
    `${subcommand.name} ${subcommand.argumentHint}`.trim(),
    subcommand.description,
  ]);
  const examples = members.flatMap((subcommand) => subcommand.examples.slice(0, 1));
  return [
    `pith ${name} …`,
    "",
    ...formatColumns(rows),
    "",
    "Examples:",
    ...examples.map(indent),
    "",
    `Each command has --help for details and --json for JSON output: pith ${members[0]?.name ?? name} --help`,
  ].join("\n");
}

/** Returns e.g. `pith sessions show SESSION [flags]`. */
export function formatUsage({ name, argumentHint, flags }: Subcommand): string {
  return ["pith", name, argumentHint, Object.keys(flags).length > 0 ? "[flags]" : ""]
    .filter((part) => part !== "")
    .join(" ");
}

/** Returns e.g. `-o, --output FILE`. */
export function formatFlag(name: string, { short, valueHint, values }: SubcommandFlag): string {
  const value = values ? ` ${values.join("|")}` : valueHint === undefined ? "" : ` ${valueHint}`;
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value}`;
}

function indent(line: string): string {
  return `  ${line}`;
}

function formatColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.min(MAX_COLUMN_CHARS, Math.max(0, ...rows.map(([left = ""]) => left.length)));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

const MAX_COLUMN_CHARS = 44;

export interface RunOptions extends Pick<SubcommandCall, "cwd" | "environment"> {
  readonly terminal: Terminal;
}

/** Returns the exit code. Null if the arguments are not a subcommand. */
export async function runSubcommand(args: readonly string[], options: RunOptions): Promise<number | null> {
  const { terminal } = options;
  if (args[0] === LIST_SESSIONS_COMMAND) return await printSessionCompletions(options);
  if (args[0] === INSPECT_EXTENSION_COMMAND) return await printExtensionCapabilities(args[1] ?? "", options);
  const topicError = findTopicError(args, subcommands);
  if (topicError !== null) return reportError(topicError.message, 2, terminal);
  const match = findSubcommand(expandHelp(args), subcommands);
  switch (match.type) {
    case "none":
      return null;
    case "mistake":
      return reportError(match.message, 2, terminal);
    case "group":
      return runGroup(match, options);
    case "subcommand":
      return callSubcommand(match.subcommand, match.rest, options);
  }
}

/** Converts `help NAME` to `NAME --help`. A longer text that starts with "help" is a prompt, unless it names a subcommand. */
function expandHelp(args: readonly string[]): readonly string[] {
  const [first, ...words] = args;
  if (first !== "help" || words.length === 0 || words.some((word) => word.startsWith("-"))) return args;
  const isName = words.length === 1 || subcommands.some(({ name }) => name === words.join(" "));
  return isName ? [...words, "--help"] : args;
}

/** Internal: the shell completion scripts call it to list session ids. */
const LIST_SESSIONS_COMMAND = "__sessions";

async function printSessionCompletions({ cwd, environment, terminal }: RunOptions): Promise<number> {
  const { formatSessionCompletions } = await import("./completions/completions.ts");
  return printText(formatSessionCompletions(cwd, environment), 0, terminal);
}

/** Internal: Pith calls itself with it before an extension is added. It repeats the constant of extensions/inspect.ts, which is loaded lazily. */
const INSPECT_EXTENSION_COMMAND = "__extension";

async function printExtensionCapabilities(path: string, { terminal }: RunOptions): Promise<number> {
  const { readCapabilities } = await import("../extensions/inspect.ts");
  return printText(formatJson(await readCapabilities(path)), 0, terminal);
}

/** A group without a subcommand, such as `pith sessions`, runs its `list`. */
async function runGroup(
  { name, rest }: { readonly name: string; readonly rest: readonly string[] },
  options: RunOptions,
): Promise<number> {
  const listMember = subcommands.find((subcommand) => subcommand.name === `${name} list`);
  const wantsHelp = rest.some((arg) => arg === "--help" || arg === "-h");
  if (listMember && !wantsHelp) return await callSubcommand(listMember, rest, options);
  return printText(formatGroupHelp(name, subcommands), 0, options.terminal);
}

async function callSubcommand(subcommand: Subcommand, args: readonly string[], options: RunOptions): Promise<number> {
  const { cwd, environment, terminal } = options;
  const parsed = parseCall(subcommand, args);
  if (parsed.type === "help") return printText(formatHelp(subcommand), 0, terminal);
  if (parsed.type === "mistake") return reportError(parsed.message, 2, terminal);
  // Loaded late, so that help prints fast.
  const { pithHome } = await import("@pith/context/node");
  const result = await subcommand.run({
    arguments: parsed.arguments,
    flags: parsed.flags,
    cwd,
    home: pithHome(environment),
    environment,
    notify: terminal.notify,
  });
  return printResult(result, { isJson: parsed.isJson, terminal });
}

async function printResult(
  result: SubcommandResult,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): Promise<number> {
  switch (result.type) {
    case "mistake":
      return reportError(result.message, 2, terminal);
    case "failed":
      return reportError(result.message, 1, terminal);
    case "success":
      return printText(isJson ? formatJson(result.data) : result.text, result.code ?? 0, terminal);
  }
}

function reportError(message: string, exitCode: number, terminal: Terminal): number {
  terminal.notify(`pith: ${message}`);
  return exitCode;
}

/** S12: escapes control characters even if the output is a pipe, because its reader may show untrusted text in a terminal. */
async function printText(text: string, exitCode: number, terminal: Terminal): Promise<number> {
  const writeError = text === "" ? null : await terminal.writeOutput(`${escapeControls(text)}\n`);
  return writeError === null ? exitCode : reportError(writeError, 1, terminal);
}

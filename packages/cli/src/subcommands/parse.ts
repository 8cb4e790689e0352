/** Finds the subcommand of a command line and parses its arguments and flags. */

import { parseArgs } from "node:util";
import { findNearest, type UsageError, usageError } from "@pith/host/text/usage-error";
import type { Subcommand, SubcommandCall, SubcommandFlag } from "../args/subcommand.ts";

export type ParsedCall =
  | ({ readonly type: "call"; readonly isJson: boolean } & Pick<SubcommandCall, "arguments" | "flags">)
  | { readonly type: "help" }
  | UsageError;

/** The flags of every subcommand. */
export const commonFlags: Readonly<Record<string, SubcommandFlag>> = {
  json: { type: "boolean", description: "print JSON" },
  help: { type: "boolean", short: "h", description: "show this help" },
};

export function parseCall(subcommand: Subcommand, args: readonly string[]): ParsedCall {
  const options = { ...subcommand.flags, ...commonFlags };
  // Not strict: strict mode throws errors that do not tell the user what to write.
  const { tokens } = parseArgs({ args: [...args], options: toParseArgsOptions(options), strict: false, tokens: true });
  const flagTokens = tokens.filter((token) => token.kind === "option");
  if (flagTokens.some(({ name }) => name === "help")) return { type: "help" };
  const error = flagTokens
    .map((flag) => findFlagError(flag, { options, subcommand }))
    .find((message) => message !== null);
  if (error !== undefined) return usageError(error);
  const positionals = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const { min, max } = subcommand.argumentCount;
  if (positionals.length < min)
    return usageError(`pith ${subcommand.name} requires ${subcommand.argumentHint}; ${formatHelpHint(subcommand)}`);
  if (positionals.length > max) return usageError(describeExtraArgument(positionals[max] ?? "", subcommand));
  const flags = collectFlags(flagTokens, options);
  return { type: "call", isJson: flags.json === true, arguments: positionals, flags };
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

interface FlagContext {
  readonly options: Readonly<Record<string, SubcommandFlag>>;
  readonly subcommand: Subcommand;
}

function findFlagError(
  { name, rawName, value, inlineValue }: FlagToken,
  { options, subcommand }: FlagContext,
): string | null {
  const flag = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!flag) return describeUnknownFlag(rawName, { options, subcommand });
  if (flag.type === "boolean") return value === undefined ? null : `${rawName} takes no value, but got "${value}"`;
  const { valueHint = "a value", values } = flag;
  if (value === undefined || value === "")
    return `${rawName} requires ${values ? formatAlternatives(values) : valueHint}`;
  if (value.startsWith("-") && !inlineValue)
    return `${rawName} requires ${valueHint}, not the flag "${value}"; to use it as the value, write --${name}="${value}"`;
  return !values || values.includes(value) ? null : `${rawName} must be ${formatAlternatives(values)}, not "${value}"`;
}

function describeUnknownFlag(rawName: string, { options, subcommand }: FlagContext): string {
  const names = Object.keys(options).map((name) => `--${name}`);
  const suggestion = rawName.startsWith("--") ? findNearest(rawName, names) : null;
  return `pith ${subcommand.name} has no flag ${rawName}; ${suggestion === null ? formatHelpHint(subcommand) : `did you mean ${suggestion}?`}`;
}

function describeExtraArgument(argument: string, subcommand: Subcommand): string {
  const { name, argumentHint } = subcommand;
  return `unexpected argument "${argument}": pith ${name} takes ${argumentHint === "" ? "no arguments" : `only ${argumentHint}`}; ${formatHelpHint(subcommand)}`;
}

function formatHelpHint({ name }: Subcommand): string {
  return `see pith ${name} --help`;
}

function formatAlternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function collectFlags(tokens: readonly FlagToken[], options: FlagContext["options"]): SubcommandCall["flags"] {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  for (const { name, value } of tokens) {
    const previous = flags[name];
    if (options[name]?.multiple) flags[name] = [...(Array.isArray(previous) ? previous : []), value ?? ""];
    else flags[name] = value ?? true;
  }
  return flags;
}

function toParseArgsOptions(options: FlagContext["options"]): NonNullable<Parameters<typeof parseArgs>[0]>["options"] {
  const entries = Object.entries(options).map(([name, { type, short, multiple }]) => [
    name,
    { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
  ]);
  return Object.fromEntries(entries);
}

export type SubcommandMatch =
  | { readonly type: "subcommand"; readonly subcommand: Subcommand; readonly rest: readonly string[] }
  /** Only the first word of a group, such as `sessions`. */
  | { readonly type: "group"; readonly name: string; readonly rest: readonly string[] }
  | UsageError
  /** The arguments are not a subcommand, e.g. a prompt. */
  | { readonly type: "none" };

export function findSubcommand(args: readonly string[], subcommands: readonly Subcommand[]): SubcommandMatch {
  const [first = "", second = ""] = args;
  const topLevel = subcommands.find(({ name }) => name === first);
  if (topLevel) return { type: "subcommand", subcommand: topLevel, rest: args.slice(1) };
  const group = subcommands.filter(({ name }) => name.startsWith(`${first} `));
  if (first === "" || group.length === 0) return suggestSubcommand(args, subcommands);
  const member = group.find(({ name }) => name === `${first} ${second}`);
  if (member) return { type: "subcommand", subcommand: member, rest: args.slice(2) };
  if (second === "" || second.startsWith("-")) return { type: "group", name: first, rest: args.slice(1) };
  const memberNames = group.map(({ name }) => name.slice(first.length + 1));
  const suggestion = findNearest(second, memberNames);
  const hint =
    suggestion === null ? `available: ${memberNames.join(", ")}` : `did you mean pith ${first} ${suggestion}?`;
  return usageError(`unknown command: pith ${first} ${second}; ${hint}`);
}

/** The error for `pith help NAME` without such a subcommand; null for other arguments. */
export function findTopicError(args: readonly string[], subcommands: readonly Subcommand[]): UsageError | null {
  const [first, topic = ""] = args;
  if (first !== "help" || args.length !== 2 || topic.startsWith("-") || /\s/.test(topic)) return null;
  const topLevelNames = listTopLevelNames(subcommands);
  if (topLevelNames.includes(topic)) return null;
  const members = subcommands.filter(({ name }) => name.endsWith(` ${topic}`)).map(({ name }) => name);
  const nearest = findNearest(topic, topLevelNames);
  const suggestions = members.length === 0 && nearest !== null ? [nearest] : members;
  const hint =
    suggestions.length === 0
      ? "pith --help lists all subcommands."
      : `did you mean ${suggestions.map((name) => `pith help ${name}`).join(" or ")}?`;
  return usageError(
    `there is no subcommand named ${topic}; ${hint} To send this text to the model: pith -p "help ${topic}"`,
  );
}

function listTopLevelNames(subcommands: readonly Subcommand[]): readonly string[] {
  return [...new Set(subcommands.map(({ name }) => name.split(" ")[0] ?? name))];
}

/** Treats a first word that is similar to a subcommand as a typing error. An argument with spaces, or a call with `-p` or `--mode`, is a prompt. */
function suggestSubcommand(args: readonly string[], subcommands: readonly Subcommand[]): SubcommandMatch {
  const [first = ""] = args;
  const isPrompt = args.some((arg) => PROMPT_FLAG.test(arg)) || /\s/.test(first);
  const suggestion = isPrompt ? null : findNearest(first, listTopLevelNames(subcommands));
  // Only a subcommand has its own help, so a single word with --help is not a prompt.
  const asksForHelp = args.length === 2 && (args[1] === "--help" || args[1] === "-h");
  if (suggestion === null && asksForHelp && !isPrompt)
    return usageError(`unknown command: pith ${first}; pith --help lists all subcommands`);
  if (suggestion === null) return { type: "none" };
  return usageError(
    `unknown command: pith ${first}; did you mean pith ${suggestion}? To send this text to the model: pith -p "${args.join(" ")}"`,
  );
}

const PROMPT_FLAG = /^(?:-[a-z]*p[a-z]*|--print|--mode.*)$/;

/** Finds the subcommand that a command line names, and parses its arguments against the subcommand's own flags. */

import { parseArgs } from "node:util";
import type { Call, Subcommand, SubcommandFlag } from "../args/subcommand.ts";
import { type Mistake, mistake, nearest } from "../text/usage-error.ts";

export type ReadCall =
  | ({ readonly type: "call"; readonly isJson: boolean } & Pick<Call, "arguments" | "flags">)
  | { readonly type: "help" }
  | Mistake;

/** What every subcommand takes. */
export const everywhere: Readonly<Record<string, SubcommandFlag>> = {
  json: { type: "boolean", says: "print one JSON value, for programs" },
  help: { type: "boolean", short: "h", says: "show this" },
};

export function readCall(subcommand: Subcommand, args: readonly string[]): ReadCall {
  const options = { ...subcommand.flags, ...everywhere };
  // Loosely: the strict reading throws, and its sentences do not say what to write.
  const { tokens } = parseArgs({ args: [...args], options: spelled(options), strict: false, tokens: true });
  const found = tokens.filter((token) => token.kind === "option");
  if (found.some(({ name }) => name === "help")) return { type: "help" };
  const fault = found.map((flag) => faultIn(flag, { options, subcommand })).find((each) => each !== null);
  if (fault !== undefined) return mistake(fault);
  const said = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const { least, most } = subcommand.count;
  if (said.length < least) return mistake(`pith ${subcommand.name} takes ${subcommand.takes}; ${seeHelp(subcommand)}`);
  if (said.length > most) return mistake(tooMany(said[most] ?? "", subcommand));
  const flags = collected(found, options);
  return { type: "call", isJson: flags.json === true, arguments: said, flags };
}

interface FoundFlag {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

interface Table {
  readonly options: Readonly<Record<string, SubcommandFlag>>;
  readonly subcommand: Subcommand;
}

function faultIn({ name, rawName, value, inlineValue }: FoundFlag, { options, subcommand }: Table): string | null {
  const flag = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!flag) return unknown(rawName, { options, subcommand });
  if (flag.type === "boolean") return value === undefined ? null : `${rawName} takes nothing, not "${value}"`;
  const { takes = "a value", values } = flag;
  if (value === undefined || value === "") return `${rawName} takes ${values ? choice(values) : takes}`;
  if (value.startsWith("-") && !inlineValue)
    return `${rawName} takes ${takes}, not "${value}"; if you mean it, write --${name}="${value}"`;
  return !values || values.includes(value) ? null : `${rawName} is "${value}"; write ${choice(values)}`;
}

function unknown(rawName: string, { options, subcommand }: Table): string {
  const names = Object.keys(options).map((name) => `--${name}`);
  const near = rawName.startsWith("--") ? nearest(rawName, names) : null;
  return `pith ${subcommand.name} has no flag ${rawName}; ${near === null ? seeHelp(subcommand) : `did you mean ${near}?`}`;
}

function tooMany(said: string, subcommand: Subcommand): string {
  const { name, takes } = subcommand;
  return `pith ${name} takes ${takes === "" ? "no words" : takes}, and "${said}" is one too many; ${seeHelp(subcommand)}`;
}

function seeHelp({ name }: Subcommand): string {
  return `pith ${name} --help shows how`;
}

function choice(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function collected(found: readonly FoundFlag[], options: Table["options"]): Call["flags"] {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  for (const { name, value } of found) {
    const before = flags[name];
    if (options[name]?.multiple) flags[name] = [...(Array.isArray(before) ? before : []), value ?? ""];
    else flags[name] = value ?? true;
  }
  return flags;
}

function spelled(options: Table["options"]): NonNullable<Parameters<typeof parseArgs>[0]>["options"] {
  const entries = Object.entries(options).map(([name, { type, short, multiple }]) => [
    name,
    { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
  ]);
  return Object.fromEntries(entries);
}

export type Found =
  | { readonly type: "subcommand"; readonly subcommand: Subcommand; readonly rest: readonly string[] }
  /** Only the first word of several, such as `sessions`. */
  | { readonly type: "group"; readonly name: string; readonly rest: readonly string[] }
  | Mistake
  /** These words are meant for somebody else. */
  | { readonly type: "none" };

export function findSubcommand(args: readonly string[], all: readonly Subcommand[]): Found {
  const [first = "", second = ""] = args;
  const one = all.find(({ name }) => name === first);
  if (one) return { type: "subcommand", subcommand: one, rest: args.slice(1) };
  const group = all.filter(({ name }) => name.startsWith(`${first} `));
  if (first === "" || group.length === 0) return stranger(args, all);
  const two = group.find(({ name }) => name === `${first} ${second}`);
  if (two) return { type: "subcommand", subcommand: two, rest: args.slice(2) };
  if (second === "" || second.startsWith("-")) return { type: "group", name: first, rest: args.slice(1) };
  const words = group.map(({ name }) => name.slice(first.length + 1));
  const near = nearest(second, words);
  const advice = near === null ? `there are ${words.join(", ")}` : `did you mean pith ${first} ${near}?`;
  return mistake(`there is no pith ${first} ${second}; ${advice}`);
}

/** A lone word that is almost a subcommand was meant as one; a sentence, and what is to be printed, was not. */
function stranger(args: readonly string[], all: readonly Subcommand[]): Found {
  const [first = ""] = args;
  const isSaid = args.some((each) => SAYING.test(each)) || /\s/.test(first);
  const near = isSaid ? null : nearest(first, [...new Set(all.map(({ name }) => name.split(" ")[0] ?? name))]);
  if (near === null) return { type: "none" };
  return mistake(
    `there is no pith ${first}; did you mean pith ${near}? To say it to the model: pith -p "${args.join(" ")}"`,
  );
}

const SAYING = /^(?:-[a-z]*p[a-z]*|--print|--mode.*)$/;

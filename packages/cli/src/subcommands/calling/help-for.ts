/** What `--help` says of a subcommand, and of all that share their first word. */

import type { Subcommand, SubcommandFlag } from "../subcommand.ts";
import { everywhere } from "./read-call.ts";

export function helpFor(subcommand: Subcommand): string {
  const { says, more, json, flags, examples } = subcommand;
  const lines = Object.entries({ ...flags, ...everywhere }).map(([name, flag]) => [spelling(name, flag), flag.says]);
  const told = more === undefined ? says : `${says}\n\n${more}`;
  return [
    usage(subcommand),
    "",
    told,
    "",
    ...columns(lines),
    "",
    "Examples:",
    ...examples.map(indented),
    "",
    `--json: ${json}`,
  ].join("\n");
}

export function helpForGroup(name: string, all: readonly Subcommand[]): string {
  const members = all.filter((each) => each.name.startsWith(`${name} `));
  const lines = members.map((each) => [`${each.name} ${each.takes}`.trim(), each.says]);
  const examples = members.flatMap((each) => each.examples.slice(0, 1));
  return [
    `pith ${name} …`,
    "",
    ...columns(lines),
    "",
    "Examples:",
    ...examples.map(indented),
    "",
    `Each says more with --help, and prints JSON with --json: pith ${members[0]?.name ?? name} --help`,
  ].join("\n");
}

/** As it is typed: `pith sessions show SESSION [flags]`. */
export function usage({ name, takes, flags }: Subcommand): string {
  return ["pith", name, takes, Object.keys(flags).length > 0 ? "[flags]" : ""].filter((part) => part !== "").join(" ");
}

/** As it is typed: `-o, --output FILE`. */
export function spelling(name: string, { short, takes, values }: SubcommandFlag): string {
  const value = values ? ` ${values.join("|")}` : takes === undefined ? "" : ` ${takes}`;
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value}`;
}

function indented(line: string): string {
  return `  ${line}`;
}

function columns(lines: readonly (readonly string[])[]): readonly string[] {
  const width = Math.min(WIDEST, Math.max(0, ...lines.map(([left = ""]) => left.length)));
  return lines.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

const WIDEST = 44;

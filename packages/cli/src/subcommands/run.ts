/** Runs a subcommand or prints its help. Exit codes: 0 done, 1 failed, 2 wrong usage. */

import type { Call, Outcome, Subcommand, SubcommandFlag } from "../args/subcommand.ts";
import type { Terminal } from "../text/process-io.ts";
import { jsonText, plain } from "../text/safe-text.ts";
import { everywhere, findSubcommand, readCall } from "./parse.ts";
import { subcommands } from "./subcommands.ts";

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

/** Where it is called, and who hears of it. */
export interface Surroundings extends Pick<Call, "cwd" | "environment"> {
  readonly terminal: Terminal;
}

/** Null where the words are no subcommand. */
export async function runSubcommand(args: readonly string[], around: Surroundings): Promise<number | null> {
  const { terminal } = around;
  if (args[0] === SESSIONS) return await completed(around);
  if (args[0] === EXTENSION) return await lookedAt(args[1] ?? "", around);
  const found = findSubcommand(args, subcommands);
  switch (found.type) {
    case "none":
      return null;
    case "mistake":
      return noted(found.message, 2, terminal);
    case "group":
      return groupShown(found, terminal);
    case "subcommand":
      return called(found.subcommand, found.rest, around);
  }
}

/** Asked by the completions of shells, for ids of sessions; for nobody else. */
const SESSIONS = "__sessions";

async function completed({ cwd, environment, terminal }: Surroundings): Promise<number> {
  const { sessionWords } = await import("./completions/completions.ts");
  return printed(sessionWords(cwd, environment), 0, terminal);
}

/** Asked by this program itself, before an extension is added; `LOOK` of extensions/inspect.ts. */
const EXTENSION = "__extension";

async function lookedAt(path: string, { terminal }: Surroundings): Promise<number> {
  const { lookedInto } = await import("../extensions/inspect.ts");
  return printed(jsonText(await lookedInto(path)), 0, terminal);
}

async function groupShown(
  { name, rest }: { readonly name: string; readonly rest: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  if (rest.some((each) => each === "--help" || each === "-h"))
    return printed(helpForGroup(name, subcommands), 0, terminal);
  const members = subcommands.flatMap((each) =>
    each.name.startsWith(`${name} `) ? [each.name.slice(name.length + 1)] : [],
  );
  return noted(
    `say what to do with ${name}: pith ${name} ${members.join("|")}; pith ${name} --help tells more`,
    2,
    terminal,
  );
}

async function called(subcommand: Subcommand, args: readonly string[], around: Surroundings): Promise<number> {
  const { cwd, environment, terminal } = around;
  const read = readCall(subcommand, args);
  if (read.type === "help") return printed(helpFor(subcommand), 0, terminal);
  if (read.type === "mistake") return noted(read.message, 2, terminal);
  // Only now: whoever asks for help does not wait for all that works.
  const { pithHome } = await import("@pith/context/node");
  const outcome = await subcommand.run({
    arguments: read.arguments,
    flags: read.flags,
    cwd,
    home: pithHome(environment),
    environment,
    note: terminal.note,
  });
  return told(outcome, { isJson: read.isJson, terminal });
}

interface Telling {
  readonly isJson: boolean;
  readonly terminal: Terminal;
}

async function told(outcome: Outcome, { isJson, terminal }: Telling): Promise<number> {
  switch (outcome.type) {
    case "mistake":
      return noted(outcome.message, 2, terminal);
    case "failed":
      return noted(outcome.message, 1, terminal);
    case "shown":
      return printed(isJson ? jsonText(outcome.data) : outcome.text, outcome.code ?? 0, terminal);
  }
}

function noted(message: string, code: number, terminal: Terminal): number {
  terminal.note(`pith: ${message}`);
  return code;
}

/** S12: it may be shown by whoever reads the pipe, so that what strangers wrote is plain there, too. */
async function printed(text: string, code: number, terminal: Terminal): Promise<number> {
  const fault = text === "" ? null : await terminal.answer(`${plain(text)}\n`);
  return fault === null ? code : noted(fault, 1, terminal);
}

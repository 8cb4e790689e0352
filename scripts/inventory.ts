/** Collects what the program offers (flags, commands, settings, events, RPC commands, hooks), what the documents name, and what the tests used. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { extensionEventTable } from "@pith/agent";
import {
  commands,
  eventNames,
  flags,
  readCommentedJson,
  rpcNames,
  type Subcommand,
  settingTable,
  subcommands,
} from "pith/tables";

/** As documents and runs name them: `--model`, `/compact`, `pith sessions list --all`, `compaction.enabled`, `compaction_end`. */
export function thereIs(): ReadonlySet<string> {
  return new Set([
    ...Object.keys(flags).map((name) => `flag --${name}`),
    ...commands.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => `command /${each}`)),
    ...subcommands.flatMap(({ name, flags: own }) => [
      `subcommand pith ${name}`,
      ...[...Object.keys(own), "json", "help"].map((flag) => `subcommand pith ${name} --${flag}`),
    ]),
    ...settingTable.map(({ name }) => `setting ${name}`),
    ...eventNames.map((name) => `event ${name}`),
    ...rpcNames.map((name) => `rpc ${name}`),
    ...Object.keys(extensionEventTable).map((name) => `hook ${name}`),
  ]);
}

export function documented(docs: string): ReadonlySet<string> {
  const page = (name: string): string => readFileSync(join(docs, name), "utf8");
  return new Set([
    ...inCommands(page("commands.md")),
    ...inSettings(page("settings.md")),
    ...inEvents(page("events.md")),
    ...named(page("rpc.md"), "rpc-commands", "rpc "),
    ...named(page("extensions.md"), "extension-events", "hook "),
  ]);
}

/** Flags in the help of `pith` itself; a heading for each subcommand, and rows for its flags; rows for the commands. */
function* inCommands(page: string): Generator<string> {
  const common = /Each has `(--help)`[^.]*`(--json)`/.exec(page)?.slice(1) ?? [];
  for (const text of page.split(/^#{2,3} /m).slice(1)) {
    const [name = ""] = text.split("\n", 1);
    if (name === "pith") yield* found(text, /^ {2,6}(?:-[a-z], )?(--[a-z-]+)/gm, "flag ");
    if (name.startsWith("pith ")) {
      yield `subcommand ${name}`;
      yield* common.map((flag) => `subcommand ${name} ${flag}`);
      yield* found(text, /^\| `(?:-[a-z], )?(--[a-z-]+)/gm, `subcommand ${name} `);
    }
    for (const [row] of text.matchAll(/^\| `\/[^|]*\|/gm)) yield* found(row, /`(\/[a-z]+)/g, "command ");
  }
}

function found(text: string, shape: RegExp, before: string): readonly string[] {
  return Array.from(text.matchAll(shape), ([, name]) => `${before}${name}`);
}

function inSettings(page: string): readonly string[] {
  return found(generated(page, "settings") + generated(page, "settings-overrides"), /^\| `([\w.*]+)` \|/gm, "setting ");
}

function inEvents(page: string): readonly string[] {
  return named(page, "events", "event ");
}

/** The first column of a table. */
function named(page: string, table: string, before: string): readonly string[] {
  return found(generated(page, table), /^\| `([a-z_]+)` \|/gm, before);
}

/** The part of a page that is made from a table of the program. */
function generated(page: string, name: string): string {
  return page.split(`<!-- generated: ${name} -->`)[1]?.split("<!-- end -->")[0] ?? "";
}

/** One run of the program, as `packages/cli/test/inventory` keeps it. */
interface Run {
  readonly args: readonly string[];
  /** The texts of its settings files. */
  readonly settings: readonly string[];
  /** The types of the events it told. */
  readonly events: readonly string[];
  /** The types of the RPC commands it answered. */
  readonly rpc?: readonly string[];
  /** What extensions heard in it. */
  readonly hooks?: readonly string[];
}

export function triggered(folder: string): ReadonlySet<string> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const lines = names.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  return new Set(lines.flatMap((line) => usedBy(JSON.parse(line) as Run)));
}

function usedBy({ args, settings, events, rpc = [], hooks = [] }: Run): readonly string[] {
  return [
    ...usedIn(args),
    ...settings.flatMap(setIn),
    ...events.map((event) => `event ${event}`),
    ...rpc.map((name) => `rpc ${name}`),
    ...hooks.map((name) => `hook ${name}`),
  ];
}

function usedIn(args: readonly string[]): readonly string[] {
  const called = subcommands.find(({ name }) => `${args.join(" ")} `.startsWith(`${name} `));
  if (called) return subcommandIn(called, args.slice(called.name.split(" ").length));
  const known = Object.entries(flags).map(([name, flag]) => ({
    name,
    short: "short" in flag ? flag.short : undefined,
  }));
  const command = args.flatMap((each) => /^(\/[a-z]+)(?:\s|$)/.exec(each)?.[1] ?? []).filter(isOurs);
  return [...flagsIn(args, known).map((flag) => `flag --${flag}`), ...command.map((each) => `command ${each}`)];
}

/** A template's or an extension's is no command of ours, and what is nobody's was refused. */
function isOurs(call: string): boolean {
  return commands.some(({ name, aliases = [] }) => [name, ...aliases].some((each) => call === `/${each}`));
}

function subcommandIn({ name, flags: own }: Subcommand, args: readonly string[]): readonly string[] {
  const known = [
    ...Object.entries(own).map(([flag, { short }]) => ({ name: flag, short })),
    { name: "json", short: undefined },
    { name: "help", short: "h" },
  ];
  return [`subcommand pith ${name}`, ...flagsIn(args, known).map((flag) => `subcommand pith ${name} --${flag}`)];
}

interface KnownFlag {
  readonly name: string;
  readonly short: string | undefined;
}

/** One letter behind another stands for two flags. */
function flagsIn(args: readonly string[], known: readonly KnownFlag[]): readonly string[] {
  const end = args.indexOf("--");
  const written = end < 0 ? args : args.slice(0, end);
  return known.flatMap(({ name, short }) => {
    const isUsed = written.some(
      (each) =>
        each === `--${name}` ||
        each.startsWith(`--${name}=`) ||
        (short !== undefined && /^-[a-z]+$/.test(each) && each.includes(short)),
    );
    return isUsed ? [name] : [];
  });
}

function setIn(text: string): readonly string[] {
  const read = readCommentedJson(text);
  if (read.type !== "object") return [];
  const names = namesIn(read.value);
  return settingTable.flatMap(({ name }) => {
    const shape = new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".+")}$`);
    return names.some((each) => shape.test(each)) ? [`setting ${name}`] : [];
  });
}

/** With a point before each part that lies in another. */
function namesIn(value: Readonly<Record<string, unknown>>, before = ""): readonly string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const whole = `${before}${name}`;
    const isInner = typeof each === "object" && each !== null && !Array.isArray(each);
    return isInner ? [whole, ...namesIn(each as Readonly<Record<string, unknown>>, `${whole}.`)] : [whole];
  });
}

/**
 * `node scripts/check-inventory.ts`: checks that every flag, command, setting, event, RPC command and hook of the program is documented and
 * used by an end-to-end test. Run it after the tests, which write what they used into `.triggered`.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { extensionEventTable } from "@pith/agent";
import {
  commands,
  eventNames,
  flags,
  parseJsonc,
  rpcNames,
  type Subcommand,
  settingTable,
  subcommands,
} from "pith/tables";
import { formatCount } from "./fault.ts";

const root = resolve(import.meta.dirname, "..");
const offered = listOffered();
const documentedNames = listDocumented(join(root, "docs"));
const triggeredNames = readTriggered(join(root, ".triggered"));

const faults = [
  ...listMissing(
    offered,
    documentedNames,
    "is not in docs/commands.md, settings.md, events.md, rpc.md or extensions.md",
  ),
  ...listMissing(documentedNames, offered, "is documented but does not exist"),
  ...listMissing(offered, triggeredNames, "is used by no end-to-end test"),
  ...listMissing(triggeredNames, offered, "is used but is in no table"),
];

for (const fault of faults) console.log(fault);
console.log(`inventory: ${offered.size} things, ${formatCount(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function listMissing(names: ReadonlySet<string>, others: ReadonlySet<string>, sentence: string): readonly string[] {
  return [...names]
    .filter((name) => !others.has(name))
    .sort()
    .map((name) => `${name} ${sentence}`);
}

/** Everything that the program offers, as documents and runs name it: `--model`, `/compact`, `pith sessions list --all`, `compaction.enabled`, `compaction_end`. */
function listOffered(): ReadonlySet<string> {
  return new Set([
    ...Object.keys(flags).map((name) => `flag --${name}`),
    ...commands.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => `command /${each}`)),
    ...subcommands.flatMap(({ name, flags: ownFlags }) => [
      `subcommand pith ${name}`,
      ...[...Object.keys(ownFlags), "json", "help"].map((flag) => `subcommand pith ${name} --${flag}`),
    ]),
    ...settingTable.map(({ name }) => `setting ${name}`),
    ...eventNames.map((name) => `event ${name}`),
    ...rpcNames.map((name) => `rpc ${name}`),
    ...Object.keys(extensionEventTable).map((name) => `hook ${name}`),
  ]);
}

function listDocumented(docs: string): ReadonlySet<string> {
  const page = (name: string): string => readFileSync(join(docs, name), "utf8");
  return new Set([
    ...readCommandsPage(page("commands.md")),
    ...readSettingsPage(page("settings.md")),
    ...readEventsPage(page("events.md")),
    ...readTableNames(page("rpc.md"), "rpc-commands", "rpc "),
    ...readTableNames(page("extensions.md"), "extension-events", "hook "),
  ]);
}

/** Flags are in the help of `pith`. Each subcommand has a heading and rows for its flags; each command has a row. */
function* readCommandsPage(page: string): Generator<string> {
  const common = /Each subcommand has `(--help)`[^.]*`(--json)`/.exec(page)?.slice(1) ?? [];
  for (const text of page.split(/^#{2,3} /m).slice(1)) {
    const [name = ""] = text.split("\n", 1);
    if (name === "pith") yield* matchNames(text, /^ {2,6}(?:-[a-z], )?(--[a-z-]+)/gm, "flag ");
    if (name.startsWith("pith ")) {
      yield `subcommand ${name}`;
      yield* common.map((flag) => `subcommand ${name} ${flag}`);
      yield* matchNames(text, /^\| `(?:-[a-z], )?(--[a-z-]+)/gm, `subcommand ${name} `);
    }
    for (const [row] of text.matchAll(/^\| `\/[^|]*\|/gm)) yield* matchNames(row, /`(\/[a-z]+)/g, "command ");
  }
}

function matchNames(text: string, pattern: RegExp, prefix: string): readonly string[] {
  return Array.from(text.matchAll(pattern), ([, name]) => `${prefix}${name}`);
}

function readSettingsPage(page: string): readonly string[] {
  return matchNames(
    readGeneratedPart(page, "settings") + readGeneratedPart(page, "settings-overrides"),
    /^\| `([\w.*]+)` \|/gm,
    "setting ",
  );
}

function readEventsPage(page: string): readonly string[] {
  return readTableNames(page, "events", "event ");
}

/** The first column of a table. */
function readTableNames(page: string, table: string, prefix: string): readonly string[] {
  return matchNames(readGeneratedPart(page, table), /^\| `([a-z_]+)` \|/gm, prefix);
}

/** The part of a page that is generated from a table of the program. */
function readGeneratedPart(page: string, name: string): string {
  return page.split(`<!-- generated: ${name} -->`)[1]?.split("<!-- end -->")[0] ?? "";
}

/** One run of the program, as `packages/cli/test/inventory` records it. */
interface RecordedRun {
  readonly args: readonly string[];
  /** The texts of its settings files. */
  readonly settings: readonly string[];
  /** The types of the events that it emitted. */
  readonly events: readonly string[];
  /** The types of the RPC commands it answered. */
  readonly rpc?: readonly string[];
  /** The names of the hooks that extensions received. */
  readonly hooks?: readonly string[];
}

function readTriggered(folder: string): ReadonlySet<string> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const lines = names.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  return new Set(lines.flatMap((line) => listUsedNames(JSON.parse(line) as RecordedRun)));
}

function listUsedNames({ args, settings, events, rpc = [], hooks = [] }: RecordedRun): readonly string[] {
  return [
    ...listUsedFlags(args),
    ...settings.flatMap(listSetSettings),
    ...events.map((event) => `event ${event}`),
    ...rpc.map((name) => `rpc ${name}`),
    ...hooks.map((name) => `hook ${name}`),
  ];
}

function listUsedFlags(args: readonly string[]): readonly string[] {
  const subcommand = subcommands.find(({ name }) => `${args.join(" ")} `.startsWith(`${name} `));
  if (subcommand) return listSubcommandFlags(subcommand, args.slice(subcommand.name.split(" ").length));
  const known = Object.entries(flags).map(([name, flag]) => ({
    name,
    short: "short" in flag ? flag.short : undefined,
  }));
  const command = args.flatMap((each) => /^(\/[a-z]+)(?:\s|$)/.exec(each)?.[1] ?? []).filter(isBuiltInCommand);
  return [...listFlags(args, known).map((flag) => `flag --${flag}`), ...command.map((each) => `command ${each}`)];
}

/** Commands of templates and extensions do not count, nor do unknown ones. */
function isBuiltInCommand(call: string): boolean {
  return commands.some(({ name, aliases = [] }) => [name, ...aliases].some((each) => call === `/${each}`));
}

function listSubcommandFlags({ name, flags: ownFlags }: Subcommand, args: readonly string[]): readonly string[] {
  const known = [
    ...Object.entries(ownFlags).map(([flag, { short }]) => ({ name: flag, short })),
    { name: "json", short: undefined },
    { name: "help", short: "h" },
  ];
  return [`subcommand pith ${name}`, ...listFlags(args, known).map((flag) => `subcommand pith ${name} --${flag}`)];
}

interface KnownFlag {
  readonly name: string;
  readonly short: string | undefined;
}

/** `-pc` is two flags. */
function listFlags(args: readonly string[], known: readonly KnownFlag[]): readonly string[] {
  const end = args.indexOf("--");
  const ownArgs = end < 0 ? args : args.slice(0, end);
  return known.flatMap(({ name, short }) => {
    const isUsed = ownArgs.some(
      (each) =>
        each === `--${name}` ||
        each.startsWith(`--${name}=`) ||
        (short !== undefined && /^-[a-z]+$/.test(each) && each.includes(short)),
    );
    return isUsed ? [name] : [];
  });
}

function listSetSettings(text: string): readonly string[] {
  const result = parseJsonc(text);
  if (result.type !== "object") return [];
  const names = listSettingNames(result.value);
  return settingTable.flatMap(({ name }) => {
    const pattern = new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".+")}$`);
    return names.some((each) => pattern.test(each)) ? [`setting ${name}`] : [];
  });
}

/** Nested names are joined by dots. */
function listSettingNames(value: Readonly<Record<string, unknown>>, prefix = ""): readonly string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const fullName = `${prefix}${name}`;
    const isInner = typeof each === "object" && each !== null && !Array.isArray(each);
    return isInner
      ? [fullName, ...listSettingNames(each as Readonly<Record<string, unknown>>, `${fullName}.`)]
      : [fullName];
  });
}

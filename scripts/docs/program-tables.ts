/** Renders the tables about help, commands, settings, keys, events and RPC, from the tables that the program uses. */

import { extensionEventTable } from "@pith/agent";
import { createBudget } from "@pith/context";
import {
  type Command,
  type CompactionSettings,
  commands,
  editorKeys,
  eventTable,
  help,
  keyTable,
  limitsOf,
  policyTable,
  replyTable,
  rpcTable,
  type Setting,
  type Subcommand,
  settingTable,
  spelling,
  subcommands,
  usage,
} from "pith/tables";
import { table } from "./pages.ts";

export const commandTables: Readonly<Record<string, () => string>> = {
  "pith-help": () => block("text", help),
  "subcommands-list": () =>
    table(
      ["", ""],
      subcommands.map(({ name, says }) => [`[\`pith ${name}\`](#${anchor(name)})`, says]),
    ),
  subcommands: () => subcommands.map(section).join("\n\n"),
  "conversation-commands": () => table(["command", "what it does", "for example"], commands.map(row)),
};

function section(subcommand: Subcommand): string {
  const { name, says, more, json, flags, examples } = subcommand;
  const rows = Object.entries(flags).map(([flag, each]) => [`\`${spelling(flag, each).trim()}\``, each.says]);
  return [
    `### pith ${name}`,
    block("text", usage(subcommand)),
    sentence(says),
    ...(more === undefined ? [] : [more]),
    ...(rows.length === 0 ? [] : [table(["flag", ""], rows)]),
    block("text", examples.join("\n")),
    `\`--json\` prints \`${json}\``,
  ].join("\n\n");
}

/** As the pages of the forge make it of a heading. */
function anchor(name: string): string {
  return `pith-${name.replaceAll(" ", "-")}`;
}

function row({ name, aliases = [], takes = "", says, examples = [] }: Command): readonly string[] {
  const names = [name, ...aliases].map((each) => `\`/${each}\``).join(" ");
  const behind = takes === "" ? "" : ` \`${takes}\``;
  return [`${names}${behind}`, says, examples.map((line) => `\`${line}\``).join(" ")];
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export const settingsTables: Readonly<Record<string, () => string>> = {
  settings: () => settingsOf(settingTable.filter(({ name }) => !name.includes("*"))),
  "settings-overrides": () => settingsOf(settingTable.filter(({ name }) => name.includes("*"))),
  policy: () =>
    table(
      ["item", "what it does"],
      policyTable.map(({ name, kind, says }) => [`\`${name}\``, `${says} Write ${kind.write}.`]),
    ),
  "settings-spoken": spokenTable,
  "settings-thresholds": thresholdTable,
};

function settingsOf(settings: readonly Setting[]): string {
  return table(
    ["setting", "what to write", "without it", "what it does", "a project"],
    settings.map((setting) => [
      `\`${setting.name}\``,
      setting.kind.write,
      fallback(setting),
      setting.says,
      typeof setting.project === "string" ? FOR_PROJECT[setting.project] : "only stricter",
    ]),
  );
}

const FOR_PROJECT = { may: "may", never: "never" } as const;

function fallback({ fallback: held }: Setting): string {
  return "value" in held ? `\`${JSON.stringify(held.value)}\`` : held.words;
}

function spokenTable(): string {
  const spoken = settingTable.filter(({ flag, variable }) => flag !== undefined || variable !== undefined);
  return table(
    ["setting", "for one call", "for one shell"],
    spoken.map(({ name, flag, variable }) => [`\`${name}\``, code(flag), code(variable)]),
  );
}

function code(text: string | undefined): string {
  return text === undefined ? "–" : `\`${text}\``;
}

const EXAMPLES: readonly CompactionSettings[] = [
  {},
  { reserveTokens: 40_000 },
  { reserveTokens: 0.1 },
  { thresholdPercent: 72.5 },
  { thresholdTokens: 100_000 },
  { thresholdPercent: 50, thresholdTokens: 90_000 },
  { thresholdPercent: 95 },
  { thresholdPercent: 95, reserveTokens: 0 },
];

/** The numbers that run. */
function thresholdTable(): string {
  const windows = [32_000, 200_000, 1_000_000];
  return table(
    ["`compaction`", ...windows.map((window) => `window of ${window.toLocaleString("en-US")}`)],
    EXAMPLES.map((settings) => [
      `\`${JSON.stringify(settings)}\``,
      ...windows.map((contextWindow) =>
        createBudget(limitsOf(settings)(ANYBODY), { contextWindow }).limit.toLocaleString("en-US"),
      ),
    ]),
  );
}

const ANYBODY = { api: "", provider: "", model: "" };

interface Row {
  readonly id: string;
  readonly keys: readonly string[];
  readonly says: string;
}

export const keyTables: Readonly<Record<string, () => string>> = {
  keys: () => table(["key", "what it does", "its name in the keymap file"], keyTable.map(keyRow)),
  "editor-keys": () => table(["key", "what it does", "its name in the keymap file"], editorKeys.map(keyRow)),
};

function keyRow({ id, keys, says }: Row): readonly string[] {
  return [keys.length === 0 ? "none" : keys.map((key) => `\`${key}\``).join(" "), says, `\`${id}\``];
}

export const eventTables: Readonly<Record<string, () => string>> = {
  events: () => table(["event", "when", "fields"], rows(eventTable)),
  "events-reply": () =>
    table(
      ["when", "event of a reply", "fields"],
      rows(replyTable).map(([name = "", says = "", fields = ""]) => [says, name, fields]),
    ),
  "events-lines": () =>
    ["```json", ...Object.values(eventTable).map(({ example }) => JSON.stringify(example)), "```"].join("\n"),
};

interface EventRow {
  readonly says: string;
  readonly example: object;
}

function rows(all: Readonly<Record<string, EventRow>>): readonly (readonly string[])[] {
  return Object.entries(all).map(([name, { says, example }]) => {
    const fields = Object.keys(example).filter((field) => field !== "type");
    return [`\`${name}\``, says, fields.map((field) => `\`${field}\``).join(" ")];
  });
}

export const rpcTables: Readonly<Record<string, () => string>> = {
  "rpc-commands": () =>
    table(
      ["command", "what it does", "fields", "example"],
      Object.entries(rpcTable).map(([name, row]) => [
        `\`${name}\``,
        row.says,
        fieldsOf(row.fields),
        `\`${JSON.stringify(row.example)}\``,
      ]),
    ),
};

interface Field {
  readonly says: string;
  readonly isOptional?: true;
}

function fieldsOf(fields: Readonly<Record<string, Field>>): string {
  const all = Object.entries(fields).map(
    ([name, { says, isOptional }]) => `\`${name}\`${isOptional ? "?" : ""}: ${says}`,
  );
  return all.join("; ");
}

export const extensionTables: Readonly<Record<string, () => string>> = {
  "extension-events": () => table(["event", "when", "may answer"], extensionRows()),
};

function extensionRows(): readonly (readonly string[])[] {
  return Object.entries(extensionEventTable).map(([name, { says, asks, example }]) => {
    const answer = example === undefined ? "" : `\`${JSON.stringify(example)}\``;
    return [`\`${name}\``, says, answer || (asks ? "nothing; it is waited for" : "nothing")];
  });
}

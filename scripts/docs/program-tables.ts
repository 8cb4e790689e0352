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
import { formatTable } from "./pages.ts";

export const commandTables: Readonly<Record<string, () => string>> = {
  "pith-help": () => codeBlock("text", help),
  "subcommands-list": () =>
    formatTable(
      ["", ""],
      subcommands.map(({ name, says }) => [`[\`pith ${name}\`](#${headingAnchor(name)})`, says]),
    ),
  subcommands: () => subcommands.map(subcommandSection).join("\n\n"),
  "conversation-commands": () => formatTable(["command", "what it does", "for example"], commands.map(commandRow)),
};

function subcommandSection(subcommand: Subcommand): string {
  const { name, says, more, json, flags, examples } = subcommand;
  const rows = Object.entries(flags).map(([flag, each]) => [`\`${spelling(flag, each).trim()}\``, each.says]);
  return [
    `### pith ${name}`,
    codeBlock("text", usage(subcommand)),
    formatSentence(says),
    ...(more === undefined ? [] : [more]),
    ...(rows.length === 0 ? [] : [formatTable(["flag", ""], rows)]),
    codeBlock("text", examples.join("\n")),
    `\`--json\` prints \`${json}\``,
  ].join("\n\n");
}

/** As the pages of the forge make it of a heading. */
function headingAnchor(name: string): string {
  return `pith-${name.replaceAll(" ", "-")}`;
}

function commandRow({ name, aliases = [], takes = "", says, examples = [] }: Command): readonly string[] {
  const names = [name, ...aliases].map((each) => `\`/${each}\``).join(" ");
  const argumentText = takes === "" ? "" : ` \`${takes}\``;
  return [`${names}${argumentText}`, says, examples.map((line) => `\`${line}\``).join(" ")];
}

function formatSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export const settingsTables: Readonly<Record<string, () => string>> = {
  settings: () => settingsRows(settingTable.filter(({ name }) => !name.includes("*"))),
  "settings-overrides": () => settingsRows(settingTable.filter(({ name }) => name.includes("*"))),
  policy: () =>
    formatTable(
      ["item", "what it does"],
      policyTable.map(({ name, kind, says }) => [`\`${name}\``, `${says} Write ${kind.write}.`]),
    ),
  "settings-spoken": flagTable,
  "settings-thresholds": thresholdTable,
};

function settingsRows(settings: readonly Setting[]): string {
  return formatTable(
    ["setting", "what to write", "without it", "what it does", "a project"],
    settings.map((setting) => [
      `\`${setting.name}\``,
      setting.kind.write,
      formatDefault(setting),
      setting.says,
      typeof setting.project === "string" ? PROJECT_RIGHTS[setting.project] : "only stricter",
    ]),
  );
}

const PROJECT_RIGHTS = { may: "may", never: "never" } as const;

function formatDefault({ fallback: defaultValue }: Setting): string {
  return "value" in defaultValue ? `\`${JSON.stringify(defaultValue.value)}\`` : defaultValue.words;
}

function flagTable(): string {
  const settingsWithFlags = settingTable.filter(({ flag, variable }) => flag !== undefined || variable !== undefined);
  return formatTable(
    ["setting", "for one call", "for one shell"],
    settingsWithFlags.map(({ name, flag, variable }) => [`\`${name}\``, formatCode(flag), formatCode(variable)]),
  );
}

function formatCode(text: string | undefined): string {
  return text === undefined ? "–" : `\`${text}\``;
}

const THRESHOLD_EXAMPLES: readonly CompactionSettings[] = [
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
  return formatTable(
    ["`compaction`", ...windows.map((window) => `window of ${window.toLocaleString("en-US")}`)],
    THRESHOLD_EXAMPLES.map((settings) => [
      `\`${JSON.stringify(settings)}\``,
      ...windows.map((contextWindow) =>
        createBudget(limitsOf(settings)(ANY_MODEL), { contextWindow }).limit.toLocaleString("en-US"),
      ),
    ]),
  );
}

const ANY_MODEL = { api: "", provider: "", model: "" };

interface KeyRow {
  readonly id: string;
  readonly keys: readonly string[];
  readonly says: string;
}

export const keyTables: Readonly<Record<string, () => string>> = {
  keys: () => formatTable(["key", "what it does", "its name in the keymap file"], keyTable.map(keyRow)),
  "editor-keys": () => formatTable(["key", "what it does", "its name in the keymap file"], editorKeys.map(keyRow)),
};

function keyRow({ id, keys, says }: KeyRow): readonly string[] {
  return [keys.length === 0 ? "none" : keys.map((key) => `\`${key}\``).join(" "), says, `\`${id}\``];
}

export const eventTables: Readonly<Record<string, () => string>> = {
  events: () => formatTable(["event", "when", "fields"], eventRows(eventTable)),
  "events-reply": () =>
    formatTable(
      ["when", "event of a reply", "fields"],
      eventRows(replyTable).map(([name = "", says = "", fields = ""]) => [says, name, fields]),
    ),
  "events-lines": () =>
    ["```json", ...Object.values(eventTable).map(({ example }) => JSON.stringify(example)), "```"].join("\n"),
};

interface EventRow {
  readonly says: string;
  readonly example: object;
}

function eventRows(events: Readonly<Record<string, EventRow>>): readonly (readonly string[])[] {
  return Object.entries(events).map(([name, { says, example }]) => {
    const fields = Object.keys(example).filter((field) => field !== "type");
    return [`\`${name}\``, says, fields.map((field) => `\`${field}\``).join(" ")];
  });
}

export const rpcTables: Readonly<Record<string, () => string>> = {
  "rpc-commands": () =>
    formatTable(
      ["command", "what it does", "fields", "example"],
      Object.entries(rpcTable).map(([name, row]) => [
        `\`${name}\``,
        row.says,
        formatFields(row.fields),
        `\`${JSON.stringify(row.example)}\``,
      ]),
    ),
};

interface Field {
  readonly says: string;
  readonly isOptional?: true;
}

function formatFields(fields: Readonly<Record<string, Field>>): string {
  const items = Object.entries(fields).map(
    ([name, { says, isOptional }]) => `\`${name}\`${isOptional ? "?" : ""}: ${says}`,
  );
  return items.join("; ");
}

export const extensionTables: Readonly<Record<string, () => string>> = {
  "extension-events": () => formatTable(["event", "when", "may answer"], extensionRows()),
};

function extensionRows(): readonly (readonly string[])[] {
  return Object.entries(extensionEventTable).map(([name, { description, isAwaited, example }]) => {
    const answer = example === undefined ? "" : `\`${JSON.stringify(example)}\``;
    return [`\`${name}\``, description, answer || (isAwaited ? "nothing; it is waited for" : "nothing")];
  });
}

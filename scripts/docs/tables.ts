/**
 * Renders the generated tables of the documents from the values that the code uses: help, commands, settings, keys, events and RPC of the
 * program; limits of compaction, providers and timeouts of the libraries.
 */

import { extensionEventTable } from "@pith/agent";
import { type CompactionLimits, compactionLimits, createBudget } from "@pith/context";
import { compactionLevels } from "@pith/context/host";
import { defaultRequestPolicy, providers } from "@pith/models";
import {
  actionBindings,
  type Command,
  type CompactionSettings,
  commands,
  createLimitsForModel,
  editorBindings,
  eventTable,
  formatFlag,
  formatUsage,
  help,
  policyTable,
  replyTable,
  rpcTable,
  type Setting,
  type Subcommand,
  settingTable,
  subcommands,
} from "pith/tables";

export const commandTables: Readonly<Record<string, () => string>> = {
  "pith-help": () => codeBlock("text", help),
  "subcommands-list": () =>
    formatTable(
      ["", ""],
      subcommands.map(({ name, description }) => [`[\`pith ${name}\`](#${headingAnchor(name)})`, description]),
    ),
  subcommands: () => subcommands.map(subcommandSection).join("\n\n"),
  "conversation-commands": () => formatTable(["command", "what it does", "for example"], commands.map(commandRow)),
};

function subcommandSection(subcommand: Subcommand): string {
  const { name, description, details, jsonShape, flags, examples } = subcommand;
  const rows = Object.entries(flags).map(([flag, each]) => [`\`${formatFlag(flag, each).trim()}\``, each.description]);
  return [
    `### pith ${name}`,
    codeBlock("text", formatUsage(subcommand)),
    formatSentence(description),
    ...(details === undefined ? [] : [details]),
    ...(rows.length === 0 ? [] : [formatTable(["flag", ""], rows)]),
    codeBlock("text", examples.join("\n")),
    `\`--json\` prints \`${jsonShape}\``,
  ].join("\n\n");
}

/** The anchor that GitHub gives to a heading. */
function headingAnchor(name: string): string {
  return `pith-${name.replaceAll(" ", "-")}`;
}

function commandRow({ name, aliases = [], argumentHint = "", description, examples = [] }: Command): readonly string[] {
  const names = [name, ...aliases].map((each) => `\`/${each}\``).join(" ");
  const argumentText = argumentHint === "" ? "" : ` \`${argumentHint}\``;
  return [`${names}${argumentText}`, description, examples.map((line) => `\`${line}\``).join(" ")];
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
      policyTable.map(({ name, kind, description }) => [`\`${name}\``, `${description} Write ${kind.expected}.`]),
    ),
  "settings-spoken": flagTable,
  "settings-thresholds": thresholdTable,
};

function settingsRows(settings: readonly Setting[]): string {
  return formatTable(
    ["setting", "value", "default", "description", "in project settings"],
    settings.map((setting) => [
      `\`${setting.name}\``,
      setting.kind.expected,
      formatDefault(setting),
      setting.description,
      typeof setting.projectAccess === "string" ? PROJECT_RIGHTS[setting.projectAccess] : "stricter only",
    ]),
  );
}

const PROJECT_RIGHTS = { allowed: "yes", never: "no" } as const;

function formatDefault({ fallback: defaultValue }: Setting): string {
  return "value" in defaultValue ? `\`${JSON.stringify(defaultValue.value)}\`` : defaultValue.description;
}

function flagTable(): string {
  const settingsWithFlags = settingTable.filter(({ flag, variable }) => flag !== undefined || variable !== undefined);
  return formatTable(
    ["setting", "flag", "environment variable"],
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

function thresholdTable(): string {
  const windows = [32_000, 200_000, 1_000_000];
  return formatTable(
    ["`compaction`", ...windows.map((window) => `${window.toLocaleString("en-US")}-token window`)],
    THRESHOLD_EXAMPLES.map((settings) => [
      `\`${JSON.stringify(settings)}\``,
      ...windows.map((contextWindow) =>
        createBudget(createLimitsForModel(settings)(ANY_MODEL), { contextWindow }).limit.toLocaleString("en-US"),
      ),
    ]),
  );
}

const ANY_MODEL = { api: "", provider: "", model: "" };

interface KeyRow {
  readonly id: string;
  readonly keys: readonly string[];
  readonly description: string;
}

export const keyTables: Readonly<Record<string, () => string>> = {
  keys: () => formatTable(["key", "what it does", "its name in the keymap file"], actionBindings.map(keyRow)),
  "editor-keys": () => formatTable(["key", "what it does", "its name in the keymap file"], editorBindings.map(keyRow)),
};

function keyRow({ id, keys, description }: KeyRow): readonly string[] {
  return [keys.length === 0 ? "none" : keys.map((key) => `\`${key}\``).join(" "), description, `\`${id}\``];
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
  readonly description: string;
  readonly example: object;
}

function eventRows(events: Readonly<Record<string, EventRow>>): readonly (readonly string[])[] {
  return Object.entries(events).map(([name, { description, example }]) => {
    const fields = Object.keys(example).filter((field) => field !== "type");
    return [`\`${name}\``, description, fields.map((field) => `\`${field}\``).join(" ")];
  });
}

export const rpcTables: Readonly<Record<string, () => string>> = {
  "rpc-commands": () =>
    formatTable(
      ["command", "what it does", "fields", "example"],
      Object.entries(rpcTable).map(([name, row]) => [
        `\`${name}\``,
        row.description,
        formatFields(row.fields),
        `\`${JSON.stringify(row.example)}\``,
      ]),
    ),
};

interface Field {
  readonly requirement: string;
  readonly isOptional?: true;
}

function formatFields(fields: Readonly<Record<string, Field>>): string {
  const items = Object.entries(fields).map(
    ([name, { requirement, isOptional }]) => `\`${name}\`${isOptional ? "?" : ""}: ${requirement}`,
  );
  return items.join("; ");
}

export const extensionTables: Readonly<Record<string, () => string>> = {
  "extension-events": () => formatTable(["event", "when", "result"], extensionRows()),
};

function extensionRows(): readonly (readonly string[])[] {
  return Object.entries(extensionEventTable).map(([name, { description, isAwaited, example }]) => {
    const answer = example === undefined ? "" : `\`${JSON.stringify(example)}\``;
    return [`\`${name}\``, description, answer || (isAwaited ? "none; Pith waits for the handlers" : "none")];
  });
}

export const compactionTables: Readonly<Record<string, () => string>> = {
  "compaction-defaults": () => defaultsTable(compactionLimits),
  "compaction-windows": () => windowsTable(compactionLimits),
  "compaction-levels": compactionLevelTable,
};

function defaultsTable(limits: CompactionLimits): string {
  const formatAmount = ({ tokens, share }: CompactionLimits["tail"]): string =>
    `min(${formatNumber(tokens)}, ${formatPercent(share)} of the window)`;
  const { tokens: reserve = 0 } = Object(limits.thresholds[0]?.reserve);
  return formatTable(
    ["limit in the library", "in settings.json", "default", "description"],
    [
      ["`enabled`", "`compaction.enabled`", String(limits.enabled), "whether sessions are compacted automatically"],
      [
        "`thresholds`",
        "`compaction.reserveTokens`, `.thresholdPercent`, `.thresholdTokens`",
        `window − min(${formatNumber(reserve)}, ${formatPercent(limits.largestReserve)} of the window)`,
        "the compaction threshold: a context with more tokens is compacted; the lowest threshold that applies is used",
      ],
      [
        "`soft`",
        "`compaction.softPercent`",
        `${formatPercent(limits.soft)} of the threshold`,
        "above this, a notice says that a compaction is near",
      ],
      [
        "`tail`",
        "`compaction.keepRecentTokens`",
        formatAmount(limits.tail),
        "the newest part of the conversation, kept unchanged",
      ],
      [
        "`outdated`",
        "`compaction.removeOutdated`",
        `${limits.outdated.enabled}; at least ${formatAmount(limits.outdated.minimum)}; after ${limits.outdated.cacheLifetime / 60_000} min (Anthropic: 5 min)`,
        "whether [outdated tool results](#outdated-tool-results) are removed, how much a removal must free, and after how long without a request",
      ],
      ["`userMessages`", "–", formatAmount(limits.userMessages), "your earlier messages, word for word"],
      ["`checkpoint`", "–", formatAmount(limits.checkpoint), "the summary and the facts that Pith recorded, together"],
      ["`branch`", "–", formatAmount(limits.branch), "the summary of an abandoned branch"],
      [
        "`shortenedMessage`",
        "–",
        formatAmount(limits.shortenedMessage),
        "what is shown of one result or paste that is too large for the kept part",
      ],
      [
        "`requestSize`",
        "–",
        `${formatPercent(limits.requestSize.share)} of ${limits.requestSize.bytes / 1024 / 1024} MiB`,
        "a request with more bytes than this triggers a compaction",
      ],
      [
        "`progress`",
        "–",
        formatPercent(limits.progress),
        "a compaction that frees less than this counts as unsuccessful",
      ],
      [
        "`maxWithoutProgress`",
        "–",
        String(limits.maxWithoutProgress),
        "the number of unsuccessful compactions in a row after which automatic compaction stops",
      ],
      [
        "`quietAfterUndo`",
        "–",
        `${formatPercent(limits.quietAfterUndo)} of the window`,
        "how much the context must grow after an undo before it is compacted automatically",
      ],
      [
        "`summaryTime`",
        "`firstTokenMinutes`",
        Object.values(limits.summaryTime).map(formatSeconds).join(", "),
        "timeouts for a summary: until the first token, between tokens, per attempt, in total",
      ],
      [
        "`hourly`",
        "–",
        `${limits.hourly.calls} calls, $${limits.hourly.cost}`,
        "what summaries may cost within an hour; beyond that, they are built without a model",
      ],
    ],
  );
}

function windowsTable(limits: CompactionLimits): string {
  const windowSizes = [8_000, 32_000, 128_000, 200_000, 1_000_000];
  const rows = windowSizes.map((contextWindow) => {
    const { limit, tail, userMessages, checkpoint, shortenedMessage } = createBudget(limits, { contextWindow });
    return [contextWindow, limit, tail, userMessages, checkpoint, shortenedMessage].map(formatNumber);
  });
  return formatTable(
    [
      "window",
      "compaction threshold",
      "kept part (`tail`)",
      "your messages (`userMessages`)",
      "`checkpoint`",
      "`shortenedMessage`",
    ],
    rows,
  );
}

function compactionLevelTable(): string {
  const rows = compactionLevels.map(({ name, tailShare, summaryShare, shortenAbove }) => [
    name,
    tailShare === 0 ? "none" : formatPercent(tailShare),
    formatPercent(summaryShare),
    tailShare === 0 ? "–" : `above ${formatPercent(shortenAbove)} of the kept part`,
  ]);
  return formatTable(["compaction level", "kept part", "summary message", "results are shortened"], rows);
}

const formatNumber = (value: number): string => value.toLocaleString("en-US");
const formatPercent = (share: number): string => `${Math.round(share * 100)}%`;

export const modelTables: Readonly<Record<string, () => string>> = {
  "model-providers": providerTable,
  "model-patience": timeoutTable,
};

function providerTable(): string {
  return formatTable(
    ["`provider`", "protocol", "address", "key"],
    providers.map(({ id, api, baseUrl, keyVariables, isLocal }) => [
      `\`${id}\``,
      api,
      baseUrl ?? (id === "openai-compatible" ? "the `baseUrl` you give" : "the address in its package"),
      keyVariables.length === 0
        ? isLocal
          ? "none"
          : "`apiKey`, if the server needs one"
        : keyVariables.map((key) => `\`${key}\``).join(" or "),
    ]),
  );
}

function timeoutTable(): string {
  const { retries, maxTotalWaitMs, firstWaitMs, maxWaitMs, firstTokenTimeoutMs, idleTimeoutMs } = defaultRequestPolicy;
  return formatTable(
    ["setting", "default", "what it is"],
    [
      ["`retries`", String(retries), "how many times a request is retried"],
      [
        "`maxTotalWaitMs`",
        formatSeconds(maxTotalWaitMs),
        "total time spent waiting between retries; if the provider asks for a longer wait, the request fails at once",
      ],
      ["`firstWaitMs`", formatSeconds(firstWaitMs), "longest first wait; each later wait can be up to twice as long"],
      ["`maxWaitMs`", formatSeconds(maxWaitMs), "longest wait that the provider did not ask for"],
      [
        "`firstTokenTimeoutMs`",
        formatSeconds(firstTokenTimeoutMs),
        "longest time until the first token; a local model may need minutes to read a long prompt",
      ],
      [
        "`idleTimeoutMs`",
        formatSeconds(idleTimeoutMs),
        "longest time without data after the first token; then the connection counts as lost",
      ],
    ],
  );
}

function formatSeconds(ms: number): string {
  return `${ms / 1000} s`;
}

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(formatCell).join(" | ")} |`).join("\n");
}

function formatCell(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

/** Lists every setting. Validation, messages, the JSON Schema, the documentation and `/settings` are generated from this table. */

import {
  agentNameKind,
  allowStricter,
  booleanKind,
  countKind,
  defaultTools,
  enumKind,
  gigabytesKind,
  isToolSubset,
  minutesKind,
  modelChoiceKind,
  modelChoicesKind,
  modelNameKind,
  nameListKind,
  percentKind,
  type Setting,
  textKind,
  tokenCountKind,
  tokensOrShareKind,
  toolNamesKind,
  urlKind,
  type ValueKind,
} from "./definitions.ts";

const serverNameKind: ValueKind = {
  isValid: (value) => typeof value === "string" && /^[a-z\d][\w-]{0,39}$/i.test(value),
  expected: "a name of letters, digits, - and _, such as github",
  schema: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$" },
};

const argumentListKind: ValueKind = {
  isValid: (value) => Array.isArray(value) && value.every((word) => typeof word === "string"),
  expected: 'a list of strings, such as ["-y", "some-server"]',
  schema: { type: "array", items: { type: "string" } },
};

function stringRecordKind(expected: string): ValueKind {
  return {
    isValid: (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((text) => typeof text === "string"),
    expected,
    schema: { type: "object", patternProperties: { "": { type: "string" } } },
  };
}

const serverSettings: readonly Pick<Setting, "name" | "kind" | "fallback" | "description" | "isHidden">[] = [
  {
    name: "command",
    kind: textKind,
    fallback: { description: "none" },
    description: "The program to start as the server.",
  },
  { name: "args", kind: argumentListKind, fallback: { value: [] }, description: "The program's arguments." },
  {
    name: "env",
    kind: stringRecordKind('an object with string values, such as { "REGION": "eu" }'),
    fallback: { value: {} },
    description:
      "Environment variables for the program. It inherits only a few of yours, such as `PATH` and `HOME`, and never an API key.",
    isHidden: true,
  },
  {
    name: "cwd",
    kind: textKind,
    fallback: { description: "a separate folder, `~/.pith/mcp/NAME`" },
    description: "The program's working folder: an absolute path, or a path that starts with `~/`.",
  },
  {
    name: "hosts",
    kind: nameListKind('a list of hosts, such as ["api.example.com", "*.example.com"]'),
    fallback: { value: [] },
    description: "Hosts the program may connect to without asking. Pith asks about all other hosts.",
  },
  {
    name: "folders",
    kind: nameListKind('a list of folders, such as ["~/notes"]'),
    fallback: { value: [] },
    description:
      "Folders the program may read and write in addition to its own: absolute paths, or paths that start with `~/`.",
  },
  {
    name: "sandbox",
    kind: enumKind("on", "off"),
    fallback: { description: "the value of `sandbox`" },
    description:
      "Whether the program runs in its own sandbox, if one is available. With `off`, it runs with your full user permissions.",
  },
  {
    name: "url",
    kind: urlKind,
    fallback: { description: "none" },
    description: "The URL of the server, if it is not a program. It must use https or be on this machine.",
  },
  {
    name: "headers",
    kind: stringRecordKind('an object with string values, such as { "X-Team": "docs" }'),
    fallback: { value: {} },
    description: "Headers to send with every request to `url`.",
    isHidden: true,
  },
  { name: "enabled", kind: booleanKind, fallback: { value: true }, description: "Whether the server is used." },
];

/** Only the user's settings file may set these, never a project's. */
const mcpServerTable: readonly Setting[] = serverSettings.map((row) => ({
  ...row,
  name: `mcpServers.*.${row.name}`,
  nameKind: serverNameKind,
  projectAccess: "never",
}));

const onOffKind = enumKind("on", "off");

/** Strictest first. `on` is the old name of `hosts`. */
const NETWORK_MODES: readonly unknown[] = ["off", "hosts", "open"];

const networkKind: ValueKind = {
  ...enumKind("off", "hosts", "open"),
  isValid: (value) => NETWORK_MODES.includes(value) || value === "on",
};

function rankNetwork(value: unknown): number {
  return NETWORK_MODES.indexOf(value === "on" ? "hosts" : value);
}

/** The settings that can also be set for one model or one agent. */
const overridableSettings: readonly Setting[] = [
  {
    name: "reserveTokens",
    kind: tokensOrShareKind(16_384, 0.1),
    fallback: { value: 16_384 },
    description: "How many tokens of the context window to keep free, at most a quarter of the window.",
    projectAccess: "allowed",
  },
  {
    name: "keepRecentTokens",
    kind: tokensOrShareKind(20_000, 0.1),
    fallback: { value: 20_000 },
    description:
      "How many tokens at the end of the context a compaction keeps unchanged, at most a fifth of the window.",
    projectAccess: "allowed",
  },
  {
    name: "thresholdPercent",
    kind: percentKind(72.5),
    fallback: { description: "none" },
    description:
      "The compaction threshold, as a percentage of the context window. Pith compacts a context that exceeds it.",
    projectAccess: "allowed",
  },
  {
    name: "thresholdTokens",
    kind: tokenCountKind(100_000),
    fallback: { description: "none" },
    description: "The compaction threshold, in tokens. Pith compacts a context that exceeds it.",
    projectAccess: "allowed",
  },
];

const compactionTable: readonly Setting[] = [
  {
    name: "compaction.enabled",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether Pith compacts automatically. `/compact` works either way.",
    projectAccess: "allowed",
    flag: "--no-auto-compact",
    variable: "PITH_DISABLE_AUTOCOMPACT",
  },
  ...overridableSettings.map((setting) => ({ ...setting, name: `compaction.${setting.name}` })),
  {
    name: "compaction.softPercent",
    kind: percentKind(80),
    fallback: { value: 80 },
    description: "Warn when the context reaches this percentage of the compaction threshold.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.prepare",
    kind: booleanKind,
    fallback: { value: true },
    description:
      "Whether Pith prepares the summary of an automatic compaction in the background shortly before the context is full, so that you don't have to wait for it. With a local server, it does so only while the agent is idle. Always off if automatic compaction is off or `compaction.ask` is on.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.removeOutdated",
    kind: booleanKind,
    fallback: { value: true },
    description:
      "Whether Pith removes outdated tool results from the context, such as a read of a file that was read again later. `/undo` brings them back.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.instructions",
    kind: textKind,
    fallback: { description: "none" },
    description: "What every summary should focus on, including summaries written by automatic compactions.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.rereadFiles",
    kind: booleanKind,
    fallback: { value: true },
    description:
      "Whether Pith rereads the files in use after a compaction: at most five files, and at most 5% of the window in total.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.ask",
    kind: booleanKind,
    fallback: { value: false },
    description:
      "Whether Pith asks before it compacts automatically. If Pith cannot ask you (as with `-p`), it compacts without asking.",
    projectAccess: "never",
  },
  {
    name: "compaction.model",
    kind: modelChoicesKind,
    fallback: { description: "the current model" },
    description:
      "The models that write summaries. The current model is tried last. `none` ends the list: if no model before it writes a summary, Pith builds one without a model.",
    projectAccess: "never",
  },
  {
    name: "compaction.modelOrder",
    kind: enumKind("listed", "cheapest"),
    fallback: { value: "listed" },
    description:
      "The order in which the models in `compaction.model` and the current model are tried: as listed, or by estimated price. The current model is often the cheapest, because it has the conversation in its cache.",
    projectAccess: "never",
  },
  ...createOverrideSettings("compaction.modelOverrides", {
    description: "for this model only, named as `provider/model`",
    nameKind: modelNameKind,
  }),
  ...createOverrideSettings("compaction.agentOverrides", {
    description: "for this agent only",
    nameKind: agentNameKind,
  }),
  {
    name: "branchSummary.reserveTokens",
    kind: tokensOrShareKind(16_384, 0.1),
    fallback: { value: 16_384 },
    description:
      "How many tokens of the context window to keep free when Pith summarizes a branch you leave, at most a quarter of the window. If the branch is too long, only its newest part is summarized.",
    projectAccess: "allowed",
  },
  {
    name: "branchSummary.skipPrompt",
    kind: booleanKind,
    fallback: { value: false },
    description:
      "Whether Pith skips asking about a summary when you leave a branch. If it does, no summary is written.",
    projectAccess: "never",
  },
];

interface OverrideScope {
  readonly description: string;
  readonly nameKind: ValueKind;
}

function createOverrideSettings(group: string, { description, nameKind }: OverrideScope): readonly Setting[] {
  return overridableSettings.map(({ name, kind, projectAccess }) => ({
    name: `${group}.*.${name}`,
    kind,
    nameKind,
    fallback: { description: `\`compaction.${name}\`` },
    description: `\`${name}\` ${description}.`,
    projectAccess,
  }));
}

export const settingTable: readonly Setting[] = [
  {
    name: "model",
    kind: modelChoiceKind,
    fallback: { description: "the default model of the first provider with a key" },
    description: "The model to use: `provider/model`, or part of its name (the newest match is used).",
    projectAccess: "never",
    flag: "--model",
    variable: "PITH_MODEL",
  },
  {
    name: "baseUrl",
    kind: urlKind,
    fallback: { description: "the provider's own URL" },
    description: "The base URL for the model's provider.",
    projectAccess: "never",
    flag: "--base-url",
  },
  {
    name: "thinking",
    kind: enumKind("off", "minimal", "low", "medium", "high", "xhigh", "max"),
    fallback: { description: "`medium` in a new session, if the model supports thinking" },
    description: "How much the model thinks before it answers.",
    projectAccess: "allowed",
    flag: "--thinking",
    variable: "PITH_THINKING",
  },
  {
    name: "permissionMode",
    kind: enumKind("ask", "edit", "plan", "all"),
    fallback: { value: "edit" },
    description:
      "What Pith may do without asking: `plan` changes nothing; `ask` asks before it changes a file, runs a command or opens a page; `edit` changes files in the workspace and runs commands in the sandbox; `all` asks only about new hosts, secrets, ports, protected files, files outside the workspace, and commands outside the sandbox.",
    projectAccess: allowStricter("plan", "ask", "edit", "all"),
    flag: "--permission-mode",
    variable: "PITH_PERMISSION_MODE",
  },
  {
    name: "sandbox",
    kind: onOffKind,
    fallback: { value: "on" },
    description: "Whether commands run in a sandbox, if one is available.",
    projectAccess: allowStricter("on", "off"),
    flag: "--sandbox",
    variable: "PITH_SANDBOX",
  },
  {
    name: "network",
    kind: networkKind,
    fallback: { value: "hosts" },
    description:
      "What sandboxed commands can reach: nothing (`off`), hosts you allow (`hosts`), or any public host (`open`).",
    projectAccess: (value, userValue) => rankNetwork(value) <= rankNetwork(userValue),
    flag: "--network",
    variable: "PITH_NETWORK",
  },
  {
    name: "tools",
    kind: toolNamesKind,
    fallback: { value: defaultTools },
    description: 'The tools the model can use. `["all"]` enables every built-in tool.',
    projectAccess: isToolSubset,
    flag: "--tools",
  },
  {
    name: "contextWindow",
    kind: tokenCountKind(128_000),
    fallback: { description: "the model's context window" },
    description: "The maximum number of tokens in a request, even if the model supports more.",
    projectAccess: "allowed",
  },
  {
    name: "firstTokenMinutes",
    kind: minutesKind(20),
    fallback: { value: 10 },
    description:
      "How many minutes to wait for the first token of an answer or a summary. Raise it for a slow local model.",
    projectAccess: "never",
  },
  {
    name: "fetchHosts",
    kind: nameListKind('a list of hosts, such as ["localhost:5173"]'),
    fallback: { value: [] },
    description: "Hosts that may be fetched even if they are on your private network.",
    projectAccess: "never",
  },
  {
    name: "sandboxRead",
    kind: nameListKind('a list of paths, such as ["~/code/shared-library"]'),
    fallback: { value: [] },
    description:
      "Files and folders in your home folder or beside the workspace that sandboxed commands can read but not change. Known locations of secrets stay hidden.",
    projectAccess: "never",
  },
  {
    name: "sandboxWrite",
    kind: nameListKind('a list of paths, such as ["~/code/sister-project"]'),
    fallback: { value: [] },
    description: "Files and folders that sandboxed commands may change in addition to the workspace.",
    projectAccess: "never",
  },
  {
    name: "sandboxEnvironment",
    kind: nameListKind('a list of environment variable names, such as ["DATABASE_URL"]'),
    fallback: { value: [] },
    description:
      "Environment variables that sandboxed commands can read even if their names or values look like secrets. Model providers' API keys are never passed.",
    projectAccess: "never",
  },
  {
    name: "unixSockets",
    kind: onOffKind,
    fallback: { value: "off" },
    description:
      "Whether sandboxed commands may connect to the machine's Unix sockets that they see. They always have their own. Sockets in `/run` stay hidden.",
    projectAccess: "never",
  },
  {
    name: "sandboxMemoryGB",
    kind: gigabytesKind(8),
    fallback: { description: "80% of the machine's memory" },
    description:
      "How many gigabytes of memory all processes of a sandboxed command, or of an MCP server, may use together. Beyond that it is killed.",
    projectAccess: "never",
  },
  {
    name: "sandboxProcesses",
    kind: countKind("processes", { min: 16, example: 1_000 }),
    fallback: { value: 4_096 },
    description:
      "How many processes and threads a sandboxed command, or an MCP server, may have at once. Beyond that it is killed.",
    projectAccess: "never",
  },
  {
    name: "sandboxTmpGB",
    kind: gigabytesKind(20),
    fallback: { value: 10 },
    description:
      "How many gigabytes the files in the private `/tmp` of sandboxed commands may have. A command that writes more is killed.",
    projectAccess: "never",
  },
  {
    name: "contextFiles",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether Pith reads AGENTS.md and CLAUDE.md.",
    projectAccess: allowStricter(false, true),
    flag: "--no-context-files",
  },
  {
    name: "skills",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether skills are loaded and offered to the model.",
    projectAccess: allowStricter(false, true),
    flag: "--no-skills",
  },
  {
    name: "extensions",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether extensions are loaded, including those that come with Pith: sub-agents and MCP servers.",
    projectAccess: allowStricter(false, true),
    flag: "--no-extensions",
  },
  {
    name: "plain",
    kind: booleanKind,
    fallback: { description: "false, or true if `TERM=dumb`" },
    description:
      "Whether an interactive session prints plain lines, for screen readers: nothing is redrawn, and you answer questions by number.",
    projectAccess: "never",
    flag: "--plain",
  },
  ...compactionTable,
  {
    name: "notify",
    kind: enumKind("off", "bell", "desktop"),
    fallback: { value: "bell" },
    description:
      "How Pith notifies you when it needs an answer or finishes a long task while the terminal is not focused.",
    projectAccess: "never",
  },
  {
    name: "theme",
    kind: enumKind("auto", "dark", "light"),
    fallback: { value: "auto" },
    description:
      "The screen colors: `dark` and `light` are for dark and light terminals; `auto` detects which kind you have. `NO_COLOR` turns off all colors.",
    projectAccess: "never",
  },
  {
    name: "auditLog",
    kind: booleanKind,
    fallback: { value: true },
    description:
      "Whether permission decisions are recorded in `~/.pith/audit`: who allowed or denied what, and by which rule. The log contains no secrets.",
    projectAccess: "never",
  },
  {
    name: "secrets.redact",
    kind: onOffKind,
    fallback: { value: "on" },
    description: "Whether secrets are removed from everything that is sent or written.",
    projectAccess: "never",
  },
  {
    name: "secrets.also",
    kind: nameListKind('a list of environment variable names, such as ["COMPANY_PIN"]'),
    fallback: { value: [] },
    description: "Additional environment variables whose values are secrets, regardless of their names.",
    projectAccess: "never",
  },
  ...mcpServerTable,
];

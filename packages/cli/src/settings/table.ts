/** Lists every setting. Validation, messages, the JSON Schema, the documentation and `/settings` are generated from this table. */

import {
  agentNameKind,
  allowStricter,
  booleanKind,
  defaultTools,
  enumKind,
  isToolSubset,
  minutesKind,
  modelNameKind,
  modelNamesKind,
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
  expected: 'a list of texts, such as ["-y", "some-server"]',
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
    description: "The program that is the server.",
  },
  { name: "args", kind: argumentListKind, fallback: { value: [] }, description: "What the program is started with." },
  {
    name: "env",
    kind: stringRecordKind('names with texts, such as { "REGION": "eu" }'),
    fallback: { value: {} },
    description: "Variables for the program; of yours it gets only a few, such as `PATH` and `HOME`, and never a key.",
    isHidden: true,
  },
  {
    name: "cwd",
    kind: textKind,
    fallback: { description: "a folder of its own, `~/.pith/mcp/NAME`" },
    description: "The folder in which the program starts; a whole path, or one that begins with `~/`.",
  },
  {
    name: "hosts",
    kind: nameListKind('hosts, such as ["api.example.com", "*.example.com"]'),
    fallback: { value: [] },
    description: "Hosts that the program may reach without a question; others are asked about.",
  },
  {
    name: "folders",
    kind: nameListKind('folders, such as ["~/notes"]'),
    fallback: { value: [] },
    description:
      "Folders that the program sees and may write, beside its own; whole paths, or such as begin with `~/`.",
  },
  {
    name: "sandbox",
    kind: enumKind("on", "off"),
    fallback: { description: "what `sandbox` says" },
    description:
      "Whether the program runs in a sandbox of its own, where the machine has one; `off` gives it all your rights.",
  },
  {
    name: "url",
    kind: urlKind,
    fallback: { description: "none" },
    description: "Where the server is reached, if it is no program; with https, or on this machine.",
  },
  {
    name: "headers",
    kind: stringRecordKind('names with texts, such as { "X-Team": "docs" }'),
    fallback: { value: {} },
    description: "Headers of every request to `url`.",
    isHidden: true,
  },
  { name: "enabled", kind: booleanKind, fallback: { value: true }, description: "Whether the server is there." },
];

/** Only the user's settings file may set these, never a project's. */
export const mcpServerTable: readonly Setting[] = serverSettings.map((row) => ({
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
    description: "Tokens of the window that stay free; never more than a quarter of it.",
    projectAccess: "allowed",
  },
  {
    name: "keepRecentTokens",
    kind: tokensOrShareKind(20_000, 0.1),
    fallback: { value: 20_000 },
    description: "Tokens at the end that stay as they were said; never more than a fifth of the window.",
    projectAccess: "allowed",
  },
  {
    name: "thresholdPercent",
    kind: percentKind(72.5),
    fallback: { description: "none" },
    description: "More than this percentage of the window is too much.",
    projectAccess: "allowed",
  },
  {
    name: "thresholdTokens",
    kind: tokenCountKind(100_000),
    fallback: { description: "none" },
    description: "More tokens than this are too much.",
    projectAccess: "allowed",
  },
];

export const compactionTable: readonly Setting[] = [
  {
    name: "compaction.enabled",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether anything is compacted by itself; `/compact` works all the same.",
    projectAccess: "allowed",
    flag: "--no-auto-compact",
    variable: "PITH_DISABLE_AUTOCOMPACT",
  },
  ...overridableSettings.map((setting) => ({ ...setting, name: `compaction.${setting.name}` })),
  {
    name: "compaction.softPercent",
    kind: percentKind(80),
    fallback: { value: 80 },
    description: "At this percentage of what is too much you are told that it fills up.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.instructions",
    kind: textKind,
    fallback: { description: "none" },
    description: "What every summary should look at, those that nobody asked for too.",
    projectAccess: "allowed",
  },
  {
    name: "compaction.ask",
    kind: booleanKind,
    fallback: { value: false },
    description: "Whether you are asked before anything is compacted by itself; where nobody can be asked, it is.",
    projectAccess: "never",
  },
  {
    name: "compaction.model",
    kind: modelNamesKind,
    fallback: { description: "who speaks" },
    description: "Who writes summaries; of several the first that can, and at last who speaks.",
    projectAccess: "never",
  },
  ...createOverrideSettings("compaction.modelOverrides", {
    description: "for this model alone, named as `provider/model`",
    nameKind: modelNameKind,
  }),
  ...createOverrideSettings("compaction.agentOverrides", {
    description: "for this agent alone",
    nameKind: agentNameKind,
  }),
  {
    name: "branchSummary.reserveTokens",
    kind: tokensOrShareKind(16_384, 0.1),
    fallback: { value: 16_384 },
    description:
      "Tokens of the window that stay free when a left branch is summarised, at most a quarter of it; of a longer branch the newest part is summarised.",
    projectAccess: "allowed",
  },
  {
    name: "branchSummary.skipPrompt",
    kind: booleanKind,
    fallback: { value: false },
    description: "Whether a branch is left without the question if it should be told; then it is not.",
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
    kind: modelNameKind,
    fallback: { description: "the first that your keys allow" },
    description: "Who speaks.",
    projectAccess: "never",
    flag: "--model",
    variable: "PITH_MODEL",
  },
  {
    name: "baseUrl",
    kind: urlKind,
    fallback: { description: "the provider's own" },
    description: "Where the provider of `model` is reached.",
    projectAccess: "never",
    flag: "--base-url",
  },
  {
    name: "thinking",
    kind: enumKind("off", "minimal", "low", "medium", "high", "xhigh", "max"),
    fallback: { description: "what the model does by itself" },
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
      "What may be done without a question: `plan` only looks, `edit` changes files of the folder, `all` does everything that the sandbox holds.",
    projectAccess: allowStricter("plan", "ask", "edit", "all"),
    flag: "--permission-mode",
    variable: "PITH_PERMISSION_MODE",
  },
  {
    name: "sandbox",
    kind: onOffKind,
    fallback: { value: "on" },
    description: "Whether commands run in a sandbox, where the machine has one.",
    projectAccess: allowStricter("on", "off"),
    flag: "--sandbox",
    variable: "PITH_SANDBOX",
  },
  {
    name: "network",
    kind: networkKind,
    fallback: { value: "hosts" },
    description:
      "What commands in the sandbox reach: nothing (`off`), hosts that you allow (`hosts`), or every public host (`open`).",
    projectAccess: (value, userValue) => rankNetwork(value) <= rankNetwork(userValue),
    flag: "--network",
    variable: "PITH_NETWORK",
  },
  {
    name: "tools",
    kind: toolNamesKind,
    fallback: { value: defaultTools },
    description: 'The tools that the model has; `["all"]` for all.',
    projectAccess: isToolSubset,
    flag: "--tools",
  },
  {
    name: "contextWindow",
    kind: tokenCountKind(128_000),
    fallback: { description: "what the model can see" },
    description: "Tokens that the model is shown at most, whatever it could see.",
    projectAccess: "allowed",
  },
  {
    name: "firstTokenMinutes",
    kind: minutesKind(20),
    fallback: { value: 10 },
    description:
      "Minutes that a model may take until the first token of its answer or of a summary; raise it for a slow local model.",
    projectAccess: "never",
  },
  {
    name: "fetchHosts",
    kind: nameListKind('hosts, such as ["localhost:5173"]'),
    fallback: { value: [] },
    description: "Hosts that may be fetched although they lie in your own network.",
    projectAccess: "never",
  },
  {
    name: "sandboxRead",
    kind: nameListKind('paths, such as ["~/code/shared-library"]'),
    fallback: { value: [] },
    description:
      "Files and folders of your home that sandboxed commands see and cannot change; known places of secrets stay hidden.",
    projectAccess: "never",
  },
  {
    name: "sandboxWrite",
    kind: nameListKind('paths, such as ["~/code/sister-project"]'),
    fallback: { value: [] },
    description: "Files and folders that sandboxed commands may change besides the workspace.",
    projectAccess: "never",
  },
  {
    name: "sandboxEnvironment",
    kind: nameListKind('names of environment variables, such as ["DATABASE_URL"]'),
    fallback: { value: [] },
    description:
      "Environment variables that sandboxed commands see although their names or values look secret; never keys of model providers.",
    projectAccess: "never",
  },
  {
    name: "unixSockets",
    kind: onOffKind,
    fallback: { value: "off" },
    description:
      "Whether sandboxed commands may create and use unix sockets; those of the machine stay hidden in `/run`.",
    projectAccess: "never",
  },
  {
    name: "contextFiles",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether AGENTS.md and CLAUDE.md are read.",
    projectAccess: allowStricter(false, true),
    flag: "--no-context-files",
  },
  {
    name: "skills",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether the model is told of skills.",
    projectAccess: allowStricter(false, true),
    flag: "--no-skills",
  },
  {
    name: "extensions",
    kind: booleanKind,
    fallback: { value: true },
    description: "Whether extensions are loaded, those that come with Pith included: agents and servers of tools.",
    projectAccess: allowStricter(false, true),
    flag: "--no-extensions",
  },
  {
    name: "plain",
    kind: booleanKind,
    fallback: { description: "false, and true where the terminal is dumb" },
    description:
      "Whether a talk is told in plain lines, for screen readers: nothing is drawn anew, questions are answered by number.",
    projectAccess: "never",
    flag: "--plain",
  },
  ...compactionTable,
  {
    name: "notify",
    kind: enumKind("off", "bell", "desktop"),
    fallback: { value: "bell" },
    description: "How you are called when a question waits or long work is done, and you look elsewhere.",
    projectAccess: "never",
  },
  {
    name: "theme",
    kind: enumKind("auto", "dark", "light"),
    fallback: { value: "auto" },
    description:
      "The colours of the screen: `dark` and `light` are made for such terminals, `auto` asks yours. `NO_COLOR` takes all of them away.",
    projectAccess: "never",
  },
  {
    name: "auditLog",
    kind: booleanKind,
    fallback: { value: true },
    description:
      "Whether permissions are recorded in `~/.pith/audit`: who allowed or refused what, by which rule. No secret is in it.",
    projectAccess: "never",
  },
  {
    name: "secrets.redact",
    kind: onOffKind,
    fallback: { value: "on" },
    description: "Whether secrets are taken out of all that is sent or written.",
    projectAccess: "never",
  },
  {
    name: "secrets.also",
    kind: nameListKind('names of environment variables, such as ["COMPANY_PIN"]'),
    fallback: { value: [] },
    description: "Environment variables whose values are secrets, too, whatever their names look like.",
    projectAccess: "never",
  },
  ...mcpServerTable,
];

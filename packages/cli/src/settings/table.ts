/** Lists every setting. Checks, messages, the JSON Schema, the documentation and `/settings` are made from this table. */

import { compactionTable } from "./compaction-table.ts";
import {
  address,
  isAmong,
  type Kind,
  minutesSuchAs,
  modelName,
  namesSuchAs,
  oneOf,
  type Setting,
  strictToLoose,
  text,
  tokensSuchAs,
  toolNames,
  usualTools,
  yesOrNo,
} from "./definitions.ts";

const serverName: Kind = {
  fits: (value) => typeof value === "string" && /^[a-z\d][\w-]{0,39}$/i.test(value),
  write: "a name of letters, digits, - and _, such as github",
  schema: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$" },
};

const words: Kind = {
  fits: (value) => Array.isArray(value) && value.every((word) => typeof word === "string"),
  write: 'a list of texts, such as ["-y", "some-server"]',
  schema: { type: "array", items: { type: "string" } },
};

function textsByName(write: string): Kind {
  return {
    fits: (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => typeof each === "string"),
    write,
    schema: { type: "object", patternProperties: { "": { type: "string" } } },
  };
}

const rows: readonly Pick<Setting, "name" | "kind" | "fallback" | "says" | "isHidden">[] = [
  { name: "command", kind: text, fallback: { words: "none" }, says: "The program that is the server." },
  { name: "args", kind: words, fallback: { value: [] }, says: "What the program is started with." },
  {
    name: "env",
    kind: textsByName('names with texts, such as { "REGION": "eu" }'),
    fallback: { value: {} },
    says: "Variables for the program; of yours it gets only a few, such as `PATH` and `HOME`, and never a key.",
    isHidden: true,
  },
  {
    name: "cwd",
    kind: text,
    fallback: { words: "a folder of its own, `~/.pith/mcp/NAME`" },
    says: "The folder in which the program starts; a whole path, or one that begins with `~/`.",
  },
  {
    name: "hosts",
    kind: namesSuchAs('hosts, such as ["api.example.com", "*.example.com"]'),
    fallback: { value: [] },
    says: "Hosts that the program may reach without a question; others are asked about.",
  },
  {
    name: "folders",
    kind: namesSuchAs('folders, such as ["~/notes"]'),
    fallback: { value: [] },
    says: "Folders that the program sees and may write, beside its own; whole paths, or such as begin with `~/`.",
  },
  {
    name: "sandbox",
    kind: oneOf("on", "off"),
    fallback: { words: "what `sandbox` says" },
    says: "Whether the program runs in a sandbox of its own, where the machine has one; `off` gives it all your rights.",
  },
  {
    name: "url",
    kind: address,
    fallback: { words: "none" },
    says: "Where the server is reached, if it is no program; with https, or on this machine.",
  },
  {
    name: "headers",
    kind: textsByName('names with texts, such as { "X-Team": "docs" }'),
    fallback: { value: {} },
    says: "Headers of every request to `url`.",
    isHidden: true,
  },
  { name: "enabled", kind: yesOrNo, fallback: { value: true }, says: "Whether the server is there." },
];

/** Only the user's own file may set these, never a project's. */
export const serverTable: readonly Setting[] = rows.map((row) => ({
  ...row,
  name: `mcpServers.*.${row.name}`,
  names: serverName,
  project: "never",
}));

const switches = oneOf("on", "off");

/** The strictest first; `on`, as it was called once, is `hosts`. */
const NETWORKS: readonly unknown[] = ["off", "hosts", "open"];
const networks: Kind = {
  ...oneOf("off", "hosts", "open"),
  fits: (value) => NETWORKS.includes(value) || value === "on",
};

function networkRank(value: unknown): number {
  return NETWORKS.indexOf(value === "on" ? "hosts" : value);
}

export const settingTable: readonly Setting[] = [
  {
    name: "model",
    kind: modelName,
    fallback: { words: "the first that your keys allow" },
    says: "Who speaks.",
    project: "never",
    flag: "--model",
    variable: "PITH_MODEL",
  },
  {
    name: "baseUrl",
    kind: address,
    fallback: { words: "the provider's own" },
    says: "Where the provider of `model` is reached.",
    project: "never",
    flag: "--base-url",
  },
  {
    name: "thinking",
    kind: oneOf("off", "minimal", "low", "medium", "high", "xhigh", "max"),
    fallback: { words: "what the model does by itself" },
    says: "How much the model thinks before it answers.",
    project: "may",
    flag: "--thinking",
    variable: "PITH_THINKING",
  },
  {
    name: "permissionMode",
    kind: oneOf("ask", "edit", "plan", "all"),
    fallback: { value: "edit" },
    says: "What may be done without a question: `plan` only looks, `edit` changes files of the folder, `all` does everything that the sandbox holds.",
    project: strictToLoose("plan", "ask", "edit", "all"),
    flag: "--permission-mode",
    variable: "PITH_PERMISSION_MODE",
  },
  {
    name: "sandbox",
    kind: switches,
    fallback: { value: "on" },
    says: "Whether commands run in a sandbox, where the machine has one.",
    project: strictToLoose("on", "off"),
    flag: "--sandbox",
    variable: "PITH_SANDBOX",
  },
  {
    name: "network",
    kind: networks,
    fallback: { value: "hosts" },
    says: "What commands in the sandbox reach: nothing (`off`), hosts that you allow (`hosts`), or every public host (`open`).",
    project: (value, own) => networkRank(value) <= networkRank(own),
    flag: "--network",
    variable: "PITH_NETWORK",
  },
  {
    name: "tools",
    kind: toolNames,
    fallback: { value: usualTools },
    says: 'The tools that the model has; `["all"]` for all.',
    project: isAmong,
    flag: "--tools",
  },
  {
    name: "contextWindow",
    kind: tokensSuchAs(128_000),
    fallback: { words: "what the model can see" },
    says: "Tokens that the model is shown at most, whatever it could see.",
    project: "may",
  },
  {
    name: "firstTokenMinutes",
    kind: minutesSuchAs(20),
    fallback: { value: 10 },
    says: "Minutes that a model may take until the first token of its answer or of a summary; raise it for a slow local model.",
    project: "never",
  },
  {
    name: "fetchHosts",
    kind: namesSuchAs('hosts, such as ["localhost:5173"]'),
    fallback: { value: [] },
    says: "Hosts that may be fetched although they lie in your own network.",
    project: "never",
  },
  {
    name: "sandboxRead",
    kind: namesSuchAs('paths, such as ["~/code/shared-library"]'),
    fallback: { value: [] },
    says: "Files and folders of your home that sandboxed commands see and cannot change; known places of secrets stay hidden.",
    project: "never",
  },
  {
    name: "sandboxWrite",
    kind: namesSuchAs('paths, such as ["~/code/sister-project"]'),
    fallback: { value: [] },
    says: "Files and folders that sandboxed commands may change besides the workspace.",
    project: "never",
  },
  {
    name: "sandboxEnvironment",
    kind: namesSuchAs('names of environment variables, such as ["DATABASE_URL"]'),
    fallback: { value: [] },
    says: "Environment variables that sandboxed commands see although their names or values look secret; never keys of model providers.",
    project: "never",
  },
  {
    name: "unixSockets",
    kind: switches,
    fallback: { value: "off" },
    says: "Whether sandboxed commands may create and use unix sockets; those of the machine stay hidden in `/run`.",
    project: "never",
  },
  {
    name: "contextFiles",
    kind: yesOrNo,
    fallback: { value: true },
    says: "Whether AGENTS.md and CLAUDE.md are read.",
    project: strictToLoose(false, true),
    flag: "--no-context-files",
  },
  {
    name: "skills",
    kind: yesOrNo,
    fallback: { value: true },
    says: "Whether the model is told of skills.",
    project: strictToLoose(false, true),
    flag: "--no-skills",
  },
  {
    name: "extensions",
    kind: yesOrNo,
    fallback: { value: true },
    says: "Whether extensions are loaded, those that come with Pith included: agents and servers of tools.",
    project: strictToLoose(false, true),
    flag: "--no-extensions",
  },
  {
    name: "plain",
    kind: yesOrNo,
    fallback: { words: "false, and true where the terminal is dumb" },
    says: "Whether a talk is told in plain lines, for screen readers: nothing is drawn anew, questions are answered by number.",
    project: "never",
    flag: "--plain",
  },
  ...compactionTable,
  {
    name: "notify",
    kind: oneOf("off", "bell", "desktop"),
    fallback: { value: "bell" },
    says: "How you are called when a question waits or long work is done, and you look elsewhere.",
    project: "never",
  },
  {
    name: "theme",
    kind: oneOf("auto", "dark", "light"),
    fallback: { value: "auto" },
    says: "The colours of the screen: `dark` and `light` are made for such terminals, `auto` asks yours. `NO_COLOR` takes all of them away.",
    project: "never",
  },
  {
    name: "auditLog",
    kind: yesOrNo,
    fallback: { value: true },
    says: "Whether permissions are recorded in `~/.pith/audit`: who allowed or refused what, by which rule. No secret is in it.",
    project: "never",
  },
  {
    name: "secrets.redact",
    kind: switches,
    fallback: { value: "on" },
    says: "Whether secrets are taken out of all that is sent or written.",
    project: "never",
  },
  {
    name: "secrets.also",
    kind: namesSuchAs('names of environment variables, such as ["COMPANY_PIN"]'),
    fallback: { value: [] },
    says: "Environment variables whose values are secrets, too, whatever their names look like.",
    project: "never",
  },
  ...serverTable,
];

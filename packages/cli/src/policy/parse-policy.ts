/** Lists every item of a policy, and parses a policy file. Unlike in settings, an unknown name is a mistake: it may be a limit that was meant. */

import { isAbsolute } from "node:path";
import { parseRule } from "@pith/agent";
import { address, type Kind, oneOf } from "../settings/definitions.ts";
import { isObject, type JsonObject, readCommentedJson } from "../text/jsonc.ts";
import { type Mistake, mistake, nearest } from "../text/usage-error.ts";
import type { Policy } from "./policy.ts";

export interface PolicyItem {
  /** With a point before each part that lies in another. */
  readonly name: string;
  readonly kind: Kind;
  /** What it does, in one sentence. */
  readonly says: string;
}

const required = {
  ...oneOf("required", "required"),
  write: '"required", or leave it out',
  schema: { const: "required" },
};

export const policyTable: readonly PolicyItem[] = [
  {
    name: "models.allow",
    kind: listOf(isModelPattern, 'patterns of models, such as ["anthropic/*", "openai/gpt-5*"]'),
    says: "The models that may be used, for answers, summaries and sub-agents; `*` stands for any letters.",
  },
  {
    name: "models.baseUrls",
    kind: listOf(isBaseUrl, 'addresses, such as ["https://models.example.com/v1"]'),
    says: "Addresses at which models may be reached beside the providers' own, and whatever lies below them. Where `models` is set and this is not: none.",
  },
  {
    name: "network.mode",
    kind: oneOf("off", "hosts", "open"),
    says: "The loosest `network` that may be used. With `off`, `fetch` and MCP servers reach nothing either.",
  },
  {
    name: "network.hosts",
    kind: listOf(isHost, 'hosts, such as ["registry.example.com", "*.example.com", "localhost:5432"]'),
    says: "The only hosts that commands, `fetch` and MCP servers may reach; each is still asked about unless a rule of the user allows it.",
  },
  {
    name: "network.deny",
    kind: listOf(isHost, 'hosts, such as ["*.example.org"]'),
    says: "Hosts that nothing reaches.",
  },
  {
    name: "permissions.modes",
    kind: listOf(isMode, 'one or more of "plan", "ask", "edit" and "all"', {
      minItems: 1,
      items: { enum: ["plan", "ask", "edit", "all"] },
    }),
    says: "The permission modes that may be used.",
  },
  {
    name: "permissions.deny",
    kind: listOf(isRule, 'rules, such as ["bash(git push:*)", "read(~/.ssh)"]'),
    says: "Rules that deny, beside those of the user.",
  },
  {
    name: "permissions.ask",
    kind: listOf(isRule, 'rules, such as ["bash(terraform apply:*)"]'),
    says: "Rules after which the user is asked every time, whatever the mode and the user's rules allow.",
  },
  {
    name: "sandbox",
    kind: required,
    says: "Commands of the model and MCP servers run in the sandbox and never leave it; where the machine has none, Pith does not start.",
  },
  { name: "secrets.redact", kind: required, says: "The redaction of secrets cannot be switched off." },
  { name: "auditLog", kind: required, says: "The log of permissions cannot be switched off." },
  {
    name: "extensions.allow",
    kind: listOf(isWholePath, 'whole paths, such as ["/opt/example/pith/tickets.ts"]; [] for none'),
    says: "The extensions that may be loaded: files, or folders with all that is in them, which root alone can change.",
  },
  {
    name: "mcp.allow",
    kind: listOf(
      isServer,
      '{ "name": …, "command": "/whole/path", "args": […], "env": […] } or { "name": …, "url": … } for each; [] for none',
      {
        items: serverSchema(),
      },
    ),
    says: "The MCP servers that may be used, each under its name and started or reached exactly so.",
  },
];

export type PolicyParsed = { readonly type: "policy"; readonly policy: Policy } | Mistake;

export function parsePolicy(text: string, path: string): PolicyParsed {
  const read = readCommentedJson(text.replace(/^\ufeff/, ""));
  if (read.type === "broken") return mistake(`${path}:${read.line}:${read.column}: ${read.why}`);
  const { $schema: _, ...value } = read.value;
  const [fault] = findFaults(value, []);
  if (fault) return mistake(`${path}:${read.lineOf(fault.at)}: ${fault.at.join(".")} ${fault.says}`);
  return { type: "policy", policy: { ...(value as Omit<Policy, "path">), path } };
}

interface PolicyFault {
  readonly at: readonly string[];
  /** The end of a sentence that begins with its name. */
  readonly says: string;
}

function findFaults(object: JsonObject, above: readonly string[]): readonly PolicyFault[] {
  return Object.entries(object).flatMap(([key, value]): readonly PolicyFault[] => {
    const at = [...above, key];
    const name = at.join(".");
    const item = policyTable.find((each) => each.name === name);
    if (item)
      return item.kind.fits(value)
        ? []
        : [{ at, says: `is ${shorten(JSON.stringify(value))}; write ${item.kind.write}` }];
    if (!policyTable.some((each) => each.name.startsWith(`${name}.`)))
      return [{ at, says: `is no item of a policy${guess(name)}` }];
    return isObject(value)
      ? findFaults(value, at)
      : [{ at, says: `is ${shorten(JSON.stringify(value))}; write { … }` }];
  });
}

function guess(name: string): string {
  const names = policyTable.map((each) => each.name);
  const near = nearest(name, names);
  return near === null ? `; there are: ${names.join(", ")}` : `; did you mean ${near}?`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function listOf(
  fits: (value: unknown) => boolean,
  write: string,
  schema: JsonObject = { items: { type: "string" } },
): Kind {
  const { minItems = 0 } = schema as { readonly minItems?: number };
  return {
    fits: (value) => Array.isArray(value) && value.length >= minItems && value.every(fits),
    write,
    schema: { type: "array", ...schema },
  };
}

function isModelPattern(value: unknown): boolean {
  return typeof value === "string" && /^[^/\s]+\/\S+$/.test(value);
}

/** A query or a password would not be compared. */
function isBaseUrl(value: unknown): boolean {
  if (!address.fits(value)) return false;
  const { search, hash, username, password } = new URL(String(value));
  return [search, hash, username, password].every((part) => part === "");
}

function isHost(value: unknown): boolean {
  return typeof value === "string" && parseRule(`network(${value})`).type === "rule";
}

function isMode(value: unknown): boolean {
  return ["plan", "ask", "edit", "all"].includes(String(value)) && typeof value === "string";
}

/** Tools that come with Pith: a rule on another would never count if its name were mistyped. */
export const ruleTools: readonly string[] = ["mcp_find", "mcp_call", "subagent"];

function isRule(value: unknown): boolean {
  return typeof value === "string" && parseRule(value, { tools: ruleTools }).type === "rule";
}

function isWholePath(value: unknown): boolean {
  return typeof value === "string" && isAbsolute(value) && !value.split(/[/\\]/).includes("..");
}

function isServer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, command, args = [], env = [], url, ...rest } = value;
  if (Object.keys(rest).length > 0 || typeof name !== "string" || !/^[a-z\d][\w-]{0,39}$/i.test(name)) return false;
  if (url !== undefined) return command === undefined && Object.keys(value).length === 2 && isServerUrl(url);
  return (
    isWholePath(command) &&
    [args, env].every((list) => Array.isArray(list) && list.every((each) => typeof each === "string"))
  );
}

/** A `*` only at the end, behind the whole host. */
function isServerUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/[^/*?#@\s]+\/[^*\s]*\*?$/.test(value) && URL.canParse(value);
}

function serverSchema(): JsonObject {
  const texts = { type: "array", items: { type: "string" } };
  return {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string" },
      command: { type: "string" },
      args: texts,
      env: texts,
      url: { type: "string" },
    },
    additionalProperties: false,
  };
}

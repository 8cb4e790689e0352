/** Defines every item of a policy and parses a policy file. Unlike in settings, an unknown name is an error: it may be a misspelled limit. */

import { isAbsolute } from "node:path";
import { parseRule } from "@pith/agent";
import { enumKind, urlKind, type ValueKind } from "../settings/definitions.ts";
import { isObject, type JsonObject, parseJsonc } from "../text/jsonc.ts";
import { findNearest, type UsageError, usageError } from "../text/usage-error.ts";
import type { Policy } from "./policy.ts";

export interface PolicyItem {
  /** The path of the item, separated by dots: `network.mode`. */
  readonly name: string;
  readonly kind: ValueKind;
  /** One sentence for the documentation and the schema. */
  readonly description: string;
}

const requiredKind = {
  ...enumKind("required", "required"),
  expected: '"required" (or leave it out)',
  schema: { const: "required" },
};

export const policyTable: readonly PolicyItem[] = [
  {
    name: "models.allow",
    kind: arrayKind(isModelPattern, 'a list of model patterns, such as ["anthropic/*", "openai/gpt-5*"]'),
    description: "The models that may be used for answers, summaries and sub-agents. `*` matches any characters.",
  },
  {
    name: "models.baseUrls",
    kind: arrayKind(isBaseUrl, 'a list of URLs, such as ["https://models.example.com/v1"]'),
    description:
      "Base URLs at which models may be reached in addition to the providers' own, including every path below them. If `models` is set without this item, no other URL is allowed.",
  },
  {
    name: "network.mode",
    kind: enumKind("off", "hosts", "open"),
    description:
      "The least strict value of `network` that may be used. With `off`, `fetch` and MCP servers cannot reach any host either.",
  },
  {
    name: "network.hosts",
    kind: arrayKind(
      isHostPattern,
      'a list of hosts, such as ["registry.example.com", "*.example.com", "localhost:5432"]',
    ),
    description:
      "The only hosts that commands, `fetch` and MCP servers may reach. Pith still asks about each host unless one of the user's rules allows it.",
  },
  {
    name: "network.deny",
    kind: arrayKind(isHostPattern, 'a list of hosts, such as ["*.example.org"]'),
    description: "Hosts that are always blocked.",
  },
  {
    name: "permissions.modes",
    kind: arrayKind(isPermissionMode, 'a list of one or more of "plan", "ask", "edit" and "all"', {
      minItems: 1,
      items: { enum: ["plan", "ask", "edit", "all"] },
    }),
    description: "The permission modes that may be used.",
  },
  {
    name: "permissions.deny",
    kind: arrayKind(isRule, 'a list of rules, such as ["bash(git push:*)", "read(~/.ssh)"]'),
    description: "Deny rules, in addition to the user's.",
  },
  {
    name: "permissions.ask",
    kind: arrayKind(isRule, 'a list of rules, such as ["bash(terraform apply:*)"]'),
    description: "Rules for which Pith asks the user every time, regardless of the mode and the user's rules.",
  },
  {
    name: "sandbox",
    kind: requiredKind,
    description:
      "The model's commands and MCP servers run in the sandbox and cannot leave it. If no sandbox is available, Pith does not start.",
  },
  { name: "secrets.redact", kind: requiredKind, description: "Secret redaction cannot be turned off." },
  { name: "auditLog", kind: requiredKind, description: "The audit log cannot be turned off." },
  {
    name: "extensions.allow",
    kind: arrayKind(
      isSafeAbsolutePath,
      'a list of absolute paths, such as ["/opt/example/pith/tickets.ts"], or [] for none',
    ),
    description:
      "The extensions that may be loaded: files, or folders with everything in them. They must be writable only by root.",
  },
  {
    name: "mcp.allow",
    kind: arrayKind(
      isPermittedServer,
      'a list of { "name": …, "command": "/absolute/path", "args": […], "env": […] } or { "name": …, "url": … }, or [] for none',
      {
        items: buildServerSchema(),
      },
    ),
    description: "The MCP servers that may be used, each with exactly this name and configuration.",
  },
];

export type ParsePolicyResult = { readonly type: "policy"; readonly policy: Policy } | UsageError;

export function parsePolicy(text: string, path: string): ParsePolicyResult {
  const json = parseJsonc(text.replace(/^\ufeff/, ""));
  if (json.type === "invalid") return usageError(`${path}:${json.line}:${json.column}: ${json.message}`);
  const { $schema: _, ...value } = json.value;
  const [fault] = findFaults(value, []);
  if (fault)
    return usageError(`${path}:${json.findLine(fault.itemPath)}: ${fault.itemPath.join(".")} ${fault.message}`);
  return { type: "policy", policy: { ...(value as Omit<Policy, "path">), path } };
}

interface PolicyFault {
  readonly itemPath: readonly string[];
  /** Completes a sentence that starts with the name of the item. */
  readonly message: string;
}

function findFaults(object: JsonObject, parentPath: readonly string[]): readonly PolicyFault[] {
  return Object.entries(object).flatMap(([key, value]): readonly PolicyFault[] => {
    const itemPath = [...parentPath, key];
    const name = itemPath.join(".");
    const item = policyTable.find((candidate) => candidate.name === name);
    if (item) return item.kind.isValid(value) ? [] : [{ itemPath, message: formatMismatch(value, item.kind.expected) }];
    if (!policyTable.some((candidate) => candidate.name.startsWith(`${name}.`)))
      return [{ itemPath, message: `is not a policy item${suggestItem(name)}` }];
    return isObject(value) ? findFaults(value, itemPath) : [{ itemPath, message: formatMismatch(value, "{ … }") }];
  });
}

function suggestItem(name: string): string {
  const names = policyTable.map((item) => item.name);
  const suggestion = findNearest(name, names);
  return suggestion === null ? `; valid items: ${names.join(", ")}` : `; did you mean ${suggestion}?`;
}

function formatMismatch(value: unknown, expected: string): string {
  return `is ${shorten(JSON.stringify(value))}; expected ${expected}`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function arrayKind(
  isValidItem: (value: unknown) => boolean,
  expected: string,
  schema: JsonObject = { items: { type: "string" } },
): ValueKind {
  const { minItems = 0 } = schema as { readonly minItems?: number };
  return {
    isValid: (value) => Array.isArray(value) && value.length >= minItems && value.every(isValidItem),
    expected,
    schema: { type: "array", ...schema },
  };
}

function isModelPattern(value: unknown): boolean {
  return typeof value === "string" && /^[^/\s]+\/\S+$/.test(value);
}

/** Rejects a query, a fragment and credentials, because they would not be compared. */
function isBaseUrl(value: unknown): boolean {
  if (!urlKind.isValid(value)) return false;
  const { search, hash, username, password } = new URL(String(value));
  return [search, hash, username, password].every((part) => part === "");
}

function isHostPattern(value: unknown): boolean {
  return typeof value === "string" && parseRule(`network(${value})`).type === "rule";
}

function isPermissionMode(value: unknown): boolean {
  return ["plan", "ask", "edit", "all"].includes(String(value)) && typeof value === "string";
}

/** The tools that a rule may name besides those of the agent. Other names are rejected: a rule with a misspelled name would never apply. */
const ruleToolNames: readonly string[] = ["mcp_find", "mcp_call", "subagent"];

function isRule(value: unknown): boolean {
  return typeof value === "string" && parseRule(value, { tools: ruleToolNames }).type === "rule";
}

function isSafeAbsolutePath(value: unknown): boolean {
  return typeof value === "string" && isAbsolute(value) && !value.split(/[/\\]/).includes("..");
}

function isPermittedServer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, command, args = [], env = [], url, ...rest } = value;
  if (Object.keys(rest).length > 0 || typeof name !== "string" || !/^[a-z\d][\w-]{0,39}$/i.test(name)) return false;
  if (url !== undefined) return command === undefined && Object.keys(value).length === 2 && isServerUrl(url);
  return (
    isSafeAbsolutePath(command) &&
    [args, env].every((list) => Array.isArray(list) && list.every((text) => typeof text === "string"))
  );
}

/** Allows a `*` only at the end, after the complete host. */
function isServerUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/[^/*?#@\s]+\/[^*\s]*\*?$/.test(value) && URL.canParse(value);
}

function buildServerSchema(): JsonObject {
  const stringList = { type: "array", items: { type: "string" } };
  return {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string" },
      command: { type: "string" },
      args: stringList,
      env: stringList,
      url: { type: "string" },
    },
    additionalProperties: false,
  };
}

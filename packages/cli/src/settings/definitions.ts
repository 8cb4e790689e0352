/** Defines the `Setting` type, the kinds of values that a setting can have, and the names of the tools. */

import type { JsonObject } from "../text/jsonc.ts";
import { findNearest } from "../text/usage-error.ts";

export interface Setting {
  /** The path, with dots between its parts and `*` for a name that the user chooses. */
  readonly name: string;
  readonly kind: ValueKind;
  /** The kind of name that `*` accepts. */
  readonly nameKind?: ValueKind;
  /** The default: a value, or a description if it depends on other things. */
  readonly fallback: SettingFallback;
  /** One sentence. */
  readonly description: string;
  readonly projectAccess: ProjectAccess;
  /** The value is an object whose values may be secrets. Only its names are shown. */
  readonly isHidden?: true;
  /** The flag that overrides the setting for one run. */
  readonly flag?: string;
  /** The environment variable that overrides the setting. */
  readonly variable?: string;
}

export type SettingFallback = { readonly value: unknown } | { readonly description: string };

/** Whether a trusted project's file may set it: always, never, or only if its value is not less strict than the user's. */
export type ProjectAccess = "allowed" | "never" | ((value: unknown, userValue: unknown) => boolean);

/** Allows a project's value if it is not less strict than the user's. The order lists all values, strictest first. */
export function allowStricter(...order: readonly unknown[]): ProjectAccess {
  return (value, userValue) => order.indexOf(value) <= order.indexOf(userValue);
}

export interface ValueKind {
  readonly isValid: (value: unknown) => boolean;
  /** A noun phrase. Messages put "expected" or "write" before it. */
  readonly expected: string;
  /** As JSON Schema. */
  readonly schema: JsonObject;
}

export function enumKind(...values: readonly string[]): ValueKind {
  const quoted = values.map((value) => `"${value}"`);
  const expected = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return { isValid: (value) => values.some((allowed) => allowed === value), expected, schema: { enum: values } };
}

export const booleanKind: ValueKind = {
  isValid: (value) => typeof value === "boolean",
  expected: "true or false",
  schema: { type: "boolean" },
};

/** A number of tokens, at least `min`. */
export function tokenCountKind(example: number, min = 1): ValueKind {
  return {
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= min,
    expected: `a whole number of tokens, such as ${example}`,
    schema: { type: "integer", minimum: min },
  };
}

/** A number of tokens, or a share of the context window between 0 and 1. */
export function tokensOrShareKind(example: number, exampleShare: number): ValueKind {
  const tokenCount = tokenCountKind(example, 0);
  return {
    isValid: (value) => tokenCount.isValid(value) || (typeof value === "number" && value > 0 && value < 1),
    expected: `${tokenCount.expected}, or a fraction of the context window between 0 and 1, such as ${exampleShare}`,
    schema: { anyOf: [tokenCount.schema, { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }] },
  };
}

/** Allows fractions. */
export function percentKind(example: number): ValueKind {
  return {
    isValid: (value) => typeof value === "number" && value > 0 && value <= 100,
    expected: `a number above 0 and up to 100, such as ${example}`,
    schema: { type: "number", exclusiveMinimum: 0, maximum: 100 },
  };
}

/** Allows fractions. */
export function minutesKind(example: number): ValueKind {
  return {
    isValid: (value) => typeof value === "number" && value > 0 && value <= 120,
    expected: `a number of minutes above 0 and up to 120, such as ${example}`,
    schema: { type: "number", exclusiveMinimum: 0, maximum: 120 },
  };
}

/** Short enough to be part of every summary request. */
export const textKind: ValueKind = {
  isValid: (value) => typeof value === "string" && value.length <= MAX_TEXT_CHARS,
  expected: "a string of at most 4,000 characters",
  schema: { type: "string", maxLength: 4_000 },
};

const MAX_TEXT_CHARS = 4_000;

/** A list of non-empty names. */
export function nameListKind(expected: string): ValueKind {
  return {
    isValid: (value) => Array.isArray(value) && value.every(isNonEmptyString),
    expected,
    schema: { type: "array", items: { type: "string", minLength: 1 } },
  };
}

export const agentNameKind: ValueKind = {
  isValid: isNonEmptyString,
  expected: "an agent's name, such as reviewer",
  schema: { type: "string", minLength: 1 },
};

export const urlKind: ValueKind = {
  isValid: (value) => typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  expected: "an http or https URL, such as http://127.0.0.1:8080/v1",
  schema: { type: "string", pattern: "^https?://" },
};

export const modelNameKind: ValueKind = {
  isValid: isModelName,
  expected: "provider/model, such as anthropic/claude-sonnet-4-5",
  schema: { type: "string", pattern: "^[^/]+/." },
};

/** A full name, or words of one. */
export const modelChoiceKind: ValueKind = {
  isValid: (value) => typeof value === "string" && /^[!-~]+( [!-~]+)*$/.test(value),
  expected: "a model, such as sonnet or anthropic/claude-sonnet-5",
  schema: { type: "string", pattern: "^\\S" },
};

export const modelNamesKind: ValueKind = {
  isValid: (value) => isModelName(value) || (Array.isArray(value) && value.length > 0 && value.every(isModelName)),
  expected: 'provider/model, or a list such as ["google/gemini-2.5-flash", "openai/gpt-5-mini"]',
  schema: { anyOf: [modelNameKind.schema, { type: "array", items: modelNameKind.schema, minItems: 1 }] },
};

function isModelName(value: unknown): boolean {
  return typeof value === "string" && /^[^/]+\/./.test(value);
}

function isNonEmptyString(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Every other tool would add tokens to each request. */
export const defaultTools: readonly string[] = ["read", "write", "edit", "bash", "recall"];

export const allTools: readonly string[] = [...defaultTools, "grep", "find", "ls", "fetch"];

const ALL_TOOLS_KEYWORD = "all";

const knownToolNames: readonly string[] = [...allTools, ALL_TOOLS_KEYWORD];

const TOOL_NAME_PATTERN = /^[A-Za-z_][\w-]{0,63}$/;

export const toolNamesKind: ValueKind = {
  isValid: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === "string" && (knownToolNames.includes(name) || isExtensionToolName(name))),
  expected: `a list of tool names: ${allTools.join(", ")}, or all`,
  schema: {
    type: "array",
    items: { type: "string", pattern: TOOL_NAME_PATTERN.source, examples: knownToolNames },
    minItems: 1,
  },
};

/** Whether an extension may provide a tool of this name. False if the name looks like a mistyped built-in tool. */
function isExtensionToolName(name: string): boolean {
  return TOOL_NAME_PATTERN.test(name) && findNearest(name, knownToolNames) === null;
}

/** Whether `tools` contains only tools of `allowedTools`. `all` means all built-in tools. */
export function isToolSubset(tools: unknown, allowedTools: unknown): boolean {
  const allowedNames = expandToolNames(allowedTools);
  return expandToolNames(tools).every((name) => allowedNames.includes(name));
}

function expandToolNames(names: unknown): readonly unknown[] {
  if (!Array.isArray(names)) return defaultTools;
  return names.includes(ALL_TOOLS_KEYWORD) ? allTools : names;
}

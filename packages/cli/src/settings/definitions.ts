/** Defines the `Setting` type, the kinds of values a setting can have and the tool names, and parses JSON objects. */

import type { JsonObject } from "../text/jsonc.ts";
import { nearest } from "../text/usage-error.ts";

export interface Setting {
  /** With a point before each part that lies in another, and `*` for a name that the user chooses. */
  readonly name: string;
  readonly kind: Kind;
  /** What the name for `*` can be. */
  readonly names?: Kind;
  /** What holds where nobody says anything: a value, or words where it depends. */
  readonly fallback: Fallback;
  /** What it does, in one sentence. */
  readonly says: string;
  readonly project: ForProject;
  /** It holds texts by their names, which may be secrets: the names are shown, and not the texts. */
  readonly isHidden?: true;
  /** The flag that says it for one call. */
  readonly flag?: string;
  /** The variable that says it for one shell. */
  readonly variable?: string;
}

export type Fallback = { readonly value: unknown } | { readonly words: string };

/** Whether the file of a project may say it, once it is trusted: always, never, or where it is no looser than the user's own. */
export type ForProject = "may" | "never" | ((value: unknown, own: unknown) => boolean);

/** No looser than one's own, by the order of what there is; the strictest first. */
export function strictToLoose(...order: readonly unknown[]): ForProject {
  return (value, own) => order.indexOf(value) <= order.indexOf(own);
}

export interface Kind {
  readonly fits: (value: unknown) => boolean;
  /** The end of a sentence that begins with "write". */
  readonly write: string;
  /** As JSON Schema. */
  readonly schema: JsonObject;
}

export function oneOf(...words: readonly string[]): Kind {
  const write = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return { fits: (value) => words.some((word) => word === value), write, schema: { enum: words } };
}

export const yesOrNo: Kind = {
  fits: (value) => typeof value === "boolean",
  write: "true or false",
  schema: { type: "boolean" },
};

/** A number of tokens, no less than `least`. */
export function tokensSuchAs(example: number, least = 1): Kind {
  return {
    fits: (value) => Number.isSafeInteger(value) && Number(value) >= least,
    write: `a whole number of tokens, such as ${example}`,
    schema: { type: "integer", minimum: least },
  };
}

/** A number of tokens, or a share of the window as `TokensOrShare` has it. */
export function tokensOrShareSuchAs(example: number, share: number): Kind {
  const tokens = tokensSuchAs(example, 0);
  return {
    fits: (value) => tokens.fits(value) || (typeof value === "number" && value > 0 && value < 1),
    write: `${tokens.write}, or a share of the window between 0 and 1, such as ${share}`,
    schema: { anyOf: [tokens.schema, { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }] },
  };
}

/** Fractions are welcome. */
export function percentSuchAs(example: number): Kind {
  return {
    fits: (value) => typeof value === "number" && value > 0 && value <= 100,
    write: `a number above 0 and up to 100, such as ${example}`,
    schema: { type: "number", exclusiveMinimum: 0, maximum: 100 },
  };
}

/** Fractions are welcome. */
export function minutesSuchAs(example: number): Kind {
  return {
    fits: (value) => typeof value === "number" && value > 0 && value <= 120,
    write: `a number of minutes above 0 and up to 120, such as ${example}`,
    schema: { type: "number", exclusiveMinimum: 0, maximum: 120 },
  };
}

/** Short enough to be said with every summary. */
export const text: Kind = {
  fits: (value) => typeof value === "string" && value.length <= LONGEST,
  write: "a text in quotes, of 4,000 letters at most",
  schema: { type: "string", maxLength: 4_000 },
};

const LONGEST = 4_000;

/** None of them empty. */
export function namesSuchAs(example: string): Kind {
  return {
    fits: (value) => Array.isArray(value) && value.every(isName),
    write: example,
    schema: { type: "array", items: { type: "string", minLength: 1 } },
  };
}

export const agentName: Kind = {
  fits: isName,
  write: "the name of an agent, such as reviewer",
  schema: { type: "string", minLength: 1 },
};

export const address: Kind = {
  fits: (value) => typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  write: "an address of the web, such as http://127.0.0.1:8080/v1",
  schema: { type: "string", pattern: "^https?://" },
};

export const modelName: Kind = {
  fits: isModelName,
  write: "provider/model, such as anthropic/claude-sonnet-4-5",
  schema: { type: "string", pattern: "^[^/]+/." },
};

export const modelNames: Kind = {
  fits: (value) => isModelName(value) || (Array.isArray(value) && value.length > 0 && value.every(isModelName)),
  write: 'provider/model, or a list such as ["google/gemini-2.5-flash", "openai/gpt-5-mini"]',
  schema: { anyOf: [modelName.schema, { type: "array", items: modelName.schema, minItems: 1 }] },
};

function isModelName(value: unknown): boolean {
  return typeof value === "string" && /^[^/]+\/./.test(value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** The others cost words in every request. */
export const usualTools: readonly string[] = ["read", "write", "edit", "bash"];

export const allTools: readonly string[] = [...usualTools, "grep", "find", "ls", "fetch"];

const ALL = "all";

const known: readonly string[] = [...allTools, ALL];

const NAME = /^[A-Za-z_][\w-]{0,63}$/;

export const toolNames: Kind = {
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === "string" && (known.includes(name) || isOther(name))),
  write: `names of tools: ${allTools.join(", ")}, or all`,
  schema: { type: "array", items: { type: "string", pattern: NAME.source, examples: known }, minItems: 1 },
};

/** One that an extension may bring, and no slip of the pen for one of ours. */
function isOther(name: string): boolean {
  return NAME.test(name) && nearest(name, known) === null;
}

/** Whether the first names no tool that the second lacks; `all` stands for all. */
export function isAmong(named: unknown, own: unknown): boolean {
  const owned = spelledOut(own);
  return spelledOut(named).every((name) => owned.includes(name));
}

function spelledOut(names: unknown): readonly unknown[] {
  if (!Array.isArray(names)) return usualTools;
  return names.includes(ALL) ? allTools : names;
}

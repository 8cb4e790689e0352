/** What a setting can be: how it is told from anything else, what to write instead, and what editors are told of it. */

import type { JsonObject } from "../../json.ts";

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

/** Fractions are welcome. */
export function percentSuchAs(example: number): Kind {
  return {
    fits: (value) => typeof value === "number" && value > 0 && value <= 100,
    write: `a number above 0 and up to 100, such as ${example}`,
    schema: { type: "number", exclusiveMinimum: 0, maximum: 100 },
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

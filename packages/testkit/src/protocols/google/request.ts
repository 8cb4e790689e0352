/** Reads a Google request: brings its fields into one spelling, its path into model and mode, its parts into a prompt. */

import { asArray, asObjects, isObject, type Json } from "../json.ts";
import type { Body, Prompt, PromptBlock } from "../protocol.ts";
import { FIELD_NAMES } from "./field-checks.ts";
import { SCHEMA_FIELDS } from "./settings-checks.ts";

/** Google takes every field as `systemInstruction` and as `system_instruction`; the checks see only the first. */
export function normalizeBody(body: Body): Body {
  return normalizeKeys(body);
}

function normalizeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeValue);
  return isObject(value) ? normalizeKeys(value) : value;
}

function normalizeKeys(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([sentKey, fieldValue]) => {
      const name = camelCaseNames.get(sentKey) ?? sentKey;
      return [name, normalizeField(name, fieldValue)];
    }),
  );
}

function normalizeField(name: string, value: unknown): unknown {
  if (USER_DEFINED_FIELDS.includes(name)) return value;
  if (name !== "properties" || !isObject(value)) return normalizeValue(value);
  return Object.fromEntries(Object.entries(value).map(([property, schema]) => [property, normalizeValue(schema)]));
}

/** What the user wrote, with names of the user's own. */
const USER_DEFINED_FIELDS = [
  ...["args", "response", "parametersJsonSchema", "responseJsonSchema", "labels"],
  ...["enum", "example", "default", "partMetadata"],
];

// A name nobody knows keeps its spelling, so that the refusal names what was sent.
const camelCaseNames: ReadonlyMap<string, string> = new Map(
  [...FIELD_NAMES, ...SCHEMA_FIELDS].map((name) => [toSnakeCase(name), name]),
);

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export interface RequestAddress {
  readonly model: string;
  readonly isStreaming: boolean;
}

export function parseAddress(path: string): RequestAddress | null {
  const [, model, method] =
    /\/v1(?:beta|alpha)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(path) ?? [];
  return model === undefined ? null : { model, isStreaming: method === "streamGenerateContent" };
}

/** In the order in which a prefix is recognised: tools, system, contents. */
export function readPrompt(body: Body): Prompt {
  return {
    pieces: [
      ...asObjects(body.tools).flatMap(createToolBlocks),
      ...listParts(body.systemInstruction).map((part) => createPromptBlock("system", part)),
      ...asObjects(body.contents).flatMap((content) =>
        listParts(content).map((part) => createPromptBlock("messages", part, String(content.role))),
      ),
    ],
    settings: "",
  };
}

function createToolBlocks(tool: Body): readonly PromptBlock[] {
  const declarations = asArray(tool.functionDeclarations);
  return declarations.length > 0
    ? declarations.map((each) => createPromptBlock("tools", each))
    : [createPromptBlock("tools", tool)];
}

function listParts(content: unknown): readonly unknown[] {
  return isObject(content) ? asArray(content.parts) : [];
}

function createPromptBlock(level: PromptBlock["level"], part: unknown, prefix = ""): PromptBlock {
  return { level, text: prefix + JSON.stringify(part), keptFor: null };
}

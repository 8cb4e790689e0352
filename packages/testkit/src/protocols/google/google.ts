/** Implements Google generateContent. The path names the model, and the last chunk of a stream has the finish reason. */

import type { ProviderError } from "../../script.ts";
import { asArray, asObjects, asString, isObject, type Json } from "../json.ts";
import {
  type Body,
  PREFIX_CACHE_RULES,
  type Prompt,
  type PromptBlock,
  type Protocol,
  type ProtocolRequest,
  type ServerEvent,
} from "../protocol.ts";
import { checkRequest, FIELD_NAMES, SCHEMA_FIELDS } from "./checks.ts";
import { formatReply, streamReply } from "./reply.ts";

export const google: Protocol = {
  name: "google-generative-ai",
  matchesPath: (path) => parseAddress(path) !== null,
  readRequest,
  normalizeBody,
  checkRequest: (request) => checkRequest(request, parseAddress(request.path)?.model ?? ""),
  readPrompt,
  streamReply,
  formatReply,
  cacheRules: () => PREFIX_CACHE_RULES,
  overflowError: ({ tokens, window }) => ({
    type: "INVALID_ARGUMENT",
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
  }),
  errorBody,
  errorEvent,
};

interface RequestAddress {
  readonly model: string;
  readonly isStreaming: boolean;
}

function parseAddress(path: string): RequestAddress | null {
  const [, model, method] =
    /\/v1(?:beta|alpha)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(path) ?? [];
  return model === undefined ? null : { model, isStreaming: method === "streamGenerateContent" };
}

function readRequest({ path, body }: ProtocolRequest): ReturnType<Protocol["readRequest"]> {
  const { model, isStreaming } = parseAddress(path) ?? { model: "", isStreaming: false };
  const lastContent = asArray(body.contents).at(-1);
  const lastParts = isObject(lastContent) && lastContent.role !== "model" ? asObjects(lastContent.parts) : [];
  return {
    model,
    isStreaming,
    tools: asObjects(body.tools).flatMap(toolNames),
    text: lastUserText(body),
    resultCount: lastParts.filter(({ functionResponse }) => isObject(functionResponse)).length,
  };
}

function toolNames({ functionDeclarations, googleSearch }: Json): readonly string[] {
  const declaredNames = asObjects(functionDeclarations).map(({ name }) => asString(name));
  return isObject(googleSearch) ? ["google_search", ...declaredNames] : declaredNames;
}

function lastUserText(body: ProtocolRequest["body"]): string {
  const parts = asObjects(body.contents).flatMap(({ role, parts }) => (role === "model" ? [] : asObjects(parts)));
  return asString(parts.findLast(({ text }) => typeof text === "string")?.text);
}

/** Google accepts both `systemInstruction` and `system_instruction`; the checks read only camelCase. */
export function normalizeBody(body: Body): Body {
  return normalizeKeys(body);
}

function normalizeKeys(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([sentKey, fieldValue]) => {
      const name = camelCaseNames.get(sentKey) ?? sentKey;
      return [name, normalizeField(name, fieldValue)];
    }),
  );
}

// Unknown names keep their spelling, so that the refusal names the field as it was sent.
const camelCaseNames: ReadonlyMap<string, string> = new Map(
  [...FIELD_NAMES, ...SCHEMA_FIELDS].map((name) => [toSnakeCase(name), name]),
);

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function normalizeField(name: string, value: unknown): unknown {
  if (USER_DEFINED_FIELDS.includes(name)) return value;
  if (name !== "properties" || !isObject(value)) return normalizeValue(value);
  return Object.fromEntries(Object.entries(value).map(([property, schema]) => [property, normalizeValue(schema)]));
}

/** Fields whose keys are defined by the user and must not be renamed. */
const USER_DEFINED_FIELDS = [
  ...["args", "response", "parametersJsonSchema", "responseJsonSchema", "labels"],
  ...["enum", "example", "default", "partMetadata"],
];

function normalizeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeValue);
  return isObject(value) ? normalizeKeys(value) : value;
}

/** Reads the prompt in cache order: tools, system, contents. */
function readPrompt(body: Body): Prompt {
  return {
    blocks: [
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

function createPromptBlock(level: PromptBlock["level"], part: unknown, prefix = ""): PromptBlock {
  return { level, text: prefix + JSON.stringify(part), ttlSeconds: null };
}

function listParts(content: unknown): readonly unknown[] {
  return isObject(content) ? asArray(content.parts) : [];
}

function errorBody({ type, message }: ProviderError, status: number): object {
  return { error: { code: status, message, status: isStatusCode(type) ? type : statusCodeOf(status) } };
}

/** A script written for another protocol may have that protocol's error types. */
function isStatusCode(type: string | undefined): type is string {
  return type !== undefined && /^[A-Z_]+$/.test(type);
}

function statusCodeOf(status: number): string {
  return STATUS_CODES[status] ?? "UNKNOWN";
}

const STATUS_CODES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function errorEvent({ type, message }: ProviderError): ServerEvent {
  const status = isStatusCode(type) ? type : "UNAVAILABLE";
  const code = Object.keys(STATUS_CODES).find((each) => STATUS_CODES[Number(each)] === status) ?? 500;
  return { data: { error: { code: Number(code), message, status } } };
}

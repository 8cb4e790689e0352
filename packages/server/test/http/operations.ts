/** Reads the operations of the API from its OpenAPI document, and makes requests for them from a table of values by name. */

import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as startRequest } from "node:http";
import type { TSchema } from "typebox";

/** A schema, as far as requests are made from it. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly JsonSchema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** By content type. */
type Content = Readonly<Record<string, { readonly schema: JsonSchema & TSchema }>>;

/** An operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With `{names}`. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security: readonly [{ readonly token: readonly string[] }];
  readonly "x-events"?: Readonly<Record<string, TSchema>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, TSchema>> };
}

export async function readDocument(url: string): Promise<ApiDocument> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
}

/** Those that erase come last. */
export function listOperations({ paths }: ApiDocument): readonly Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      ...{ path, method: method.toUpperCase(), parameters: operation.parameters ?? [] },
    })),
  );
  return [
    ...operations.filter(({ method }) => method !== "DELETE"),
    ...operations
      .filter(({ operationId }) => operationId !== "eraseSession")
      .filter(({ method }) => method === "DELETE"),
    ...operations.filter(({ operationId }) => operationId === "eraseSession"),
  ];
}

/** Values by name, or by operation and name, such as `move.entryId`. */
export type Values = Readonly<Record<string, unknown>>;

/** A request. The path begins with `/v1`. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What else a request has, or has instead. */
export interface Changes {
  readonly query?: Readonly<Record<string, string>>;
  /** As it is sent. */
  readonly body?: string;
}

/** Throws if a value that the operation requires is not in the table. */
export function createRequest(operation: Operation, values: Values, changes: Changes = {}): ApiRequest {
  const { method, parameters, requestBody } = operation;
  const find = (name: string, isRequired: boolean): unknown => {
    const value = values[`${operation.operationId}.${name}`] ?? values[name];
    if (value === undefined && isRequired) throw new Error(`${operation.operationId} needs a value for \`${name}\``);
    return value;
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(find(name, true))));
  const inQuery = parameters.filter((each) => each.in === "query");
  const parts = new URLSearchParams();
  for (const { name, required } of inQuery) {
    const value = find(name, required);
    if (value !== undefined) parts.append(name, String(value));
  }
  for (const [name, value] of Object.entries(changes.query ?? {})) parts.append(name, value);
  const search = String(parts);
  const [contentType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const request = { method, path: `${path}${search && `?${search}`}`, headers: {} };
  if (!content) return request;
  const headers = { "content-type": contentType ?? "" };
  if (changes.body !== undefined) return { ...request, headers, body: changes.body };
  if (contentType !== "application/json") return { ...request, headers, body: find("file", true) as string };
  return { ...request, headers, body: JSON.stringify(createBody(content.schema, find)) };
}

function createBody(
  { properties = {}, required = [] }: JsonSchema,
  find: (name: string, isRequired: boolean) => unknown,
) {
  const fields = Object.keys(properties).map((name) => [name, find(name, required.includes(name))]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of a stream, only its beginning. */
  readonly text: string;
}

/** Sends a request with the path as it is, which `fetch` would normalize. Of a stream, it reads the first event. */
export async function send(
  url: string,
  { method, path, headers, body }: ApiRequest,
  { token }: { readonly token?: string | undefined } = {},
): Promise<ApiAnswer> {
  const request = startRequest(url, {
    ...{ method, path, agent },
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  request.end(body);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const isStream = answer.headers["content-type"]?.startsWith("text/event-stream");
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    text += chunk;
    if (isStream && text.includes("event:")) break;
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Runs a task for each item, eight at a time. */
export async function forEach<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of left) await run(item);
    }),
  );
}

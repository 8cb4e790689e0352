/** The OpenAPI document: it is valid, lists every route, and each route does what it says. */

import { Validator } from "@seriousme/openapi-schema-validator";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { expect, onTestFinished, test } from "vitest";
import { createClient, startTestServer } from "../support/serve.ts";
import { startStreamedModel } from "../support/streamed-model.ts";
import { useDatabase } from "../support/use-database.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  createRequest,
  forEach,
  type JsonSchema,
  listOperations,
  type Operation,
  readDocument,
  send,
  type Values,
} from "./operations.ts";
import { createThings, startApi } from "./things.ts";

const postgres = useDatabase();

test("HAPI3 the document is valid OpenAPI 3.1 and lists exactly the routes under /v1, each with what a client needs", async () => {
  const { server, url } = await startTestServer(postgres, { worker: false });
  const document = await readDocument(url);
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(JSON.stringify(document)))).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.1");
  const operations = listOperations(document);
  const routes = listRoutes(server.app?.printRoutes({ commonPrefix: false }) ?? "");
  const apiRoutes = routes.filter((route) => route.includes("/v1"));
  expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(apiRoutes.sort());
  expect(routes.filter((route) => !route.includes("/v1")).sort()).toEqual([
    ...["GET /health", "GET /openapi.json", "GET /ready"],
  ]);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const operation of operations) {
    const { operationId, summary, security, responses, path, parameters } = operation;
    expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(summary, operationId).toMatch(/^[A-Z].*\.$/);
    expect(security, operationId).toEqual([{ token: [expect.stringMatching(/^(read|write|admin)$/)] }]);
    const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => `{${name}}`);
    expect(inPath.sort(), operationId).toEqual((path.match(/\{\w+\}/g) ?? []).sort());
    const statuses = Object.keys(responses);
    expect(
      statuses.some((status) => status.startsWith("20")),
      operationId,
    ).toBe(true);
    for (const kind of ["4XX", "5XX"])
      expect(responses[kind]?.content, operationId).toEqual({
        "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
      });
  }
});

/** From the tree that Fastify prints of its router. */
function listRoutes(tree: string): string[] {
  const parents: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", part = "", methods = ""] = /^([│ ]*[├└]── )(\S+)(?: \((.*)\))?/.exec(line) ?? [];
    if (part === "") return [];
    const depth = indent.length / 4 - 1;
    parents.splice(depth, parents.length, part);
    const path = parents.join("").replaceAll(/:(\w+)/g, "{$1}");
    return methods === "" ? [] : methods.split(", ").map((method) => `${method} ${path}`);
  });
}

test("HAPI4 every operation answers a valid request with a status and a body that the document lists", async () => {
  const { url } = await startApi(postgres);
  const document = await readDocument(url);
  const operations = listOperations(document);
  const { client, values } = await createThings(postgres, url, { marker: "lantern" });
  for (const operation of operations) {
    const answer = await send(url, createRequest(operation, values), client);
    const { content } = operation.responses[answer.status] ?? {};
    expect(Object.keys(operation.responses), `${operation.operationId}: ${answer.text}`).toContain(`${answer.status}`);
    expect(findFaults(answer, content), operation.operationId).toEqual([]);
  }
  expect(operations.length).toBeGreaterThan(30);
});

/** Where an answer is not as the document says. */
function findFaults(
  { headers, text }: ApiAnswer,
  content: Operation["responses"][string]["content"],
): readonly unknown[] {
  const [contentType, media] = Object.entries(content ?? {})[0] ?? [];
  if (contentType === undefined || !media) return text === "" ? [] : [`a body that is not documented: ${text}`];
  if (headers["content-type"]?.split(";")[0] !== contentType) return [headers["content-type"]];
  return contentType === "application/json" ? findErrors(media.schema, JSON.parse(text)) : [];
}

function findErrors(schema: TSchema, value: unknown): readonly unknown[] {
  return Value.Check(schema, value)
    ? []
    : Value.Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test("HAPI5 what is not as the document says is refused, and the answer says where", async () => {
  const { url } = await startApi(postgres);
  const document = await readDocument(url);
  const { client, values } = await createThings(postgres, url, { marker: "torch" });
  const problem = document.components.schemas.Problem ?? {};
  const requests = listOperations(document).flatMap((operation) =>
    listInvalidRequests(operation, values).map((request) => ({ request, name: operation.operationId })),
  );
  await forEach(requests, async ({ request, name }) => {
    const answer = await send(url, request, client);
    const label = `${name}: ${request.path} ${String(request.body).slice(0, 200)}`;
    expect([answer.status, answer.headers["content-type"]], label).toEqual([400, PROBLEM_TYPE]);
    expect(findErrors(problem, JSON.parse(answer.text)), label).toEqual([]);
  });
  expect(requests.length).toBeGreaterThan(300);
});

const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

function listInvalidRequests(operation: Operation, values: Values): readonly ApiRequest[] {
  const query = operation.parameters.filter((parameter) => parameter.in === "query");
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return [
    ...query.flatMap(({ name, schema: wanted }) =>
      listWrongTexts(wanted).map((text) => createRequest(operation, { ...values, [name]: text })),
    ),
    ...query.map(({ name }) => createRequest(operation, { ...values, [name]: "1" }, { query: { [name]: "1" } })),
    ...UNKNOWN.map((name) => createRequest(operation, values, { query: { [name]: "red" } })),
    ...(schema ? listWrongBodies(operation, schema, values) : []).map((body) =>
      createRequest(operation, values, { body }),
    ),
  ];
}

const UNKNOWN = ["colour", "__proto__", "constructor", "token", "access_token"];

function listWrongTexts({ type, maxLength, maximum }: JsonSchema): readonly string[] {
  if (type === "integer") return ["x", "1.5", "", `${(maximum ?? 0) + 1}`, "-5"];
  return maxLength === undefined ? [] : ["x".repeat(maxLength + 1)];
}

function listWrongBodies(operation: Operation, schema: JsonSchema, values: Values) {
  const valid = JSON.parse(String(createRequest(operation, values).body)) as Record<string, unknown>;
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const wrong = names.flatMap((name) =>
    listWrongValues(properties[name] ?? {}).map((value) => ({ ...valid, [name]: value })),
  );
  const missing = required.map((name) => ({ ...valid, [name]: undefined }));
  const unknown = names.length > 0 ? [{ ...valid, colour: "red" }] : [];
  return [...[[], "text", 5, true, null, [valid]], ...wrong, ...missing, ...unknown].map((body) =>
    JSON.stringify(body),
  );
}

function listWrongValues(schema: JsonSchema): readonly unknown[] {
  const { anyOf = [schema] } = schema;
  const { maxLength } = anyOf.find((each) => each.maxLength !== undefined) ?? {};
  return [{ wrong: true }, [{ wrong: true }], ...(maxLength === undefined ? [] : ["x".repeat(maxLength + 1)])];
}

test("HAPI6 a stream has the events of the document, and goes on after the last one that a client has", async () => {
  const model = await startStreamedModel();
  const { url } = await startTestServer(postgres, { modelUrl: model.url });
  const client = await createClient(postgres, url);
  const document = await readDocument(url);
  const schemas =
    listOperations(document).find(({ operationId }) => operationId === "followSession")?.["x-events"] ?? {};
  await client.call("POST", "/sessions", { id: "followed" });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const follow = async (headers: Record<string, string>) =>
    await fetch(`${url}/v1/sessions/followed/events`, {
      headers: { authorization: `Bearer ${client.token}`, ...headers },
      signal: stop.signal,
    });
  const events = readEvents(await follow({}));
  await client.call("POST", "/sessions/followed/messages", { content: "Hello" });
  const reply = await model.next();
  const seen: StreamEvent[] = [];
  const readUntil = async (isLast: (event: StreamEvent) => boolean): Promise<void> => {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      seen.push(next.value);
      if (isLast(next.value)) return;
    }
  };
  reply.think("A thought.");
  reply.write("Half of the answer");
  await readUntil(({ event, data }) => event === "delta" && data.kind === "text");
  reply.end();
  await readUntil(({ data }) => JSON.stringify(data).includes('"assistant"'));
  expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(["state", "entry", "delta"]));
  expect(Object.keys(schemas).sort()).toEqual(["delta", "entry", "state"]);
  for (const { event, data } of seen) expect(findErrors(schemas[event] ?? {}, data), event).toEqual([]);
  const ids = seen.filter(({ event }) => event === "entry").map(({ id }) => id);
  expect(ids).toEqual(ids.map((_, index) => `${index}`));
  const resumed = readEvents(await follow({ "last-event-id": ids.at(-2) ?? "" }));
  for await (const { event, id } of resumed) {
    if (event !== "entry") continue;
    expect(id).toBe(ids.at(-1));
    break;
  }
});

interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function* readEvents(answer: Response): AsyncGenerator<StreamEvent> {
  let text = "";
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const event = field("event");
      if (event !== undefined) yield { id: field("id"), event, data: JSON.parse(field("data") ?? "{}") };
    }
  }
}

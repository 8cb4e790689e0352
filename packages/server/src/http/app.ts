/** Creates the HTTP application: checks of requests, tokens, errors, the OpenAPI document and the routes. */

import { isUtf8 } from "node:buffer";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import cors from "@fastify/cors";
import swagger from "@fastify/swagger";
import fastify, {
  type ConnectionError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { UnavailableError } from "../store/connect.ts";
import { authorize, checkOrigin } from "./authorize.ts";
import { type AnyRoute, addRoute, PROBLEM_SCHEMA } from "./define-route.ts";
import {
  describeError,
  type FieldError,
  notFound,
  PROBLEM_TYPE,
  Problem,
  type ProblemCode,
  toProblemBody,
} from "./problems.ts";
import { addOperationRoutes } from "./routes/operations.ts";
import { ProblemSchema } from "./schemas.ts";
import type { Service } from "./service.ts";

/** Options of the HTTP side of a server. */
export interface HttpOptions {
  /** Web pages of these origins may call the API. Default: none. */
  readonly origins?: readonly string[];
  /** Where records of the log go; false for none. They contain no content. Default: stdout. */
  readonly log?: boolean | { readonly write: (line: string) => void };
  /** The largest body of a request, in bytes. Default: 1 MiB; a session file may have 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Whether addresses of clients come from the headers of a proxy. Default: false. */
  readonly trustProxy?: boolean;
  /** A request has to be there in this time, header and body. Default: 30 seconds. */
  readonly requestMs?: number;
  /** How often a stream shows that it lives, and looks whether its token still does. Default: 15 seconds. */
  readonly heartbeatMs?: number;
}

export interface AppOptions extends HttpOptions {
  readonly isStopping: () => boolean;
}

const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;

const REQUEST_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;

export async function createApp(
  service: Service,
  routes: readonly AnyRoute[],
  options: AppOptions,
): Promise<FastifyInstance> {
  const { origins = [], log = true, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, trustProxy = false, isStopping } = options;
  const { requestMs = REQUEST_MS } = options;
  const app: FastifyInstance = fastify({
    ...{ bodyLimit: maxBodyBytes, trustProxy, requestTimeout: requestMs, connectionTimeout: 0 },
    // A stream stays open; the close of the server ends it.
    ...{ forceCloseConnections: true, return503OnClosing: true, routerOptions: { maxParamLength: 1_000 } },
    http: {
      ...{ maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: requestMs, insecureHTTPParser: false },
      connectionsCheckingInterval: Math.ceil(requestMs / 4),
    },
    // `HEAD` on a stream would follow a session.
    exposeHeadRoutes: false,
    clientErrorHandler: answerClientError,
    logger: createLogger(log),
    logController: new LogController({ disableRequestLogging: true }),
  });
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => createCheck(schema, httpPart ?? "body"));
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem.status >= 500) request.log.error({ err: describeError(error) }, "request failed");
    void reply
      .code(problem.status)
      .header("content-type", PROBLEM_TYPE)
      .send(JSON.stringify(toProblemBody(problem)));
  });
  app.setNotFoundHandler(() => {
    throw notFound("route");
  });
  if (origins.length > 0)
    await app.register(cors, { origin: [...origins], methods: ["GET", "POST", "PUT", "DELETE"], maxAge: 600 });
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    checkFraming(request, reply);
    checkOrigin(request, origins);
    await authorize(request, service.database);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, routeOptions, caller } = request;
    const ids = { tenant: caller?.tenant, token: caller?.tokenId };
    const time = { ms: Math.round(reply.elapsedTime) };
    request.log.info({ method, route: routeOptions.url, status: reply.statusCode, ...ids, ...time }, "request");
  });
  app.addSchema({ $id: PROBLEM_SCHEMA, ...ProblemSchema });
  await app.register(swagger, {
    openapi: OPENAPI,
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, index) => String($id ?? `schema-${index}`) },
  });
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, body, done) => {
    // Bytes that are no text would become other characters.
    if (!isUtf8(body)) return done(new Problem("invalid-request", "the body is not UTF-8"));
    if (isDeep(body)) return done(new Problem("invalid-request", `the body is nested more than ${MAX_DEPTH} times`));
    parseJson(request, body.toString(), done);
  });
  app.addContentTypeParser("application/x-ndjson", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  await app.register(async (scope) => {
    for (const route of routes) addRoute(scope, route, service.database);
    addOperationRoutes(scope, service, { isStopping });
  });
  return app;
}

const MAX_DEPTH = 100;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/** Whoever walks through a value must not run out of stack. */
function isDeep(json: Buffer): boolean {
  let [depth, isInString] = [0, false];
  for (let index = 0; index < json.length && depth <= MAX_DEPTH; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) index += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.includes(byte)) depth += 1;
    else if (CLOSING.includes(byte)) depth -= 1;
  }
  return depth > MAX_DEPTH;
}

const OPENAPI = {
  openapi: "3.1.0",
  info: {
    title: "Pith",
    version: "1",
    description: "Sessions of agents. Errors are described as in RFC 9457.",
  },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
} as const;

/** Nothing of an answer is a page, or belongs into a cache. */
const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Proxies may see another end of such a request, or another host. */
function checkFraming({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { httpVersion, headers, rawHeaders } = raw;
  const isChunked = headers["transfer-encoding"] !== undefined;
  // `inject` of Fastify has these, and not `headersDistinct`.
  const hasOneHost = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length <= 1;
  if (hasOneHost && (httpVersion === "1.1" || (httpVersion === "1.0" && !isChunked))) return;
  void reply.header("connection", "close");
  throw new Problem("invalid-request", "send HTTP/1.1 with one header `Host`");
}

/** What is no request, or comes too slowly. Node has no request then. */
function answerClientError({ code }: ConnectionError, socket: Socket): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  const problem = CLIENT_ERRORS[code] ?? "invalid-request";
  const body = JSON.stringify(toProblemBody(new Problem(problem, "the request cannot be read")));
  const headers = { ...SECURITY_HEADERS, "content-type": PROBLEM_TYPE, "content-length": Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = new Problem(problem, "");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}connection: close\r\n\r\n${body}`);
}

const CLIENT_ERRORS: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "too-slow",
};

/** Paths contain ids of sessions, and bodies content: neither is in a record. */
function createLogger(log: NonNullable<HttpOptions["log"]>): NonNullable<FastifyServerOptions["logger"]> {
  if (log === false) return false;
  const serializers = { req: () => ({}), res: () => ({}) };
  return { level: "info", serializers, ...(typeof log === "object" && { stream: log }) };
}

function createCheck(schema: TSchema, part: string) {
  const compiled = Compile(schema);
  return (data: unknown): { value: unknown } | { error: Error } => {
    const value = part === "body" ? data : convertNumbers(schema, Object(data));
    if (compiled.Check(value)) return { value };
    const errors: FieldError[] = compiled
      .Errors(value)
      .slice(0, MAX_ERRORS)
      .map(({ instancePath, message }) => ({ at: `${part}${instancePath}`, message }));
    const [first] = errors;
    return {
      error: new Problem("invalid-request", `${first?.at ?? part} ${first?.message ?? "is not valid"}`, errors),
    };
  };
}

const MAX_ERRORS = 10;

/** Values of a query are texts. What is not a whole number stays one, and is refused. */
function convertNumbers(schema: TSchema, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
  const convert = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => {
    const isNumber = Object.hasOwn(properties, name) && properties[name]?.type === "integer";
    return [name, isNumber && typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value];
  };
  return Object.fromEntries(Object.entries(data).map(convert));
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnavailableError) return new Problem("unavailable", error.message);
  const { statusCode, code } = Object(error) as { readonly statusCode?: unknown; readonly code?: unknown };
  if (statusCode === 413) return new Problem("too-large", "send less in one request");
  if (statusCode === 415)
    return new Problem("wrong-type", "send JSON, with the header `Content-Type: application/json`");
  if (statusCode === 503) return new Problem("unavailable", "the server is stopping; try again");
  if (typeof statusCode === "number" && statusCode < 500)
    return new Problem(
      "invalid-request",
      `the request cannot be read (${typeof code === "string" ? code : statusCode})`,
    );
  return new Problem("internal", "something failed here; the server's log says what");
}

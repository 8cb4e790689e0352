/** Defines a route of the API once: its path, who may call it, what it takes and what it answers. */

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { Database } from "../store/connect.ts";
import { recordAction } from "../tenants/audit.ts";
import type { Caller, Scope } from "../tenants/tokens.ts";
import { NO_TOKEN } from "./authorize.ts";
import { Problem } from "./problems.ts";
import { object } from "./schemas.ts";

/** A route of `/v1`. */
export interface Route<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly method: HTTPMethods;
  /** Without `/v1`. */
  readonly path: string;
  /** The name of the operation in the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The content type of the body, which is not checked then. Default: JSON. */
  readonly consumes?: string;
  /** Headers besides those of every request. */
  readonly headers?: TSchema;
  /** By status. */
  readonly answers: Readonly<Record<number, TSchema | OtherAnswer>>;
  /** The events of a stream: what `data` of each contains. */
  readonly events?: Readonly<Record<string, TSchema>>;
  /** So many requests at once on this server, whose bodies are in memory. Default: any. */
  readonly maxAtOnce?: number;
  /** What the audit log calls it. Absent for what changes nothing. */
  readonly action?: string;
  handle(call: Call<Params, Query, Body>): Promise<unknown>;
}

/** An answer that is no JSON. */
export interface OtherAnswer {
  readonly contentType: string;
  readonly schema: TSchema;
}

/** A request that was checked. */
export interface Call<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly caller: Caller;
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A route whose types are forgotten. */
export type AnyRoute = Route<TSchema, TSchema, TSchema>;

export function defineRoute<
  Params extends TSchema = TObject,
  Query extends TSchema = TObject,
  Body extends TSchema = TObject,
>(route: Route<Params, Query, Body>): AnyRoute {
  return route as unknown as AnyRoute;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly scope?: Scope;
    readonly action?: string;
  }
  interface FastifyRequest {
    /** Set before the body is read, on routes with a scope. */
    caller: Caller | null;
  }
}

/** Its schema is also what the OpenAPI document says. */
export function addRoute(app: FastifyInstance, route: AnyRoute, database: Database): void {
  const { method, path, name, summary, scope, params, query, headers, answers, events, maxAtOnce, action, handle } =
    route;
  const body = describeBody(route);
  app.route({
    method,
    url: `/v1${path}`,
    config: { scope, ...(action !== undefined && { action }) },
    schema: {
      ...{ operationId: name, summary, tags: [path.split("/")[1] ?? ""] },
      description: `Needs a token with the scope \`${scope}\`.`,
      security: [{ token: [scope] }],
      ...(params && { params }),
      // An unknown parameter is refused on every route.
      querystring: query ?? NO_QUERY,
      ...(headers && { headers }),
      ...(body && { body }),
      response: describeAnswers(answers),
      ...(events && { "x-events": events }),
    },
    ...(route.consumes !== undefined && { bodyLimit: MAX_FILE_BYTES }),
    ...(maxAtOnce !== undefined && { preParsing: createGate(maxAtOnce) }),
    handler: async (request, reply) => {
      const { caller } = request;
      if (!caller) throw new Problem("unauthorized", NO_TOKEN);
      const call = { caller, params: request.params, query: request.query, body: request.body, request, reply };
      return action === undefined ? await handle(call) : await record(database, action, call, handle);
    },
  });
}

/** What cannot be recorded is not done. */
async function record(
  database: Database,
  action: string,
  call: Parameters<AnyRoute["handle"]>[0],
  handle: AnyRoute["handle"],
): Promise<unknown> {
  const { tenant, tokenId: token } = call.caller;
  const { session } = Object(call.params) as { readonly session?: string };
  const about = { action, token, ...(session !== undefined && { session }) };
  await recordAction(database, tenant, { ...about, outcome: "requested" });
  try {
    return await handle(call);
  } catch (error) {
    const outcome = error instanceof Problem ? "refused" : "failed";
    const details = error instanceof Problem && { details: { problem: error.code } };
    await recordAction(database, tenant, { ...about, outcome, ...details });
    throw error;
  }
}

const NO_QUERY = object({});

/** A session file. Other bodies have the limit of the application. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Refuses requests before their bodies are read. */
function createGate(max: number) {
  let count = 0;
  return async (_: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Who left while the token was looked up is not there to leave again.
    if (reply.raw.destroyed || count >= max)
      throw new Problem("too-many", "the server does this for others already; try again later");
    count += 1;
    reply.raw.once("close", () => {
      count -= 1;
    });
  };
}

function describeBody({ body, consumes }: AnyRoute): object | undefined {
  return body && consumes !== undefined ? { content: { [consumes]: { schema: body } } } : body;
}

function describeAnswers(answers: AnyRoute["answers"]): Readonly<Record<string, unknown>> {
  const described = Object.entries(answers).map(([status, answer]) => [
    status,
    isOther(answer)
      ? { description: "Success", content: { [answer.contentType]: { schema: answer.schema } } }
      : { description: "Success", ...answer },
  ]);
  const problem = {
    description: "A problem",
    content: { "application/problem+json": { schema: { $ref: `${PROBLEM_SCHEMA}#` } } },
  };
  return Object.fromEntries([...described, ["4xx", problem], ["5xx", problem]]);
}

function isOther(answer: TSchema | OtherAnswer): answer is OtherAnswer {
  return "contentType" in answer;
}

/** The name in the OpenAPI document. */
export const PROBLEM_SCHEMA = "Problem";

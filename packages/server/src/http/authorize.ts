/** Decides whether a request may be made: the page that it comes from, its token, and the scope and session of that token. */

import type { FastifyRequest } from "fastify";
import type { Database } from "../store/connect.ts";
import { authenticate, type Caller } from "../tenants/tokens.ts";
import { notFound, Problem } from "./problems.ts";

/** A page of another origin has no token of ours. If it has one, it must be a page that the operator named. */
export function checkOrigin({ headers: { origin, host } }: FastifyRequest, origins: readonly string[]): void {
  if (origin === undefined || origins.includes(origin) || URL.parse(origin)?.host === host) return;
  throw new Problem("forbidden", "pages of this origin may not call the API; the operator can add it to `origins`");
}

/** Another tenant's session, and one that does not exist, are the same to a caller. */
export async function authorize(request: FastifyRequest, database: Database): Promise<void> {
  const { scope } = request.routeOptions.config;
  if (scope === undefined) return;
  const caller = await findCaller(request, database);
  if (!caller) throw new Problem("unauthorized", NO_TOKEN);
  request.caller = caller;
  if (!caller.scopes.includes(scope)) throw new Problem("forbidden", `this needs a token with the scope \`${scope}\``);
  if (caller.session === null) return;
  const { session } = Object(request.params) as { readonly session?: unknown };
  if (session === undefined) requireWholeTenant(caller);
  if (session !== caller.session) throw notFound("session");
}

/** Null without a token that is valid now. */
export async function findCaller({ headers }: FastifyRequest, database: Database): Promise<Caller | null> {
  const [, token] = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization ?? "") ?? [];
  return token === undefined ? null : await authenticate(database, token);
}

/** Throws a problem if the token is for one session: what this route reads or makes is outside it. */
export function requireWholeTenant({ session }: Caller): void {
  if (session !== null) throw new Problem("forbidden", "this token is for one session");
}

export const NO_TOKEN = "send the header `Authorization: Bearer TOKEN` with a token that is valid";

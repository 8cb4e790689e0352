/** Routes for tokens: of the tenant, and short-lived ones for one session in a browser. */

import {
  type CreatedToken,
  createToken,
  type ListedToken,
  listTokens,
  revokeToken,
  rotateToken,
} from "../../tenants/tokens.ts";
import { requireWholeTenant } from "../authorize.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { notFound, Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";

const SESSION_TOKEN_SECONDS = 900;

export function createTokenRoutes({ database }: Service): readonly AnyRoute[] {
  return [
    defineRoute({
      ...{
        method: "GET",
        path: "/tokens",
        name: "listTokens",
        scope: "admin",
        summary: "List the tokens of the tenant.",
      },
      answers: { 200: schemas.Tokens },
      handle: async ({ caller }) => ({ tokens: (await listTokens(database, caller.tenant)).map(toToken) }),
    }),
    defineRoute({
      ...{ method: "POST", path: "/tokens", name: "createToken", scope: "admin", action: "token.create" },
      summary: "Create a token of the tenant. It is shown only in this answer.",
      body: schemas.NewToken,
      answers: { 201: schemas.CreatedToken },
      handle: async ({ caller: { tenant, tokenId }, body: { expiresIn, ...token }, reply }) => {
        const expiry = expiresIn !== undefined && { expiresInMs: expiresIn * 1000 };
        const created = await createToken(database, tenant, { ...token, ...expiry, createdBy: tokenId });
        if (!created) throw new Problem("forbidden", "a token can only make tokens with its own scopes");
        void reply.code(201);
        return toCreatedToken(created);
      },
    }),
    defineRoute({
      ...{ method: "POST", path: "/tokens/:token/rotate", name: "rotateToken", scope: "admin", action: "token.rotate" },
      summary: "Replace the secret of a token. The old one works for a time of grace.",
      params: schemas.TokenParams,
      body: schemas.Rotation,
      answers: { 200: schemas.CreatedToken },
      handle: async ({ caller, params, body: { grace = 0 } }) => {
        const rotated = await rotateToken(database, caller.tenant, params.token, { graceMs: grace * 1000 });
        if (!rotated) throw notFound("token");
        return toCreatedToken(rotated);
      },
    }),
    defineRoute({
      ...{ method: "DELETE", path: "/tokens/:token", name: "revokeToken", scope: "admin", action: "token.revoke" },
      summary: "Revoke a token and the tokens for sessions that were made with it, at once.",
      params: schemas.TokenParams,
      answers: { 204: schemas.Nothing },
      handle: async ({ caller, params, reply }) => {
        if (!(await revokeToken(database, caller.tenant, params.token))) throw notFound("token");
        return await reply.code(204).send();
      },
    }),
    defineRoute({
      ...{ method: "POST", path: "/sessions/:session/tokens", name: "createSessionToken", scope: "write" },
      ...{ action: "token.create", summary: "Create a short-lived token for one session, such as for a browser." },
      params: schemas.SessionParams,
      body: schemas.NewSessionToken,
      answers: { 201: schemas.CreatedToken },
      handle: async ({ caller, params: { session }, body, reply }) => {
        requireWholeTenant(caller);
        const { name = "browser", scopes = ["read", "write"], expiresIn = SESSION_TOKEN_SECONDS } = body;
        const token = { name, scopes, session, expiresInMs: expiresIn * 1000, createdBy: caller.tokenId };
        const created = await createToken(database, caller.tenant, token);
        if (!created) throw notFound("session");
        void reply.code(201);
        return toCreatedToken(created);
      },
    }),
  ];
}

function toToken({ created, expires, revoked, used, ...token }: ListedToken) {
  const toText = (time: Date | null): string | null => time?.toISOString() ?? null;
  const times = {
    created: created.toISOString(),
    expires: toText(expires),
    revoked: toText(revoked),
    used: toText(used),
  };
  const { id, name, scopes, session } = token;
  return { id, name, scopes, session, ...times };
}

function toCreatedToken(created: CreatedToken) {
  return { ...toToken(created), token: created.token };
}

/** Creates, checks, rotates and revokes the tokens of callers. The database has only their hashes. */

import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Database } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import { checkTenant } from "../store/sessions.ts";

/**
 * `read`: look at sessions. `write`: send messages, answer questions, move and compact. `admin`: settings, keys, tokens, the audit log,
 * erasure and legal holds. No scope includes another.
 */
export type Scope = "read" | "write" | "admin";

/** Whoever a token belongs to. */
export interface Caller {
  readonly tenant: string;
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  /** The only session that it may use. Null: all of the tenant. */
  readonly session: string | null;
}

/** A token to create. */
export interface NewToken {
  /** For people: shown in lists and in the audit log. At most 100 characters. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only session that it may use, such as for a browser. It has no scope `admin`, expires, and dies with the session. */
  readonly session?: string;
  /** Default: never, or an hour for a token of one session. */
  readonly expiresInMs?: number;
  /** The id of the token that makes it. A token of one session dies with this one, and has no scope that this one lacks, unless that is an `admin`. */
  readonly createdBy?: string;
}

/** A token in a list, without its secret. */
export interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly session: string | null;
  readonly created: Date;
  readonly expires: Date | null;
  readonly revoked: Date | null;
  /** Within a minute. Null: never. */
  readonly used: Date | null;
}

/** A token with its secret, which can be shown only now. */
export interface CreatedToken extends ListedToken {
  readonly token: string;
}

const SESSION_TOKEN_MS = 60 * 60_000;

/**
 * Creates a token; a tenant exists from its first token on. Returns null if the tenant has no such session, or if the token that makes it
 * is dead, has fewer scopes, or may use only one session itself. Throws if the token is invalid.
 */
export async function createToken(
  database: Database,
  tenant: string,
  newToken: NewToken,
): Promise<CreatedToken | null> {
  checkTenant(tenant);
  const fault = findFault(newToken);
  if (fault !== null) throw new Error(fault);
  const { name, session = null, createdBy = null } = newToken;
  const { expiresInMs = session === null ? null : SESSION_TOKEN_MS } = newToken;
  const scopes = [...new Set(newToken.scopes)];
  const id = randomUUID();
  const token = createSecret();
  const storedSession = session === null ? null : toStoredText(session);
  const values = [tenant, id, hashSecret(token), name, scopes, storedSession, createdBy, expiresInMs];
  const [row] = await database.readRows<Pick<ListedToken, "created" | "expires">>("create_token", values);
  return row ? { token, id, name, scopes, session, ...row, revoked: null, used: null } : null;
}

function findFault({ name, scopes, session, expiresInMs, createdBy }: NewToken): string | null {
  if (!TOKEN_NAME.test(name)) return "a token has a name of 1 to 100 characters without line breaks";
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.includes(scope)))
    return `a token has one or more of the scopes ${SCOPES.join(", ")}`;
  if (session !== undefined && scopes.includes("admin")) return "a token of one session cannot have the scope admin";
  if (expiresInMs !== undefined && !(expiresInMs > 0 && expiresInMs <= LONGEST_MS))
    return "a token expires in more than 0 milliseconds and at most 10 years";
  if (createdBy !== undefined && !TOKEN_ID.test(createdBy)) return "the id of a token is a UUID";
  return null;
}

const SCOPES: readonly Scope[] = ["read", "write", "admin"];
const TOKEN_NAME = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
const TOKEN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST_MS = 10 * 366 * 24 * 60 * 60_000;

/** 256 random bits, so that a hash without salt is enough, and no secret can be tried out. */
function createSecret(): string {
  return `pith_${randomBytes(32).toString("base64url")}`;
}

function hashSecret(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

const SECRET = /^pith_[\w-]{43}$/;

/**
 * Finds whoever a token belongs to, in one round trip. Null if it is unknown, expired or revoked. The lookup compares hashes, so its time
 * says nothing about secrets that exist.
 */
export async function authenticate(database: Database, token: string): Promise<Caller | null> {
  if (!SECRET.test(token)) return null;
  const [row] = await database.readRows<CallerRow>("authenticate", [hashSecret(token)]);
  if (!row) return null;
  const { tenant, id, scopes, session } = row;
  return { tenant, tokenId: id, scopes, session: session === null ? null : fromStoredText(session) };
}

interface CallerRow {
  readonly tenant: string;
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly session: string | null;
}

/** The tokens of a tenant, the oldest first, and the dead ones for a while. Those of single sessions are not listed. */
export async function listTokens(database: Database, tenant: string): Promise<readonly ListedToken[]> {
  checkTenant(tenant);
  const rows = await database.readRows<Omit<ListedToken, "session">>("list_tokens", [tenant]);
  return rows.map((row) => ({ ...row, session: null }));
}

/** Revokes a token at once, and the tokens of sessions that it made. Returns false if the tenant has no such token, or no longer. */
export async function revokeToken(database: Database, tenant: string, id: string): Promise<boolean> {
  checkTenant(tenant);
  return TOKEN_ID.test(id) && (await database.call<boolean>("revoke_token", [tenant, id]));
}

/** Gives a token a new secret; the old one works for `graceMs`. Null if there is no such token, if it is dead, or if it is one of a session. */
export async function rotateToken(
  database: Database,
  tenant: string,
  id: string,
  { graceMs }: { readonly graceMs: number },
): Promise<CreatedToken | null> {
  checkTenant(tenant);
  if (!(graceMs >= 0 && graceMs <= LONGEST_MS)) throw new Error("the time of grace is 0 or more milliseconds");
  if (!TOKEN_ID.test(id)) return null;
  const token = createSecret();
  const values = [tenant, id, hashSecret(token), graceMs];
  const [row] = await database.readRows<Omit<CreatedToken, "token" | "id">>("rotate_token", values);
  return row ? { ...row, token, id, session: null, revoked: null } : null;
}

/** Removes tokens that have been dead for a week. Returns how many rows it removed. */
export async function removeDeadTokens(database: Database, limit: number): Promise<number> {
  return await database.call<number>("remove_dead_tokens", [KEEP_DEAD_MS, limit]);
}

const KEEP_DEAD_MS = 7 * 24 * 60 * 60_000;

/** Creates, opens and lists the sessions of a tenant. */

import type { Header, Runtime } from "@pith/context";
import { createHeader, readReservedNumber } from "@pith/context/store";
import type { Database } from "./connect.ts";
import { fromStoredText, toEntry, toStoredText } from "./entry-rows.ts";
import { PostgresStore } from "./postgres-store.ts";

/** Where a new session belongs. */
export interface NewSession {
  /** The working directory of the session. */
  readonly cwd: string;
  /** Its id, such as the one that a client has chosen. Default: a new one. */
  readonly id?: string;
}

/** Creates an empty session and opens it for writing; a tenant exists from its first session on. Throws if the tenant has a session of this id. */
export async function createSession(
  database: Database,
  tenant: string,
  { cwd, id, runtime }: NewSession & { readonly runtime: Pick<Runtime, "now" | "sessionId"> },
): Promise<PostgresStore> {
  checkTenant(tenant);
  const created = createHeader({ cwd }, runtime);
  const header = id === undefined ? created : { ...created, id };
  const key = await database.call<string | null>("create_session", [
    tenant,
    toStoredText(header.id),
    JSON.stringify(header),
    readReservedNumber(header),
  ]);
  if (key === null) throw new Error(`the session ${header.id} exists already; open it, or choose another id`);
  const store = await openSession(database, tenant, { id: header.id, mode: "write" });
  if (store === null) throw new Error(`the session ${header.id} was erased`);
  return store;
}

/** How to open a session. A writer takes it over: the writers before it can no longer append. */
export interface OpenSessionOptions {
  readonly id: string;
  readonly mode: "read" | "write";
}

/** Opens a session; null if the tenant has none of this id. */
export async function openSession(
  database: Database,
  tenant: string,
  { id, mode }: OpenSessionOptions,
): Promise<PostgresStore | null> {
  checkTenant(tenant);
  const isWriter = mode === "write";
  const [row] = await database.readRows<SessionRow>("open_session", [tenant, toStoredText(id), isWriter]);
  if (!row) return null;
  return new PostgresStore(database, {
    tenant,
    key: row.key,
    header: JSON.parse(row.header) as Header,
    headerText: row.header,
    token: isWriter ? row.token : null,
    position: { leaf: row.leaf === null ? null : fromStoredText(row.leaf), lastNumber: row.last_number },
  });
}

interface SessionRow {
  readonly key: string;
  readonly header: string;
  readonly token: string;
  readonly leaf: string | null;
  readonly last_number: number;
}

/** A session in a list. */
export interface ListedSession {
  readonly id: string;
  readonly name: string | undefined;
  readonly cwd: string;
  readonly created: Date;
  readonly changed: Date;
  readonly entryCount: number;
}

/** A page of a list. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Pass it as `after` to get the next page; null at the end. */
  readonly next: string | null;
}

/** Lists the sessions of a tenant, the last changed first. Throws if `after` is not the end of a page. */
export async function listSessions(
  database: Database,
  tenant: string,
  { after, limit = 50 }: { readonly after?: string; readonly limit?: number } = {},
): Promise<SessionPage> {
  checkTenant(tenant);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw new Error(`a page has 1 to ${MAX_PAGE} sessions, not ${limit}`);
  const [changed, id] = after === undefined ? [null, null] : parseCursor(after);
  const rows = await database.readRows<ListRow>("list_sessions", [tenant, changed, id, limit]);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { sessions: rows.map(toListedSession), next: last ? `${last.changed_us}-${last.id}` : null };
}

const MAX_PAGE = 1000;

function parseCursor(cursor: string): readonly [changed: string, id: string] {
  const [, changed, id] = /^(\d{1,18})-(.*)$/s.exec(cursor) ?? [];
  if (changed === undefined || id === undefined)
    throw new Error("`after` is not the `next` of a page; leave it out to start at the beginning");
  return [changed, id];
}

interface ListRow {
  readonly id: string;
  readonly header: string;
  readonly created: Date;
  readonly changed: Date;
  /** In microseconds, which a `Date` does not have. */
  readonly changed_us: string;
  readonly entry_count: number;
  /** The line of the entry that names the session. */
  readonly name: string | null;
}

function toListedSession({ id, header, name, created, changed, entry_count }: ListRow): ListedSession {
  const entry = name === null ? undefined : toEntry({ number: null, body: name });
  const text = entry?.type === "session_info" ? entry.name?.trim() || undefined : undefined;
  const { cwd } = JSON.parse(header) as Header;
  return { id: fromStoredText(id), name: text, cwd, created, changed, entryCount: entry_count };
}

/** Throws if the tenant is not a UUID. */
export function checkTenant(tenant: string): void {
  if (!TENANT_ID.test(tenant)) throw new Error(`a tenant is a UUID, not "${tenant}"`);
}

const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

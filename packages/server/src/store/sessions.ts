/** Creates, opens, lists and erases the sessions of a tenant. */

import type { Header, Runtime } from "@pith/context";
import { createHeader, readReservedNumber } from "@pith/context/store";
import type { Database } from "./connect.ts";
import { fromStoredId, toEntry, toStoredId } from "./entry-rows.ts";
import { PostgresStore } from "./postgres-store.ts";

/** Where a new session belongs. */
export interface NewSession {
  /** The working directory of the session. */
  readonly cwd: string;
  /** Its id, such as the one that a client has chosen. Default: a new one. */
  readonly id?: string;
}

/** Creates an empty session and opens it for writing. Throws if the tenant has a session of this id. */
export async function createSession(
  database: Database,
  tenant: string,
  { cwd, id, runtime }: NewSession & { readonly runtime: Pick<Runtime, "now" | "sessionId"> },
): Promise<PostgresStore> {
  const created = createHeader({ cwd }, runtime);
  const header = id === undefined ? created : { ...created, id };
  const key = await database.call<string | null>("create_session", [
    tenant,
    toStoredId(header.id),
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
  const isWriter = mode === "write";
  const [row] = await database.readRows<SessionRow>("open_session", [tenant, toStoredId(id), isWriter]);
  if (!row) return null;
  return new PostgresStore(database, {
    tenant,
    key: row.key,
    header: JSON.parse(row.header) as Header,
    headerText: row.header,
    token: isWriter ? row.token : null,
    position: { leaf: row.leaf === null ? null : fromStoredId(row.leaf), lastNumber: row.last_number },
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
  readonly created: Date;
  readonly changed: Date;
  readonly entries: number;
}

/** A page of a list. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Pass it as `after` to get the next page; null at the end. */
  readonly next: string | null;
}

/** Lists the sessions of a tenant, the last changed first. */
export async function listSessions(
  database: Database,
  tenant: string,
  { after, limit = 50 }: { readonly after?: string; readonly limit?: number } = {},
): Promise<SessionPage> {
  const [changed = null, key = null] = after === undefined ? [] : after.split("/");
  const rows = await database.readRows<ListRow>("list_sessions", [tenant, changed, key, limit]);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { sessions: rows.map(toListedSession), next: last ? `${last.changed_text}/${last.key}` : null };
}

interface ListRow {
  readonly key: string;
  readonly id: string;
  readonly created: Date;
  readonly changed: Date;
  /** In microseconds, which a `Date` does not have. */
  readonly changed_text: string;
  readonly entries: number;
  /** The line of the entry that names the session. */
  readonly name: string | null;
}

function toListedSession({ id, name, created, changed, entries }: ListRow): ListedSession {
  const entry = name === null ? undefined : toEntry({ number: null, body: name });
  const text = entry?.type === "session_info" ? entry.name?.trim() || undefined : undefined;
  return { id: fromStoredId(id), name: text, created, changed, entries };
}

/** Erases a session with all that belongs to it. Returns false if the tenant has none of this id. */
export async function eraseSession(database: Database, tenant: string, id: string): Promise<boolean> {
  return database.call<boolean>("erase_session", [tenant, toStoredId(id)]);
}

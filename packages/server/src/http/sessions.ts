/** Opens sessions for requests, and reads what the API shows of them. */

import type { Entry } from "@pith/context";
import type { SessionStatus } from "../live/follower.ts";
import type { Database } from "../store/connect.ts";
import { fromStoredText, toEntry, toStoredText } from "../store/entry-rows.ts";
import type { PostgresStore } from "../store/postgres-store.ts";
import { checkTenant, openSession } from "../store/sessions.ts";
import { notFound } from "./problems.ts";

/** A session as the API shows it. */
export interface SessionView {
  readonly id: string;
  readonly name?: string;
  readonly created: string;
  readonly changed: string;
  readonly entryCount: number;
  readonly leaf: string | null;
  readonly lastSeq: number;
  readonly status: SessionStatus;
  readonly openQuestions: number;
}

interface SessionRow {
  readonly key: string;
  readonly created: Date;
  readonly changed: Date;
  readonly leaf: string | null;
  readonly last_seq: number;
  readonly name: string | null;
  readonly status: SessionStatus;
  readonly open_questions: number;
}

/** Throws a problem if the tenant has no such session. */
export async function readSession(
  database: Database,
  tenant: string,
  id: string,
): Promise<{ readonly key: string; readonly view: SessionView }> {
  checkTenant(tenant);
  const [row] = await database.readRows<SessionRow>("read_session", [tenant, toStoredText(id)]);
  if (!row) throw notFound("session");
  const { key, created, changed, leaf, last_seq: lastSeq, status, open_questions: openQuestions } = row;
  const entry = row.name === null ? null : toEntry({ number: null, body: row.name });
  const name = entry?.type === "session_info" ? entry.name?.trim() : undefined;
  const view: SessionView = {
    ...{ id, ...(name && { name }), created: created.toISOString(), changed: changed.toISOString() },
    ...{ entryCount: lastSeq + 1, leaf: leaf === null ? null : fromStoredText(leaf), lastSeq, status, openQuestions },
  };
  return { key, view };
}

/** Opens a session for reading. Throws a problem if the tenant has no such session. */
export async function requireStore(database: Database, tenant: string, id: string): Promise<PostgresStore> {
  const store = await openSession(database, tenant, { id, mode: "read" });
  if (!store) throw notFound("session");
  return store;
}

export interface SeqPage {
  readonly entries: readonly { readonly seq: number; readonly entry: Entry }[];
  readonly next: number | null;
}

/** The entries after this one, in the order of the log. */
export async function readPage(
  store: PostgresStore,
  { after = -1, limit = 100 }: { readonly after?: number | undefined; readonly limit?: number | undefined },
): Promise<SeqPage> {
  const found = await store.entriesFrom(after + 1, limit);
  const entries = found.map((entry, index) => ({ seq: after + 1 + index, entry }));
  return { entries, next: entries.length === limit ? (entries.at(-1)?.seq ?? null) : null };
}

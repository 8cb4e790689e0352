/** Takes sessions for a worker, gives them back, and lists and releases those that no worker runs any more. */

import type { Header } from "@pith/context";
import type { Database } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import { PostgresStore, type SessionRef } from "../store/postgres-store.ts";
import { checkTenant } from "../store/sessions.ts";
import type { InboxContent } from "./inbox.ts";
import { SILENT_MS } from "./intervals.ts";
import type { Wake } from "./wake.ts";

/** How often workers may take over a session without a new entry before it is parked. */
const MAX_TAKEOVERS = 3;

export type HoldResult = TakenSession | { readonly type: NotTaken };

/** `hasQuestions`: whether questions of it are in the table. */
export interface TakenSession {
  readonly type: "taken";
  readonly store: PostgresStore;
  readonly token: string;
  readonly inbox: InboxContent;
  readonly hasQuestions: boolean;
}

/** `idle`: it has no work. `waiting`: its tenant has no place left. `held`: a living worker has it. `parked`: workers ended with it too often. */
type NotTaken = "idle" | "waiting" | "held" | "parked";

/** Takes a session that has work. From then on the worker before this one can append nothing. */
export async function holdSession(
  database: Database,
  { tenant, key }: SessionRef,
  { worker, silentMs = SILENT_MS }: { readonly worker: string; readonly silentMs?: number },
): Promise<HoldResult> {
  const values = [tenant, key, worker, silentMs, MAX_TAKEOVERS];
  const [row] = await database.readRows<HoldRow>("hold_session", values);
  if (row?.state !== "taken") return { type: row?.state ?? "idle" };
  const store = new PostgresStore(database, {
    tenant,
    key,
    header: JSON.parse(row.header) as Header,
    headerText: row.header,
    token: row.token,
    absentIds: row.messages.flatMap(({ id, isInLog }) => (isInLog ? [] : [fromStoredText(id)])),
    hasPreparedSummary: row.has_prepared_summary,
    position: { leaf: row.leaf === null ? null : fromStoredText(row.leaf), lastNumber: row.last_number },
  });
  return { type: "taken", store, token: row.token, inbox: row, hasQuestions: row.has_questions };
}

type HoldRow =
  | { readonly state: NotTaken }
  | ({
      readonly state: "taken";
      readonly header: string;
      readonly token: string;
      readonly leaf: string | null;
      readonly last_number: number;
      readonly has_questions: boolean;
      readonly has_prepared_summary: boolean;
    } & InboxContent);

/**
 * Why a run ends. `done`: nothing is left of what was accepted so far. `given-back`: another worker has to go on. `waiting`: it goes on when
 * its tenant has a place again.
 */
export type ReleaseReason =
  | { readonly type: "done"; readonly accepted: string }
  | { readonly type: "given-back" | "waiting" };

export interface ReleaseOptions {
  readonly token: string;
  /** Messages that are in the log, while the inbox still has their texts. */
  readonly delivered: readonly string[];
  readonly reason: ReleaseReason;
}

/** `next`: the session that waited for the place, which needs a worker now. */
export type ReleaseResult =
  | { readonly isReleased: true; readonly next: SessionRef | null }
  | { readonly isReleased: false };

/** It is not released if a message came in meanwhile: then the session stays with its worker. */
export async function releaseSession(
  database: Database,
  { tenant, key }: SessionRef,
  { token, delivered, reason }: ReleaseOptions,
): Promise<ReleaseResult> {
  const accepted = reason.type === "done" ? reason.accepted : null;
  const values = [tenant, key, token, delivered, reason.type, accepted];
  const [row] = await database.readRows<ReleaseRow>("release_session", values);
  if (!row?.is_released) return { isReleased: false };
  const { next_tenant, next_key } = row;
  return { isReleased: true, next: next_key === null ? null : { tenant: next_tenant, key: next_key } };
}

interface ReleaseRow {
  readonly is_released: boolean;
  readonly next_tenant: string;
  readonly next_key: string | null;
}

/** A session that no worker runs, because workers ended with it. */
export interface ParkedSession {
  readonly id: string;
  readonly why: string;
  readonly busySince: Date;
}

export async function listParkedSessions(database: Database, tenant: string): Promise<readonly ParkedSession[]> {
  checkTenant(tenant);
  const rows = await database.readRows<{ id: string; parked: string; busy_since: Date }>("list_parked", [tenant]);
  return rows.map(({ id, parked, busy_since }) => ({ id: fromStoredText(id), why: parked, busySince: busy_since }));
}

/** Lets workers run a parked session again. Returns false if it is not parked. */
export async function unparkSession(
  { database, wake }: { readonly database: Database; readonly wake: Wake },
  tenant: string,
  id: string,
): Promise<boolean> {
  checkTenant(tenant);
  const values = [tenant, toStoredText(id)];
  const [row] = await database.readRows<{ was_parked: boolean; wake: string | null }>("unpark_session", values);
  if (row && row.wake !== null) await wake.enqueue({ tenant, key: row.wake }, null);
  return row?.was_parked ?? false;
}

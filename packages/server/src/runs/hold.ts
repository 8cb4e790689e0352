/** Takes sessions for a worker, gives them back, and lists and releases those that no worker runs any more. */

import type { Header } from "@pith/context";
import type { Database } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import { PostgresStore, type SessionRef } from "../store/postgres-store.ts";
import { checkTenant } from "../store/sessions.ts";
import type { Wake } from "./wake.ts";

/** A worker without a beat for this long is silent: others take over its sessions. */
export const SILENT_MS = 5_000;
/** How often workers may take over a session without a new entry before it is parked. */
const MAX_TAKEOVERS = 3;

/** `idle`: it has no work. `held`: a living worker has it. `parked`: workers ended with it too often. */
export type HoldResult =
  | { readonly type: "taken"; readonly store: PostgresStore; readonly token: string }
  | { readonly type: "idle" | "held" | "parked" };

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
    position: { leaf: row.leaf === null ? null : fromStoredText(row.leaf), lastNumber: row.last_number },
  });
  return { type: "taken", store, token: row.token };
}

type HoldRow =
  | { readonly state: "idle" | "held" | "parked" }
  | {
      readonly state: "taken";
      readonly header: string;
      readonly token: string;
      readonly leaf: string | null;
      readonly last_number: number;
    };

/** How a session is given back. */
export interface ReleaseOptions {
  readonly token: string;
  /** The messages that were accepted when the work was found to be done. Null: it is not done, and another worker has to go on. */
  readonly doneAt: string | null;
}

/** Returns false if a message came in meanwhile: then the session stays with its worker. */
export async function releaseSession(
  database: Database,
  { tenant, key }: SessionRef,
  { token, doneAt }: ReleaseOptions,
): Promise<boolean> {
  return await database.call<boolean>("release_session", [tenant, key, token, doneAt !== null, doneAt]);
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
  const key = await database.call<string | null>("unpark_session", [tenant, toStoredText(id)]);
  if (key !== null) await wake.enqueue({ tenant, key }, null);
  return key !== null;
}

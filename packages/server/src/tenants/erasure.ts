/** Erases sessions and tenants with everything that belongs to them, unless a legal hold is on them, and sessions that their tenants no longer keep. */

import type { Database } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import { checkTenant } from "../store/sessions.ts";

/** `held`: a legal hold is on the session, or on the tenant or one of its sessions. */
export type EraseResult = "erased" | "held" | "not-found";

/** Who erases, for the audit log. */
export interface EraseOptions {
  /** The id of the caller's token. */
  readonly token?: string;
}

/**
 * Erases a session with all that belongs to it. A run of it is stopped within a second or two, and then the workers remove its files. The audit log
 * keeps the record of this, with the key of the session.
 */
export async function eraseSession(
  database: Database,
  tenant: string,
  id: string,
  { token }: EraseOptions = {},
): Promise<EraseResult> {
  checkTenant(tenant);
  return await database.call<EraseResult>("erase_session", [tenant, toStoredText(id), token ?? null, null]);
}

/** Erases a tenant with all that belongs to it. Its id can never be used again. */
export async function eraseTenant(database: Database, tenant: string): Promise<EraseResult> {
  checkTenant(tenant);
  return await database.call<EraseResult>("erase_tenant", [tenant]);
}

/** What a legal hold is on. */
export interface HoldTarget {
  /** The id of a session. Absent: the tenant with all of its sessions. */
  readonly session?: string;
}

/** While it is on, nothing of the session or the tenant is erased. Returns false if there is none. */
export async function placeLegalHold(
  database: Database,
  tenant: string,
  { session, reason }: HoldTarget & { readonly reason: string },
): Promise<boolean> {
  if (reason === "" || reason.length > MAX_REASON) throw new Error(`a reason has 1 to ${MAX_REASON} characters`);
  return await setLegalHold(database, tenant, { session, reason: toStoredText(reason) });
}

const MAX_REASON = 1_000;

/** Returns false if there is no such session or tenant. */
export async function liftLegalHold(
  database: Database,
  tenant: string,
  { session }: HoldTarget = {},
): Promise<boolean> {
  return await setLegalHold(database, tenant, { session, reason: null });
}

async function setLegalHold(
  database: Database,
  tenant: string,
  { session, reason }: { readonly session: string | undefined; readonly reason: string | null },
): Promise<boolean> {
  checkTenant(tenant);
  const storedSession = session === undefined ? null : toStoredText(session);
  return await database.call<boolean>("set_legal_hold", [tenant, storedSession, reason]);
}

/** A legal hold. */
export interface LegalHold {
  /** Null: on the tenant. */
  readonly session: string | null;
  readonly reason: string;
}

export async function listLegalHolds(database: Database, tenant: string): Promise<readonly LegalHold[]> {
  checkTenant(tenant);
  const rows = await database.readRows<LegalHold>("list_legal_holds", [tenant]);
  return rows.map(({ session, reason }) => ({
    session: session === null ? null : fromStoredText(session),
    reason: fromStoredText(reason),
  }));
}

/** Erases sessions of one tenant that keeps its sessions for a time. Each tenant is looked at once in `everyMs`. Returns how many it erased. */
export async function eraseOutdatedSessions(
  database: Database,
  { everyMs, limit }: { readonly everyMs: number; readonly limit: number },
): Promise<number> {
  const outdated = await database.readRows<{ tenant: string; session: string }>("find_outdated_sessions", [
    ...[everyMs, limit],
  ]);
  for (const { tenant, session } of outdated)
    await database.call("erase_session", [tenant, session, null, "retention"]);
  return outdated.length;
}

/** What was erased. `key`: that of the session; null for the tenant with all of its sessions. */
export interface ErasedFiles {
  readonly tenant: string;
  readonly key: string | null;
}

/** Removes files of what was erased. It may be called again for the same. */
export type RemoveFiles = (erased: ErasedFiles) => Promise<void>;

/** Calls `remove` for what was erased and is used by no run of a living worker any more. An error leaves the files to the next call. */
export async function removeErasedFiles(
  database: Database,
  { remove, silentMs, limit }: { readonly remove: RemoveFiles; readonly silentMs: number; readonly limit: number },
): Promise<void> {
  const rows = await database.readRows<ErasedFiles & { readonly id: string; readonly worker: string | null }>(
    "find_erased_files",
    [silentMs, limit],
  );
  for (const { id, worker, tenant, key } of rows) {
    await remove({ tenant, key });
    await database.call("mark_files_removed", [id, worker]);
  }
}

/** The audit log of a tenant: what its callers did, and what its agents were permitted to do. No message of a session is in it. */

import { createHash } from "node:crypto";
import type { AuditRecord as PermissionRecord } from "@pith/agent";
import type { Database } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { checkTenant } from "../store/sessions.ts";

/** What a caller did. */
export interface CallerAction {
  /** Such as `settings.write`. */
  readonly action: string;
  /** Such as `done` or `refused`. */
  readonly outcome: string;
  /** The id of the session that it is about. Not recorded if the tenant has none of this id. Default: that of the token, if it may use only one. */
  readonly session?: string;
  /** The id of the caller's token. Its name is recorded as well. */
  readonly token?: string;
  /** As JSON. Names and numbers only: never a text of a message or of a file, or a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records an action. If this rejects, the action must fail: await it before the action. Erasing records itself. */
export async function recordAction(
  database: Database,
  tenant: string,
  { action, outcome, session, token, details }: CallerAction,
): Promise<void> {
  checkTenant(tenant);
  const text = details === undefined ? null : JSON.stringify(details);
  if (text !== null && text.length > MAX_DETAILS) throw new Error(`the details of ${action} are too long for the log`);
  const storedSession = session === undefined ? null : toStoredText(session);
  await database.call("record_action", [tenant, action, outcome, storedSession, token ?? null, text]);
}

const MAX_DETAILS = 10_000;

/** A record of the log. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly outcome: string;
  /** Null if it is about none, or if that was erased. */
  readonly session: string | null;
  /** The key of the session, also if that was erased. */
  readonly sessionKey: string | null;
  readonly token: { readonly id: string; readonly name: string | null } | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** Which records to list. */
export interface AuditQuery {
  /** The id of the last record of the page before. */
  readonly after?: string;
  /** Default: 100, at most 1,000. */
  readonly limit?: number;
  /** Only those about this session. */
  readonly session?: string;
}

/** Lists a page of the log, the newest record first. Throws if `after` is not the id of a record. */
export async function listAudit(
  database: Database,
  tenant: string,
  { after, limit = 100, session }: AuditQuery = {},
): Promise<readonly AuditEntry[]> {
  checkTenant(tenant);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw new Error(`a page has 1 to ${MAX_PAGE} records, not ${limit}`);
  if (after !== undefined && !/^\d{1,18}$/.test(after)) throw new Error("`after` is not the id of a record");
  const storedSession = session === undefined ? null : toStoredText(session);
  const rows = await database.readRows<AuditRow>("list_audit", [tenant, after ?? null, storedSession, limit]);
  return rows.map(({ session: id, session_key: sessionKey, token, token_name: name, details, ...row }) => ({
    ...row,
    session: id === null ? null : fromStoredText(id),
    sessionKey,
    token: token === null ? null : { id: token, name },
    details: details === null ? null : JSON.parse(details),
  }));
}

const MAX_PAGE = 1_000;

interface AuditRow extends Pick<AuditEntry, "id" | "at" | "action" | "outcome" | "session"> {
  readonly session_key: string | null;
  readonly token: string | null;
  readonly token_name: string | null;
  readonly details: string | null;
}

/** Records what an agent was permitted to do. */
export interface DecisionLog {
  record(record: PermissionRecord): void;
  /** Writes what is left. Rejects if that fails; then it is lost. */
  close(): Promise<void>;
}

/** Decisions are written together, at most so much later. */
const FLUSH_MS = 250;
const MAX_PENDING = 200;
/** While PostgreSQL is away, the newest are kept. */
const MAX_KEPT = 10_000;

/** Opens the log of one session. It never delays a decision. Records that could not be written are written with the next ones. */
export function openDecisionLog(database: Database, session: SessionRef): DecisionLog {
  let pending: readonly PermissionRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastWrite: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const records = pending;
    pending = [];
    if (records.length === 0) return;
    await writeDecisions(database, session, records).catch((error: unknown) => {
      pending = [...records, ...pending].slice(-MAX_KEPT);
      throw error;
    });
  };
  const writeInOrder = (): Promise<void> => {
    lastWrite = lastWrite.catch(() => undefined).then(write);
    return lastWrite;
  };
  // `close` tries again, and rejects if that fails as well.
  const writeLater = (): void => void writeInOrder().catch(() => undefined);
  return {
    record(record) {
      pending = [...pending, record];
      if (pending.length >= MAX_PENDING) writeLater();
      else timer ??= setTimeout(writeLater, FLUSH_MS);
    },
    close: writeInOrder,
  };
}

async function writeDecisions(
  database: Database,
  { tenant, key }: SessionRef,
  records: readonly PermissionRecord[],
): Promise<void> {
  const rows = records.map(toRow);
  await database.call("record_decisions", [
    ...[tenant, key, rows.map(({ action }) => action), rows.map(({ outcome }) => outcome)],
    rows.map(({ details }) => JSON.stringify(details)),
  ]);
}

/**
 * `what` stays, because a log without the command, host or file says nothing; it is redacted, and short. The arguments may be a whole file:
 * their hash stays, and the session has them under the number of the entry.
 */
function toRow(record: PermissionRecord) {
  if (record.event === "mode")
    return { action: "permission.mode", outcome: record.to, details: { from: record.from } } as const;
  if (record.event === "grant") {
    const { rule, for: scope, mode } = record;
    return { action: "permission.grant", outcome: scope, details: { rule, mode } } as const;
  }
  const { event: _, action, decision, ...rest } = record;
  const hash = createHash("sha256").update(JSON.stringify(action)).digest("hex");
  return { action: "permission.decision", outcome: decision, details: { ...rest, hash } } as const;
}

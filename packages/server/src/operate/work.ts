/** Lists the sessions of all tenants that have work, for operators. */

import type { SessionStatus } from "../live/follower.ts";
import type { Database } from "../store/connect.ts";
import { fromStoredText } from "../store/entry-rows.ts";

/** A session that has work. It says nothing that a user wrote. */
export interface BusySession {
  readonly tenant: string;
  readonly id: string;
  readonly status: SessionStatus;
  /** The worker that has it. Null if it is on its way, or if there is none. */
  readonly holder: string | null;
  /** Since when it has work. */
  readonly busySince: Date;
  /** The newest entry. */
  readonly changed: Date;
  /** Why it was parked. */
  readonly parked: string | null;
}

/** The longest busy come first. */
export async function listBusySessions(
  database: Database,
  { limit = 1_000 }: { readonly limit?: number } = {},
): Promise<readonly BusySession[]> {
  const rows = await database.readRows<BusyRow>("list_work", [limit]);
  return rows.map(({ id, busy_since: busySince, ...row }) => ({ ...row, id: fromStoredText(id), busySince }));
}

interface BusyRow extends Omit<BusySession, "busySince"> {
  readonly busy_since: Date;
}

/** Accepts messages for sessions, and wakes workers for them. */

import type { UserContent } from "@pith/agent";
import { callText, type Database, inTransaction } from "../store/connect.ts";
import { toStoredText } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { checkTenant } from "../store/sessions.ts";
import { SILENT_MS } from "./intervals.ts";
import type { Wake } from "./wake.ts";

/** A message for a session. */
export interface NewMessage {
  /** Chosen by the client. The same id again is the same message. */
  readonly id: string;
  /** `followUp`: delivered when the model is done, and at once if nothing runs. `steer`: delivered before the next request. `stop`: ends the run. */
  readonly kind: MessageKind;
  /** Empty for `stop`. */
  readonly content: UserContent;
}

export type MessageKind = "followUp" | "steer" | "stop";

/** A message that waits. The id is as stored. */
interface WaitingMessage {
  readonly id: string;
  readonly isInLog: boolean;
  readonly kind: MessageKind | "answer" | "command";
  readonly body: string;
}

/** What is in the inbox of a session. */
export interface InboxContent {
  /** How many messages were accepted so far. */
  readonly accepted: string;
  readonly messages: readonly WaitingMessage[];
}

/** Whoever accepts messages: the database, and how workers are woken. */
export interface Inbox {
  readonly database: Database;
  readonly wake: Wake;
  /** Tells those who follow the session that it has work. A `LiveFeed` or a `LivePublisher`. */
  readonly live?: { markState(session: SessionRef): void };
}

/** Stores a message and wakes a worker, both or neither. Returns false if the tenant has no such session. */
export async function acceptMessage(
  inbox: Inbox,
  tenant: string,
  { session, message }: { readonly session: string; readonly message: NewMessage },
): Promise<boolean> {
  const { id, kind, content } = message;
  const values = [toStoredText(session), toStoredText(id), kind, JSON.stringify(content), SILENT_MS];
  return await acceptWith(inbox, tenant, { name: "accept_message", values });
}

/** Calls a function that stores a message and says which session needs a worker: this one, one that waits longer, or none. */
export async function acceptWith(
  { database, wake, live }: Inbox,
  tenant: string,
  { name, values }: { readonly name: string; readonly values: readonly unknown[] },
): Promise<boolean> {
  checkTenant(tenant);
  const row = await inTransaction(database.pool, async (client) => {
    const { rows } = await client.query<{ key: string; wake: string | null }>({
      name,
      text: `select * from ${callText(name, [tenant, ...values])}`,
      values: [tenant, ...values],
    });
    const [row] = rows;
    if (row && row.wake !== null) await wake.enqueue({ tenant, key: row.wake }, client);
    return row;
  });
  if (row) live?.markState({ tenant, key: row.key });
  return row !== undefined;
}

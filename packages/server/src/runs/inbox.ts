/** Accepts messages for sessions, and brings them into the log of a session that a worker has. */

import type { Agent, UserContent } from "@pith/agent";
import { type Database, inTransaction } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { checkTenant } from "../store/sessions.ts";
import { SILENT_MS } from "./hold.ts";
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

/** Stores a message and wakes a worker, both or neither. Returns false if the tenant has no such session. */
export async function acceptMessage(
  { database, wake }: { readonly database: Database; readonly wake: Wake },
  tenant: string,
  { session, message }: { readonly session: string; readonly message: NewMessage },
): Promise<boolean> {
  checkTenant(tenant);
  const { id, kind, content } = message;
  return await inTransaction(database.pool, async (client) => {
    const { rows } = await client.query<{ key: string; needs_wake: boolean }>({
      name: "accept_message",
      text: "select * from pith.accept_message($1, $2, $3, $4, $5, $6)",
      values: [tenant, toStoredText(session), toStoredText(id), kind, JSON.stringify(content), SILENT_MS],
    });
    const [row] = rows;
    if (row?.needs_wake) await wake.enqueue({ tenant, key: row.key }, client);
    return row !== undefined;
  });
}

interface InboxRow {
  readonly accepted: string;
  readonly id: string | null;
  readonly kind: MessageKind;
  readonly body: string;
}

/** Queues the waiting messages in the log, under their own ids. Returns how many messages were accepted so far. */
export async function deliverMessages(database: Database, { tenant, key }: SessionRef, agent: Agent): Promise<string> {
  const rows = await database.readRows<InboxRow>("read_inbox", [tenant, key]);
  const messages = rows.flatMap(({ id, kind, body }) => (id === null ? [] : [{ id, kind, body }]));
  for (const { id, kind, body } of messages) {
    const content = JSON.parse(body) as UserContent;
    if (kind === "stop") await agent.stop();
    else await agent[kind](content, { id: fromStoredText(id) });
  }
  if (messages.length > 0) await database.call("mark_delivered", [tenant, key, messages.map(({ id }) => id)]);
  return rows[0]?.accepted ?? "0";
}

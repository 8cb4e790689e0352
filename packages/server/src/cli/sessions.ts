/** The commands for sessions that have work: list them, release parked ones, and end runs. */

import { randomUUID } from "node:crypto";
import { type BusySession, listBusySessions } from "../operate/work.ts";
import { unparkSession } from "../runs/hold.ts";
import { acceptMessage, type Inbox } from "../runs/inbox.ts";
import { type CommandCall, type ServerCommand, UsageError } from "./args.ts";
import { withDatabase } from "./database.ts";
import { requireVariable } from "./environment.ts";
import { parseTenant } from "./tenants.ts";

export const listSessionsCommand: ServerCommand = {
  name: "sessions list",
  argumentNames: [],
  description: "List the sessions of all tenants that run, wait or are parked, the longest busy first.",
  flags: { json: { type: "boolean", description: "Print JSON." } },
  run: async ({ flags, environment }) => {
    const sessions = await withDatabase(environment, async (database) => await listBusySessions(database));
    if (flags.json === true) return JSON.stringify(sessions);
    if (sessions.length === 0) return "No session has work.";
    return sessions.map(formatSession).join("\n");
  },
};

export const releaseSessionCommand: ServerCommand = {
  name: "sessions release",
  argumentNames: ["TENANT", "SESSION"],
  description: "Let workers run a parked session again.",
  flags: {},
  run: async (call) => {
    const [tenant, session] = parseSession(call);
    const wasParked = await withInbox(call, async (inbox) => await unparkSession(inbox, tenant, session));
    if (!wasParked) throw new UsageError(`${session} is not parked`);
    return `${session} is released.`;
  },
};

export const abortSessionCommand: ServerCommand = {
  name: "sessions abort",
  argumentNames: ["TENANT", "SESSION"],
  description: "End the run of a session. What is in its log stays.",
  flags: {},
  run: async (call) => {
    const [tenant, session] = parseSession(call);
    const message = { id: randomUUID(), kind: "stop", content: "" } as const;
    const exists = await withInbox(call, async (inbox) => await acceptMessage(inbox, tenant, { session, message }));
    if (!exists) throw new UsageError(`there is no session ${session}`);
    return `The run of ${session} ends.`;
  },
};

function parseSession({ args: [tenant, session = ""] }: CommandCall): readonly [tenant: string, session: string] {
  return [parseTenant(tenant), session];
}

async function withInbox<Result>(
  { environment }: CommandCall,
  task: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const { openDbosWake } = await import("../runs/dbos-wake.ts");
  const wake = await openDbosWake({ connectionString: requireVariable("PITH_DATABASE_URL", environment) });
  try {
    return await withDatabase(environment, async (database) => await task({ database, wake }));
  } finally {
    await wake.close();
  }
}

function formatSession({ tenant, id, status, holder, busySince, parked }: BusySession): string {
  const age = `${Math.round((Date.now() - busySince.getTime()) / 1000)} s`;
  return [tenant, id, status, age, parked ?? holder ?? "-"].join("\t");
}

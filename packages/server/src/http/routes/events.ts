/** The route that streams what happens in a session, as server-sent events. */

import { type AnyRoute, defineRoute } from "../define-route.ts";
import { Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";
import { readSession } from "../sessions.ts";
import { sendEvents } from "../sse.ts";

/** The streams of one tenant on this server. */
const MAX_STREAMS = 1_000;

export function createEventRoutes({ database, feed }: Service): readonly AnyRoute[] {
  const countByTenant = new Map<string, number>();
  const count = (tenant: string, change: number): number => {
    const changed = (countByTenant.get(tenant) ?? 0) + change;
    if (changed > 0) countByTenant.set(tenant, changed);
    else countByTenant.delete(tenant);
    return changed;
  };
  return [
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/events", name: "followSession", scope: "read" },
      summary:
        "Follow a session. The id of an `entry` event is its `seq`: send it as `Last-Event-ID` to go on after it. `delta` events are text that is not in the log yet.",
      params: schemas.SessionParams,
      query: schemas.FollowQuery,
      answers: { 200: "text/event-stream" },
      handle: async ({ caller: { tenant }, params: { session }, query, request, reply }) => {
        const { key } = await readSession(database, tenant, session);
        const after = readLastEventId(request.headers["last-event-id"]) ?? query.after ?? -1;
        if (count(tenant, 1) > MAX_STREAMS) {
          count(tenant, -1);
          throw new Problem("too-many", `a tenant may have ${MAX_STREAMS} streams at once`);
        }
        reply.hijack();
        const stop = new AbortController();
        reply.raw.once("close", () => stop.abort());
        for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
        try {
          await sendEvents(reply.raw, feed.follow({ tenant, key }, { after, signal: stop.signal }));
        } finally {
          count(tenant, -1);
          stop.abort();
        }
        return reply;
      },
    }),
  ];
}

function readLastEventId(header: string | readonly string[] | undefined): number | undefined {
  if (typeof header !== "string" || header === "") return undefined;
  if (!/^\d{1,10}$/.test(header)) throw new Problem("invalid-request", "Last-Event-ID is the id of an event of this session");
  return Number(header);
}

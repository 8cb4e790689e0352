/** The route that streams what happens in a session, as server-sent events. */

import { findCaller } from "../authorize.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { describeError, Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";
import { readSession } from "../sessions.ts";
import { parseLastEventId, streamEvents } from "../sse.ts";

/** The streams of one tenant on this server. */
const MAX_STREAMS = 1_000;

export function createEventRoutes(
  { database, feed }: Service,
  { heartbeatMs }: { readonly heartbeatMs?: number },
): readonly AnyRoute[] {
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
      summary: "Follow a session: its state, its entries and the text of the running reply, as server-sent events.",
      params: schemas.SessionParams,
      query: schemas.FollowQuery,
      headers: schemas.ResumeHeaders,
      answers: { 200: { contentType: "text/event-stream", schema: schemas.EventStream } },
      events: schemas.Events,
      handle: async ({ caller: { tenant }, params: { session }, query, request, reply }) => {
        const { key } = await readSession(database, tenant, session);
        const header = request.headers["last-event-id"];
        const after = header === undefined ? (query.after ?? -1) : parseLastEventId(header);
        if (reply.raw.destroyed) return reply.hijack();
        if (count(tenant, 1) > MAX_STREAMS) {
          count(tenant, -1);
          throw new Problem("too-many", `a tenant may have ${MAX_STREAMS} streams at once`);
        }
        reply.hijack();
        const headers = Object.fromEntries(
          Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
        );
        try {
          await streamEvents(reply.raw, {
            headers,
            ...(heartbeatMs !== undefined && { heartbeatMs }),
            isAllowed: async () => (await findCaller(request, database)) !== null,
            follow: (signal) => feed.follow({ tenant, key }, { after, signal }),
          });
        } catch (error) {
          // The answer has begun; the client connects again.
          request.log.error({ err: describeError(error) }, "stream failed");
        } finally {
          count(tenant, -1);
        }
        return reply;
      },
    }),
  ];
}

/** Routes for those who operate a server: whether it lives, whether it is ready, and the OpenAPI document. They need no token. */

import type { FastifyInstance } from "fastify";
import type { Service } from "../service.ts";

export function addOperationRoutes(
  app: FastifyInstance,
  { database }: Service,
  { isStopping }: { readonly isStopping: () => boolean },
): void {
  app.get("/health", { schema: { hide: true } }, async () => ({ status: "ok" }));
  app.get("/ready", { schema: { hide: true } }, async (_, reply) => {
    if (isStopping()) return await reply.code(503).send({ status: "stopping" });
    const isReachable = await database.pool.query("select from pith.tenant limit 1").then(
      () => true,
      () => false,
    );
    return await reply
      .code(isReachable ? 200 : 503)
      .send({ status: isReachable ? "ready" : "database is not reachable" });
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}

/** Lists all routes of the API. */

import type { HttpOptions } from "./app.ts";
import type { AnyRoute } from "./define-route.ts";
import { createCommandRoutes } from "./routes/commands.ts";
import { createContextRoutes } from "./routes/context.ts";
import { createEventRoutes } from "./routes/events.ts";
import { createMessageRoutes } from "./routes/messages.ts";
import { createSessionRoutes } from "./routes/sessions.ts";
import { createTenantRoutes } from "./routes/tenant.ts";
import { createTokenRoutes } from "./routes/tokens.ts";
import type { Service } from "./service.ts";

export function createRoutes(service: Service, http: Pick<HttpOptions, "heartbeatMs"> = {}): readonly AnyRoute[] {
  return [
    ...createSessionRoutes(service),
    ...createMessageRoutes(service),
    ...createEventRoutes(service, http),
    ...createCommandRoutes(service),
    ...createContextRoutes(service),
    ...createTokenRoutes(service),
    ...createTenantRoutes(service),
  ];
}

/** Defines what the routes of the API work with. */

import type { TenantConfiguration } from "../agents/open-agent.ts";
import type { LiveFeed } from "../live/feed.ts";
import type { Inbox } from "../runs/inbox.ts";
import type { KeyCipher } from "../tenants/provider-keys.ts";
import type { OperatorConfiguration } from "../tenants/read-tenant.ts";

export interface Service extends Inbox {
  readonly feed: LiveFeed;
  readonly cipher: KeyCipher;
  readonly operator: OperatorConfiguration;
  /** The folder for the workspaces and homes of all tenants. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readTenant(tenant: string): Promise<TenantConfiguration>;
}

/** Limits how much of the workers and of the models a tenant and a provider key may use. */

import type { Database } from "../store/connect.ts";
import { checkTenant } from "../store/sessions.ts";

/** Null or absent: no limit. */
export interface KeyLimits {
  /** Runs at once. */
  readonly maxRuns?: number | null;
  /** Tokens per day (UTC). */
  readonly maxTokens?: number | null;
  /** Dollars per day (UTC). */
  readonly maxCost?: number | null;
}

export interface TenantLimits extends Omit<KeyLimits, "maxRuns"> {
  /** Runs at once. Default: 100. Further sessions wait. */
  readonly maxRuns?: number;
  /** The provider key that the tenant's sessions use. Tenants that share a key share its limits. */
  readonly providerKey?: string;
}

/** Replaces the limits of a tenant. A session that runs when its tenant reaches its limit ends before its next request and waits. */
export async function setTenantLimits(database: Database, tenant: string, limits: TenantLimits): Promise<void> {
  checkTenant(tenant);
  const { maxRuns = DEFAULT_MAX_RUNS, maxTokens = null, maxCost = null, providerKey = "" } = limits;
  await database.call("set_tenant_limits", [tenant, maxRuns, maxTokens, maxCost, providerKey]);
}

/** As in the table. */
const DEFAULT_MAX_RUNS = 100;

/** Replaces the limits of a provider key, over all tenants that use it. */
export async function setKeyLimits(database: Database, providerKey: string, limits: KeyLimits): Promise<void> {
  const { maxRuns = null, maxTokens = null, maxCost = null } = limits;
  await database.call("set_key_limits", [providerKey, maxRuns, maxTokens, maxCost]);
}

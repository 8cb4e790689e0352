/** Reads what the sessions of a tenant run with: its settings over the operator's, and its provider keys before the operator's. */

import type { ProviderKeys } from "@pith/host/settings/provider-keys";
import type { Settings } from "@pith/host/settings/settings";
import type { AgentOpenerOptions } from "../agents/open-agent.ts";
import type { Database } from "../store/connect.ts";
import { decryptKeys, type KeyCipher, type KeyRow } from "./provider-keys.ts";
import { applyTenantSettings, type TenantSettings } from "./settings.ts";

/** What the operator gives to every tenant. */
export interface OperatorConfiguration {
  /** The defaults and limits of tenants' settings. */
  readonly settings?: Settings;
  /** Keys for tenants that have none of their own. Default: none. */
  readonly keys?: ProviderKeys;
}

/** Options of `createTenantReader`. */
export interface TenantReaderOptions {
  readonly database: Database;
  readonly cipher: KeyCipher;
  readonly operator?: OperatorConfiguration;
}

/** Returns the `readTenant` of `createAgentOpener`. It takes one round trip. */
export function createTenantReader({
  database,
  cipher,
  operator: { settings: operatorSettings = {}, keys: operatorKeys } = {},
}: TenantReaderOptions): AgentOpenerOptions["readTenant"] {
  return async (tenant) => {
    const rows = await database.readRows<KeyRow & { readonly settings: string }>("read_tenant", [tenant]);
    const stored = JSON.parse(rows[0]?.settings ?? "{}") as TenantSettings;
    return {
      ...applyTenantSettings(stored, operatorSettings),
      keys: decryptKeys(rows, { cipher, tenant, operatorKeys }),
    };
  };
}

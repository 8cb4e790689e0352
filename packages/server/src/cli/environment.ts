/** Reads the configuration of `pith-server` from environment variables. */

import { readFileSync } from "node:fs";
import { listKeyProviders } from "@pith/host/models/available-models";
import { buildSettings } from "@pith/host/settings/fields";
import { parseSettings } from "@pith/host/settings/parse";
import type { ProviderKeys } from "@pith/host/settings/provider-keys";
import type { Settings } from "@pith/host/settings/settings";
import { UsageError } from "./args.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** By variable, for the help and for errors. */
const VARIABLES = {
  PITH_DATABASE_URL: "where PostgreSQL is, as the role of the application",
  PITH_OWNER_URL: "where PostgreSQL is, as the role that owns the tables",
  PITH_FOLDER: "the folder for the workspaces of all tenants",
  PITH_ENCRYPTION_KEYS: "32 bytes in base64, from `openssl rand -base64 32`; several are separated by commas",
} as const;

export function requireVariable(name: keyof typeof VARIABLES, environment: Environment): string {
  const value = environment[name];
  if (!value) throw new UsageError(`set ${name}: ${VARIABLES[name]}`);
  return value;
}

export function readEncryptionKeys(environment: Environment): readonly string[] {
  return requireVariable("PITH_ENCRYPTION_KEYS", environment)
    .split(",")
    .map((key) => key.trim());
}

/** Reads a settings file of the operator. */
export function readSettingsFile(path: string): Settings {
  const parsed = parseSettings(readFileSync(path, "utf8"), path);
  if (parsed.type !== "read") throw new UsageError(parsed.message);
  return buildSettings(parsed.fields);
}

/** What agents' commands may see: nothing of the server's own configuration. */
export function pickCommandEnvironment({ PATH, LANG, TZ }: Environment): Environment {
  return { PATH, LANG, TZ };
}

/** The operator's keys of model providers, from the variables that `pith` reads, too. */
export function readProviderKeys(environment: Environment): ProviderKeys {
  return Object.fromEntries(
    listKeyProviders().flatMap(({ id, keyVariables }) => {
      const key = keyVariables.map((name) => environment[name]?.trim()).find(Boolean);
      return key === undefined ? [] : [[id, key]];
    }),
  );
}

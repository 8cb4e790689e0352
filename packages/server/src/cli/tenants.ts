/** The commands for tenants: tokens, limits, legal holds, erasure, and new keys for the encryption. */

import { randomUUID } from "node:crypto";
import { setTenantLimits } from "../runs/limits.ts";
import { checkTenant } from "../store/sessions.ts";
import { eraseTenant, liftLegalHold, placeLegalHold } from "../tenants/erasure.ts";
import { createKeyCipher, reencryptProviderKeys } from "../tenants/provider-keys.ts";
import { createToken, type Scope } from "../tenants/tokens.ts";
import { type CommandCall, type ServerCommand, UsageError } from "./args.ts";
import { withDatabase } from "./database.ts";
import { readEncryptionKeys } from "./environment.ts";

const tokenFlags = {
  name: { type: "string", description: "A name for people. Default: operator." },
  scopes: { type: "string", description: "Some of read,write,admin. Default: all." },
  days: { type: "string", description: "Days until it expires. Default: never." },
} as const;

export const createTenantCommand: ServerCommand = {
  name: "tenants create",
  argumentNames: [],
  description: "Create a tenant and its first token. The token is shown only once.",
  flags: tokenFlags,
  run: async (call) => await createTokenOf(randomUUID(), call),
};

export const createTokenCommand: ServerCommand = {
  name: "tokens create",
  argumentNames: ["TENANT"],
  description: "Create a token of a tenant. It is shown only once.",
  flags: tokenFlags,
  run: async (call) => await createTokenOf(parseTenant(call.args[0]), call),
};

export const setLimitsCommand: ServerCommand = {
  name: "limits",
  argumentNames: ["TENANT"],
  description: "Replace the limits of a tenant. What exceeds them waits.",
  flags: {
    runs: { type: "string", description: "Runs at once. Default: 100." },
    tokens: { type: "string", description: "Tokens per day. Default: no limit." },
    dollars: { type: "string", description: "Dollars per day. Default: no limit." },
  },
  run: async ({ args, flags, environment }) => {
    const tenant = parseTenant(args[0]);
    const [maxRuns, maxTokens, maxCost] = [flags.runs, flags.tokens, flags.dollars].map(parseLimit);
    const limits = {
      ...(maxRuns !== undefined && { maxRuns }),
      ...{ maxTokens: maxTokens ?? null, maxCost: maxCost ?? null },
    };
    await withDatabase(environment, async (database) => await setTenantLimits(database, tenant, limits));
    return `The limits of ${tenant} are set.`;
  },
};

export const eraseTenantCommand: ServerCommand = {
  name: "tenants erase",
  argumentNames: ["TENANT"],
  description: "Erase a tenant with everything that belongs to it. Its id can never be used again.",
  flags: { yes: { type: "boolean", description: "Needed: nothing can bring it back." } },
  run: async ({ args, flags, environment }) => {
    const tenant = parseTenant(args[0]);
    if (flags.yes !== true) throw new UsageError(`nothing can bring ${tenant} back; to erase it, add --yes`);
    const result = await withDatabase(environment, async (database) => await eraseTenant(database, tenant));
    if (result === "held") throw new UsageError("a legal hold is on it; lift it first");
    if (result === "not-found") throw new UsageError(`there is no tenant ${tenant}`);
    return `${tenant} is erased. The workers remove its files.`;
  },
};

export const holdTenantCommand: ServerCommand = {
  name: "tenants hold",
  argumentNames: ["TENANT"],
  description: "Place a legal hold on a tenant: nothing of it can be erased.",
  flags: {
    reason: { type: "string", description: "Why, such as the number of the case." },
    lift: { type: "boolean", description: "Lift the hold." },
  },
  run: async ({ args, flags: { reason, lift }, environment }) => {
    const tenant = parseTenant(args[0]);
    if (lift !== true && typeof reason !== "string")
      throw new UsageError("say why with --reason, or lift the hold with --lift");
    const exists = await withDatabase(environment, async (database) =>
      typeof reason === "string"
        ? await placeLegalHold(database, tenant, { reason })
        : await liftLegalHold(database, tenant),
    );
    if (!exists) throw new UsageError(`there is no tenant ${tenant}`);
    return lift === true ? `The hold of ${tenant} is lifted.` : `Nothing of ${tenant} can be erased now.`;
  },
};

export const reencryptKeysCommand: ServerCommand = {
  name: "keys reencrypt",
  argumentNames: [],
  description:
    "Encrypt all saved provider keys with the first of PITH_ENCRYPTION_KEYS. Then the others are not needed.",
  flags: {},
  run: async ({ environment }) => {
    const cipher = createKeyCipher(readEncryptionKeys(environment));
    const result = await withDatabase(environment, async (database) => await reencryptProviderKeys(database, cipher));
    const failed = result.failed.map(
      ({ tenant, provider }) => `${tenant}\t${provider}\tcannot be decrypted with any of the keys`,
    );
    return [`${result.reencrypted} keys are encrypted anew.`, ...failed].join("\n");
  },
};

async function createTokenOf(tenant: string, { flags, environment }: CommandCall): Promise<string> {
  const { name = "operator", scopes = "read,write,admin", days } = flags;
  const expiry = parseLimit(days);
  const created = await withDatabase(
    environment,
    async (database) =>
      await createToken(database, tenant, {
        name: String(name),
        scopes: String(scopes).split(",") as Scope[],
        ...(expiry !== undefined && { expiresInMs: expiry * DAY_MS }),
      }),
  );
  if (!created) throw new UsageError("the token was not created");
  return [`tenant  ${tenant}`, `token   ${created.token}`].join("\n");
}

const DAY_MS = 24 * 60 * 60_000;

export function parseTenant(text: string | undefined): string {
  try {
    checkTenant(text ?? "");
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return text ?? "";
}

function parseLimit(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`a limit is a number above 0, not ${text}`);
  return value;
}

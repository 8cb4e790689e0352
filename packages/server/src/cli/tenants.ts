/** The commands for tenants: tokens, limits, legal holds, erasure, and new keys for the encryption. */

import { randomUUID } from "node:crypto";
import { setTenantLimits } from "../runs/limits.ts";
import { checkTenant } from "../store/sessions.ts";
import { createToken, type Scope } from "../tenants/tokens.ts";
import { type CommandCall, type ServerCommand, UsageError } from "./args.ts";
import { withDatabase } from "./database.ts";

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

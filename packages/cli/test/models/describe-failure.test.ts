/** Tests the advice to the user when a request fails. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelFailure } from "@pith/context";
import { catalogueFilePath } from "@pith/host/models/catalogue";
import { writeCatalogueFile } from "@pith/models";
import { afterAll, expect, test } from "vitest";
import { describeFailure, type FailureAdviceOptions } from "../../src/models/describe-failure.ts";

const claude = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonet-4-5" };
const home = mkdtempSync(join(tmpdir(), "pith-advice-"));
const options: FailureAdviceOptions = { mode: "screen", environment: {}, home, settings: {} };

afterAll(() => rmSync(home, { recursive: true }));

async function advice(
  reason: ModelFailure["reason"] | undefined,
  more: Partial<ModelFailure> & Partial<FailureAdviceOptions> & { readonly provider?: string } = {},
): Promise<string> {
  const { mode = "screen", environment = {}, settings = {}, provider = "anthropic", ...failure } = more;
  const text = await describeFailure(
    { kind: "refused", message: "What happened", ...(reason && { reason }), ...failure },
    { ...claude, provider },
    { mode, environment, home, settings },
  );
  expect(text.split("\n")[0]).toBe("What happened");
  return text.split("\n")[1] ?? "";
}

test("FST8 a rejected key names the variable it came from and how to enter another one, in each mode", async () => {
  const environment = { ANTHROPIC_API_KEY: "old" };
  expect(await advice("invalid-key")).toBe("The API key was rejected. Enter another one with /login anthropic.");
  expect(await advice("invalid-key", { mode: "text", environment })).toBe(
    "The API key in ANTHROPIC_API_KEY was rejected. Enter another one with pith login anthropic and unset ANTHROPIC_API_KEY.",
  );
  for (const mode of ["rpc", "acp"] as const)
    expect(await advice("invalid-key", { mode })).toBe(
      "The API key was rejected. Enter another one in a terminal with pith login anthropic, then send /login anthropic here.",
    );
  expect(await advice("invalid-key", { provider: "ollama" })).toContain("pith login openai-compatible");
});

test("FST8 an unknown model comes with the nearest names", async () => {
  expect(await advice("unknown-model")).toMatch(
    /^anthropic has no model claude-sonet-4-5\. Did you mean claude-sonnet-4-5, .*\? Choose another model with \/model\.$/,
  );
  expect(await advice("unknown-model", { mode: "text", provider: "zai" })).toBe(
    "zai has no model claude-sonet-4-5. Choose another model with --model.",
  );
});

test("FST8 a rate limit says how long to wait", async () => {
  const limited = (retryAfterMs?: number) =>
    advice("rate-limit", { kind: "busy", ...(retryAfterMs !== undefined && { retryAfterMs }) });
  expect(await limited(42_000)).toBe(
    "You have reached anthropic's rate limit. Send your message again in 42 seconds, or choose another model with /model.",
  );
  expect(await limited(600_001)).toContain("in 11 minutes");
  expect(await limited(4 * 3_600_000)).toContain("in 4 hours");
  expect(await limited()).toContain("in a minute");
});

test("FST8 each failure of the connection has its own advice and names the address", async () => {
  const settings = { baseUrl: "http://10.0.0.1" };
  const environment = { ANTHROPIC_BASE_URL: "http://gateway" };
  expect(await advice("connection-refused", { settings })).toBe(
    "No server is listening at that address. Check the base URL http://10.0.0.1 (the setting baseUrl or --base-url).",
  );
  expect(await advice("connection-refused", { provider: "ollama" })).toBe(
    "No server is listening at that address. Start ollama, then send your message again. Its address is http://127.0.0.1:11434/v1; --base-url sets another one.",
  );
  expect(await advice("unknown-host", { environment })).toBe(
    "The host name cannot be resolved. Check your network connection. Check the base URL http://gateway (ANTHROPIC_BASE_URL).",
  );
  expect(await advice("tls")).toMatch(/NODE_EXTRA_CA_CERTS.*pith doctor/);
  expect(await advice("timeout")).toMatch(/did not answer in time.*proxy/);
  expect(await advice("unknown-path", { settings })).toBe(
    "The server has no such API. Check the base URL http://10.0.0.1 (the setting baseUrl or --base-url).",
  );
  expect(await advice(undefined, { kind: "unreachable" })).toMatch(/Nothing is lost.*pith doctor/);
});

test("FST8 missing access and missing credit get different advice than a wrong key", async () => {
  expect(await advice("no-access")).toMatch(/not allowed.*\/model/);
  expect(await advice("no-credit")).toMatch(/no credit.*anthropic.*\/model/);
});

test("FST8 a failure whose message is sufficient gets no advice", async () => {
  expect(await describeFailure({ kind: "quota", message: "too much" }, claude, options)).toBe("too much");
});

test("FST8 the nearest model names include those of an updated catalogue", async () => {
  const rows = { anthropic: [["claude-sonet-4-6", 200_000, 64_000, 3] as const] };
  await writeCatalogueFile(catalogueFilePath(home), { date: "2999-01-01", defaults: {}, rows });
  expect(await advice("unknown-model")).toContain("Did you mean claude-sonet-4-6");
});

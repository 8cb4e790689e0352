/** Settings of tenants: which ones a tenant may set, and what its sessions run with. */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "@pith/host/settings/settings";
import { settingTable } from "@pith/host/settings/table";
import { startServer } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import {
  createAgentOpener,
  createKeyCipher,
  createTenantReader,
  listQuestions,
  readTenantSettings,
  setProviderKey,
  type TenantSettings,
  writeTenantSettings,
} from "../../src/index.ts";
import { applyTenantSettings } from "../../src/tenants/settings.ts";
import { readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();

const write = async (tenant: string, value: unknown) => await writeTenantSettings(server.database, tenant, value);

async function findProblems(value: unknown): Promise<readonly string[]> {
  const result = await write(randomUUID(), value);
  return result.type === "invalid" ? result.problems : [];
}

const SETTINGS = {
  ...{ model: "sonnet", thinking: "high", permissionMode: "ask", network: "off", tools: ["read", "bash"] },
  ...{ contextWindow: 100_000, contextFiles: false, skills: false, retentionDays: 90 },
  ...{ hosts: ["api.example.com", "*.example.org"], instructions: "Answer in French.\u0000" },
  compaction: {
    enabled: false,
    model: ["haiku", "openai/gpt-5-mini"],
    modelOverrides: { "openai/gpt-5": { reserveTokens: 0.2 } },
  },
  branchSummary: { skipPrompt: true },
} as const satisfies TenantSettings;

test("HSET1 settings of a tenant are stored and read as they were written, and replaced as a whole", async () => {
  const [tenant, other] = [randomUUID(), randomUUID()];
  expect(await readTenantSettings(server.database, tenant)).toEqual({});
  expect(await write(tenant, SETTINGS)).toEqual({ type: "saved", settings: SETTINGS });
  expect(await readTenantSettings(server.database, tenant)).toEqual(SETTINGS);
  expect(await readTenantSettings(server.database, other)).toEqual({});
  expect(await write(tenant, { model: 5 })).toMatchObject({ type: "invalid" });
  expect(await readTenantSettings(server.database, tenant)).toEqual(SETTINGS);
  await write(tenant, { model: "opus" });
  expect(await readTenantSettings(server.database, tenant)).toEqual({ model: "opus" });
});

/** A name for each `*`, and a value that is valid for most settings. */
const names = settingTable.map(({ name }) =>
  name.replace("modelOverrides.*", "modelOverrides.openai/gpt-5").replace("*", "any"),
);

test("HSET2 a tenant sets no address, program, path, environment, socket or limit of the service", async () => {
  const allowed =
    /^(model|thinking|permissionMode|network|tools|contextWindow|contextFiles|skills|(compaction|branchSummary)\..*)$/;
  const refused = names.filter((name) => !allowed.test(name));
  expect(refused).toEqual(
    expect.arrayContaining(["baseUrl", "fetchHosts", "sandbox", "unixSockets", "extensions", "secrets.redact"]),
  );
  expect(refused).toEqual(
    expect.arrayContaining(["mcpServers.any.command", "mcpServers.any.url", "sandboxEnvironment"]),
  );
  for (const name of refused) {
    const value = name.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), "x");
    const [problem = ""] = await findProblems(value);
    expect(problem, name).toMatch(/cannot be set here; the settings are model, /);
  }
});

test.each([
  [{ permissionMode: "all" }, 'permissionMode is "all"; write "plan", "ask" or "edit"'],
  [{ permissionMode: "none" }, 'permissionMode is "none"; expected "ask", "edit", "plan" or "all"'],
  [{ network: "open" }, 'network is "open"; this service allows at most "hosts"'],
  [{ tools: ["read", "fetch"] }, "write some of the tools of this service: read, write, edit, bash, recall"],
  [{ tools: ["all"] }, "write some of the tools of this service"],
  [{ model: "ollama/llama3" }, 'model is "ollama/llama3"; write a model of one of these providers: anthropic, openai'],
  [{ model: "openai-compatible/x" }, "write a model of one of these providers"],
  [{ compaction: { model: ["haiku", "vllm/x"] } }, "compaction.model is"],
  [{ compaction: { reserveTokens: "many" } }, "compaction.reserveTokens is"],
  [{ compaction: 5 }, "compaction is 5; expected {"],
  [{ hosts: ["https://example.com"] }, "hosts is"],
  [{ hosts: ["localhost:5432"] }, "hosts is"],
  [{ hosts: ["127.0.0.1:80"] }, "hosts is"],
  [{ hosts: ["a.example) bash(*"] }, "hosts is"],
  [{ hosts: ["*"] }, "hosts is"],
  [{ retentionDays: 0 }, "retentionDays is 0; expected a whole number of days, at least 1"],
  [{ instructions: 5 }, "instructions is"],
  [{ compaction: { colour: "red" } }, "compaction.colour cannot be set here"],
  [{ colour: "red" }, "colour cannot be set here"],
  [[], "settings are an object"],
  ["x", "settings are an object"],
])("HSET3 %j is refused with what to write instead", async (value, problem) => {
  expect((await findProblems(value)).join("\n")).toContain(problem);
});

test("HSET3 a model that the operator's policy does not allow is refused", async () => {
  const policy = { path: "the options", models: { allow: ["anthropic/claude-*"] } };
  const operator = { operator: { policy } };
  const save = (model: string) => writeTenantSettings(server.database, randomUUID(), { model }, operator);
  expect(await save("openai/gpt-5-mini")).toEqual({
    type: "invalid",
    problems: ['model is "openai/gpt-5-mini"; this service allows anthropic/claude-*'],
  });
  expect(await save("anthropic/claude-sonnet-4-5")).toMatchObject({ type: "saved" });
});

test("HSET4 a tenant's settings apply over the operator's, and those that the operator no longer allows do not count", () => {
  const operator: Settings = {
    ...{ baseUrl: "http://127.0.0.1:1/v1", thinking: "low", tools: ["read", "fetch"], network: "off" },
    ...{
      compaction: { enabled: true, softPercent: 50 },
      model: "vllm/ours",
      policy: { path: "/etc/pith/policy.json" },
    },
  };
  expect(
    applyTenantSettings(
      { ...SETTINGS, model: "vllm/other", compaction: { softPercent: 60 }, instructions: "Be brief." },
      operator,
    ),
  ).toEqual({
    settings: {
      ...operator,
      ...{
        model: "vllm/other",
        thinking: "high",
        permissionMode: "ask",
        compaction: { enabled: true, softPercent: 60 },
      },
      ...{ contextWindow: 100_000, contextFiles: false, skills: false, branchSummary: { skipPrompt: true } },
    },
    hosts: SETTINGS.hosts,
    instructions: "Be brief.",
  });
});

test("HSET5 a session runs with its tenant's settings and key, and no setting opens a private address", async () => {
  let visits = 0;
  const inside = createServer((_, response) => response.end(`visit ${++visits}`)).listen(0, "127.0.0.1");
  await once(inside, "listening");
  onTestFinished(() => void inside.close());
  const { port } = inside.address() as AddressInfo;
  const urls = [`http://127.0.0.1:${port}/`, "http://169.254.169.254/", "http://[::1]/", "http://10.0.0.1/"];
  const fetches = urls.map((url) => ({ type: "call", name: "fetch", arguments: { url } }) as const);
  const model = await startServer({ script: [...fetches.map((call) => ({ parts: [call] })), "Done."] });
  const folder = mkdtempSync(join(tmpdir(), "pith-hosted-"));
  onTestFinished(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const tenant = randomUUID();
  const cipher = createKeyCipher([Buffer.alloc(32, 7).toString("base64")]);
  const operator = { settings: { baseUrl: `${model.url}/v1`, sandbox: "off", tools: ["read", "fetch"] } } as const;
  await setProviderKey(server.database, cipher, tenant, { provider: "anthropic", key: "the-key-of-the-tenant" });
  await writeTenantSettings(
    server.database,
    tenant,
    {
      ...{ model: "anthropic/claude-sonnet-4-5", permissionMode: "ask", instructions: "Answer in rhymes." },
      hosts: ["127.0.0.1", "169.254.169.254", "[::1]", "10.0.0.1"],
    },
    { operator: operator.settings },
  );
  const openAgent = createAgentOpener({
    ...{ database: server.database, folder, environment: { PATH: process.env.PATH } },
    readTenant: createTenantReader({ database: server.database, cipher, operator }),
  });
  const service = new Service(server.database, model, { openAgent });
  await service.create("private", tenant);
  await service.startWorker("w-private");
  await service.send("private", { id: "m1", kind: "followUp", content: "Look around." }, tenant);
  await expect.poll(() => model.requests.length).toBe(urls.length + 1);
  await expect.poll(() => readRunState(server.database, "private", tenant)).toMatchObject({ busy: false });
  const last = JSON.stringify(model.requests.at(-1)?.body);
  expect(last.match(/is not on the public internet/g)).toHaveLength(urls.length);
  expect(last).toContain("Answer in rhymes.");
  expect(visits).toBe(0);
  // The operator gave no key, so the tenant's was used. The rules of the tenant did apply: it was not asked.
  expect(await listQuestions(server.database, tenant)).toEqual([]);
});

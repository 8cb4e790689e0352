/** The audit log of a tenant: who did what, what agents were permitted, and that no row is changed or removed one by one. */

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testRuntime } from "@pith/context/testing";
import { startServer } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import {
  createAgentOpener,
  createSession,
  createToken,
  eraseSession,
  listAudit,
  placeLegalHold,
  recordAction,
} from "../../src/index.ts";
import { openDecisionLog } from "../../src/tenants/audit.ts";
import { readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();

async function createTenant() {
  const tenant = randomUUID();
  const token = await createToken(server.database, tenant, { name: "deploy", scopes: ["admin"] });
  const store = await createSession(server.database, tenant, { cwd: "/work", id: "s1", runtime: testRuntime() });
  return { tenant, token: token?.id ?? "", session: store.session };
}

const list = (tenant: string, query = {}) => listAudit(server.database, tenant, query);

test("HAUD1 a record names the token, the action, the session, the outcome and the time", async () => {
  const { tenant, token, session } = await createTenant();
  await recordAction(server.database, tenant, {
    ...{ action: "settings.write", outcome: "done", session: "s1", token },
    details: { names: ["model"] },
  });
  await recordAction(server.database, tenant, { action: "token.list", outcome: "refused" });
  const [second, first, ...rest] = await list(tenant);
  expect(rest).toEqual([]);
  expect(first).toEqual({
    ...{ id: expect.any(String), at: expect.any(Date), action: "settings.write", outcome: "done", session: "s1" },
    ...{ sessionKey: session.key, token: { id: token, name: "deploy" }, details: { names: ["model"] } },
  });
  expect(Math.abs(Date.now() - (first?.at.getTime() ?? 0))).toBeLessThan(60_000);
  expect(second).toMatchObject({ action: "token.list", session: null, sessionKey: null, token: null, details: null });
  expect(await list(tenant, { session: "s1" })).toEqual([first]);
  expect(await list(tenant, { limit: 1 })).toEqual([second]);
  expect(await list(tenant, { limit: 1, after: second?.id })).toEqual([first]);
  expect(await list(randomUUID())).toEqual([]);
});

test("HAUD2 the role of the application adds records only by the functions, and changes and removes none", async () => {
  const { tenant } = await createTenant();
  await recordAction(server.database, tenant, { action: "settings.write", outcome: "done" });
  const client = await server.database.pool.connect();
  try {
    await client.query("select set_config('pith.tenant', $1, false)", [tenant]);
    for (const statement of [
      "update pith.audit set outcome = 'other'",
      "delete from pith.audit",
      `insert into pith.audit (tenant, action, outcome) values ('${tenant}', 'forged', 'done')`,
      "truncate pith.audit",
      "delete from pith.erasure",
      `insert into pith.erasure (tenant) values ('${tenant}')`,
    ])
      await expect(client.query(statement), statement).rejects.toThrow("permission denied");
  } finally {
    await client.query("reset pith.tenant");
    client.release();
  }
  expect(await list(tenant)).toMatchObject([{ action: "settings.write" }]);
});

test("HAUD3 an action whose record cannot be written fails", async () => {
  const { tenant } = await createTenant();
  const action = { action: "settings.write", outcome: "done" };
  await expect(recordAction(server.database, randomUUID(), action)).rejects.toThrow("there is no tenant");
  await expect(
    recordAction(server.database, tenant, { ...action, details: { text: "x".repeat(10_001) } }),
  ).rejects.toThrow("too long");
  expect(await list(tenant)).toEqual([]);
});

test("HAUD4 what an agent was permitted is recorded together, with the hash of the arguments and not with them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-hosted-"));
  const content = "the whole text of a file\n";
  const write = (path: string) => ({ type: "call", name: "write", arguments: { path, content } }) as const;
  const model = await startServer({ script: [{ parts: [write("a.txt"), write("../b.txt")] }, "Done."] });
  onTestFinished(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { tenant, session } = await createTenant();
  const openAgent = createAgentOpener({
    ...{ database: server.database, folder, environment: { PATH: process.env.PATH } },
    readTenant: async () => ({
      settings: { model: "anthropic/claude-sonnet-4-5", baseUrl: `${model.url}/v1`, sandbox: "off" },
      keys: { location: "the table of keys", read: async () => ({ type: "read", keys: { anthropic: "any" } }) },
    }),
  });
  const service = new Service(server.database, model, { openAgent });
  const worker = await service.startWorker("w-audit");
  await service.send("s1", { id: "m1", kind: "followUp", content: "Write it." }, tenant);
  await expect.poll(() => model.requests.length).toBe(2);
  await expect.poll(() => readRunState(server.database, "s1", tenant)).toMatchObject({ busy: false });
  await worker.stop();
  const records = (await list(tenant)).toReversed();
  expect(records).toMatchObject([
    {
      action: "permission.decision",
      outcome: "permitted",
      session: "s1",
      details: { tool: "write", what: expect.stringContaining("/a.txt") },
    },
    { action: "permission.decision", outcome: "refused", sessionKey: session.key, details: { tool: "write" } },
  ]);
  for (const { details } of records)
    expect(details).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), entry: expect.any(Number) });
  expect(JSON.stringify(records)).not.toContain("whole text");
});

test("HAUD4 many decisions are one write, and those that could not be written come with the next", async () => {
  const { tenant, session } = await createTenant();
  let calls = 0;
  let isAway = true;
  const failing = {
    ...server.database,
    call: async (name: string, values: readonly unknown[]) => {
      calls += 1;
      if (isAway) throw new Error("away");
      return await server.database.call(name, values);
    },
  } as typeof server.database;
  const log = openDecisionLog(failing, session);
  for (let index = 0; index < 150; index++) log.record({ event: "mode", from: "ask", to: "edit" });
  await expect(log.close()).rejects.toThrow("away");
  expect(calls).toBe(1);
  isAway = false;
  log.record({ event: "grant", rule: "bash(ls)", for: "session", mode: "edit" });
  await log.close();
  expect(calls).toBe(2);
  const records = await list(tenant, { limit: 1_000 });
  expect(records).toHaveLength(151);
  expect(records[0]).toMatchObject({ action: "permission.grant", details: { rule: "bash(ls)" } });
});

test("HAUD5 the records of an erased session go with it, but for that of the erasure, and none comes later", async () => {
  const { tenant, token, session } = await createTenant();
  const about = { action: "session.rename", outcome: "done", session: "s1", token };
  await recordAction(server.database, tenant, about);
  await recordAction(server.database, tenant, { action: "settings.write", outcome: "done", token });
  await placeLegalHold(server.database, tenant, { session: "s1", reason: "case 7" });
  await eraseSession(server.database, tenant, "s1", { token });
  expect(await list(tenant)).toMatchObject([{ action: "session.erase", outcome: "held", session: "s1" }, {}, {}]);
  await server.cluster.runAsSuperuser("update pith.session set legal_hold = null");
  await eraseSession(server.database, tenant, "s1", { token });
  const log = openDecisionLog(server.database, session);
  log.record({ event: "mode", from: "ask", to: "edit" });
  await log.close();
  await recordAction(server.database, tenant, about);
  expect(await list(tenant)).toMatchObject([
    { action: "session.rename", session: null, sessionKey: null },
    {
      action: "session.erase",
      outcome: "done",
      session: null,
      sessionKey: session.key,
      token: { id: token, name: "deploy" },
    },
    { action: "settings.write" },
  ]);
});

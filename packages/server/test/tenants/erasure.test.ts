/** Erasure of sessions and tenants: nothing of them is left in the cluster or in the folder, also while they run, and nothing under a legal hold goes. */

import { randomBytes, randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { testRuntime } from "@pith/context/testing";
import type { Settings } from "@pith/host/settings/settings";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  answerQuestion,
  authenticate,
  createAgentOpener,
  createFileRemover,
  createKeyCipher,
  createSearch,
  createSession,
  createTenantReader,
  createToken,
  eraseSession,
  eraseTenant,
  exportSession,
  liftLegalHold,
  listAudit,
  listLegalHolds,
  listProviderKeys,
  listQuestions,
  listSessions,
  listTokens,
  openSession,
  PostgresBlobs,
  placeLegalHold,
  readTenantSettings,
  recordAction,
  setProviderKey,
  setTenantLimits,
  type Worker,
  writeTenantSettings,
} from "../../src/index.ts";
import { eraseOutdatedSessions } from "../../src/tenants/erasure.ts";
import { requireSession } from "../support/database.ts";
import { INTERVALS, readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
const cipher = createKeyCipher([randomBytes(32).toString("base64")]);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-hosted-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Hosted {
  readonly service: Service;
  readonly model: TestServer;
  readonly tenant: string;
}

async function host(script: readonly Step[], settings: Settings = { sandbox: "off" }): Promise<Hosted> {
  const model = await startServer({ script });
  onTestFinished(() => model.close());
  const openAgent = createAgentOpener({
    ...{ database: server.database, folder, environment: { PATH: process.env.PATH } },
    readTenant: createTenantReader({
      ...{ database: server.database, cipher },
      operator: { settings: { baseUrl: `${model.url}/v1`, ...settings }, keys: { anthropic: "any" } },
    }),
  });
  return { service: new Service(server.database, model, { openAgent }), model, tenant: randomUUID() };
}

const startWorker = ({ service }: Hosted, id: string): Promise<Worker> =>
  service.startWorker(id, { removeFiles: createFileRemover(folder) });

async function expectIdle(id: string, tenant: string): Promise<void> {
  await expect.poll(() => readRunState(server.database, id, tenant)).toMatchObject({ busy: false, holder: null });
}

const send = ({ service, tenant }: Hosted, session: string, content: string) =>
  service.send(session, { id: randomUUID(), kind: "followUp", content }, tenant);

const sessionFolder = (tenant: string, key: string): string => join(folder, tenant, "sessions", key);

/** Whether the text is anywhere in the cluster: in rows as `pg_dumpall` prints them, also as bytes. Search keeps words in lower case. */
function findInCluster(mark: string): readonly string[] {
  const hex = Buffer.from(mark).toString("hex");
  return server.cluster
    .dump()
    .split("\n")
    .filter((line) => line.toLowerCase().includes(mark) || line.includes(hex))
    .map((line) => line.slice(0, 200));
}

function findInFolder(path: string, mark: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const file = join(entry.parentPath, entry.name);
    const isFound = file.includes(mark) || (entry.isFile() && readFileSync(file).includes(mark));
    return isFound ? [file] : [];
  });
}

/** Puts the mark wherever a tenant and its users can put a text into a session. */
async function markSession(hosted: Hosted, id: string, mark: string): Promise<string> {
  const { service, tenant } = hosted;
  const { database } = server;
  await service.create(id, tenant);
  await send(hosted, id, `Note ${mark} please.`);
  await expect
    .poll(() => listQuestions(database, tenant).then((open) => open.filter((each) => each.session === id)))
    .toHaveLength(1);
  await expectIdle(id, tenant);
  const [question] = (await listQuestions(database, tenant)).filter((each) => each.session === id);
  const inbox = { database, wake: service.queue.createWake() };
  await answerQuestion(inbox, tenant, {
    session: id,
    question: question?.id ?? "",
    answer: { type: "no", word: `No, ${mark}.` },
  });
  await expectIdle(id, tenant);
  // A question that stays open.
  await expect
    .poll(() => listQuestions(database, tenant).then((open) => open.filter((each) => each.session === id)))
    .toHaveLength(1);
  const store = await requireSession(database, tenant, { id, mode: "write" });
  const session = await Session.open(store, nodeRuntime);
  await session.append({ type: "label", targetId: session.leaf ?? "", label: mark });
  await session.append({ type: "session_info", name: mark });
  await session.append({ type: "custom", customType: mark, data: { [mark]: mark.repeat(2_000) } });
  await store.preparedSummary.write(`summary of ${mark}`);
  const blobs = new PostgresBlobs(database, store.session);
  await blobs.keep(Buffer.from(mark));
  await blobs.keep(Buffer.from(`${mark} `.repeat(100_000)));
  const search = createSearch(database, store.session, { redaction: { redact: (value) => value } });
  await search({ text: mark, offset: 0, limit: 5 }, { signal: new AbortController().signal, onProgress: () => {} });
  await createToken(database, tenant, { name: mark, scopes: ["read"], session: id });
  await recordAction(database, tenant, { action: mark, outcome: mark, session: id, details: { [mark]: mark } });
  await placeLegalHold(database, tenant, { session: id, reason: mark });
  // It waits in the inbox: no worker runs, because the session is not free.
  await server.cluster.runAsSuperuser(`update pith.session set parked = '${mark}' where key = ${store.session.key}`);
  await send(hosted, id, `Later: ${mark}`);
  const place = sessionFolder(tenant, store.session.key);
  for (const part of ["workspace", "home", "pith"]) {
    mkdirSync(join(place, part, mark, "locked"), { recursive: true });
    writeFileSync(join(place, part, mark, "locked", `${mark}.txt`), mark);
  }
  return store.session.key;
}

/** Each session calls a tool that asks, is refused, and asks again. */
function markScript(mark: string): readonly Step[] {
  const write = (path: string) => ({ type: "call", name: "write", arguments: { path, content: mark } }) as const;
  return [
    { parts: [{ type: "text", text: `I note ${mark}.` }, write(`${mark}.txt`)] },
    { parts: [write(`${mark}-again.txt`)] },
  ];
}

async function markTenant({ tenant }: Hosted, mark: string): Promise<void> {
  const { database } = server;
  await writeTenantSettings(database, tenant, {
    ...{ model: "anthropic/claude-sonnet-4-5", permissionMode: "ask", instructions: mark, hosts: [`${mark}.example`] },
  });
  await setProviderKey(database, cipher, tenant, { provider: "mistral", key: `sk-${mark}` });
  await createToken(database, tenant, { name: mark, scopes: ["admin"] });
  await recordAction(database, tenant, { action: mark, outcome: "done", details: { mark } });
  await setTenantLimits(database, tenant, { providerKey: mark });
}

test("HERA1 of an erased tenant not a byte is left in the cluster and in the folder, and other tenants keep theirs", async () => {
  const mark = `zq${randomBytes(8).toString("hex")}`;
  const kept = `zk${randomBytes(8).toString("hex")}`;
  const hosted = await host([...markScript(mark), ...markScript(kept)]);
  const other = { ...hosted, tenant: randomUUID() };
  await markTenant(hosted, mark);
  await markTenant(other, kept);
  const worker = await startWorker(hosted, "w-erases");
  await markSession(hosted, `session ${mark}`, mark);
  await markSession(other, `session ${kept}`, kept);
  await placeLegalHold(server.database, hosted.tenant, { reason: mark });
  expect(listTables(mark)).toEqual(expect.arrayContaining(MARKED_TABLES));
  expect(findInFolder(folder, mark).length).toBeGreaterThan(6);

  const { database } = server;
  expect(await eraseTenant(database, hosted.tenant)).toBe("held");
  await liftLegalHold(database, hosted.tenant);
  expect(await eraseTenant(database, hosted.tenant)).toBe("held");
  await liftLegalHold(database, hosted.tenant, { session: `session ${mark}` });
  expect(await eraseTenant(database, hosted.tenant)).toBe("erased");
  expect(findInCluster(mark)).toEqual([]);
  await expect.poll(() => existsSync(join(folder, hosted.tenant))).toBe(false);
  expect(findInFolder(folder, mark)).toEqual([]);
  expect(await listSessions(database, hosted.tenant)).toEqual({ sessions: [], next: null });
  expect(await listTokens(database, hosted.tenant)).toEqual([]);
  expect(await listAudit(database, hosted.tenant)).toEqual([]);
  expect(await listProviderKeys(database, hosted.tenant)).toEqual([]);
  expect(await readTenantSettings(database, hosted.tenant)).toEqual({});
  expect(await eraseTenant(database, hosted.tenant)).toBe("not-found");
  expect(await listRows(hosted.tenant)).toEqual(["erasure"]);
  await worker.stop();

  // What the files of PostgreSQL still have goes when the tables are written anew.
  const { data, runAsSuperuser } = server.cluster;
  for (const statement of ["vacuum full", "analyze", "checkpoint"]) await runAsSuperuser(statement);
  expect(findInFolder(join(data, "base"), mark)).toEqual([]);
  expect(findInFolder(join(data, "base"), kept)).not.toEqual([]);

  expect(listTables(kept)).toEqual(expect.arrayContaining(MARKED_TABLES));
  expect(existsSync(join(folder, other.tenant))).toBe(true);
});

/** Where the mark of a tenant is while nothing is erased. */
const MARKED_TABLES = [
  ...["session", "tenant", "entry", "blob", "prepared_summary", "searchable_entry", "inbox", "question"],
  ...["token", "audit"],
];

/** The tables in which the dump has the mark. */
function listTables(mark: string): readonly string[] {
  const hex = Buffer.from(mark).toString("hex");
  return server.cluster
    .dump()
    .split(/^COPY /m)
    .filter((part) => part.toLowerCase().includes(mark) || part.includes(hex))
    .map((part) => /^pith\.(\w+?)(?:_\d+)? /.exec(part)?.[1] ?? "");
}

/** The tables with rows of the tenant. */
async function listRows(tenant: string): Promise<readonly string[]> {
  return server.cluster
    .dump()
    .split(/^COPY /m)
    .filter((part) => part.includes(tenant))
    .map((part) => /^[\w.]*?(\w+?)(?:_\d+)? /.exec(part)?.[1] ?? "");
}

test("HERA2 of an erased session not a byte is left, and the other sessions of its tenant stay whole", async () => {
  const mark = `zq${randomBytes(8).toString("hex")}`;
  const kept = `zk${randomBytes(8).toString("hex")}`;
  const hosted = await host([...markScript(mark), ...markScript(kept)]);
  const { tenant } = hosted;
  const { database } = server;
  await writeTenantSettings(database, tenant, { model: "anthropic/claude-sonnet-4-5", permissionMode: "ask" });
  const worker = await startWorker(hosted, "w-erases-one");
  const id = `session ${mark}`;
  const key = await markSession(hosted, id, mark);
  const keptKey = await markSession(hosted, `session ${kept}`, kept);
  const before = await exportSession(await requireSession(database, tenant, { id: `session ${kept}`, mode: "read" }), {
    runtime: testRuntime(),
  });
  const countBefore = findInCluster(kept).length;
  const admin = await createToken(database, tenant, { name: "admin", scopes: ["admin"] });

  expect(await eraseSession(database, tenant, id, { token: admin?.id ?? "" })).toBe("held");
  expect(await openSession(database, tenant, { id, mode: "read" })).not.toBeNull();
  expect(await listLegalHolds(database, tenant)).toContainEqual({ session: id, reason: mark });
  await liftLegalHold(database, tenant, { session: id });
  expect(await eraseSession(database, tenant, id, { token: admin?.id ?? "" })).toBe("erased");
  expect(findInCluster(mark)).toEqual([]);
  await expect.poll(() => existsSync(sessionFolder(tenant, key))).toBe(false);
  expect(findInFolder(folder, mark)).toEqual([]);
  expect((await listAudit(database, tenant)).find(({ action }) => action === "session.erase")).toMatchObject({
    ...{ outcome: "done", session: null, sessionKey: key, token: { name: "admin" } },
  });

  expect(findInCluster(kept).length).toBe(countBefore);
  const after = await exportSession(await requireSession(database, tenant, { id: `session ${kept}`, mode: "read" }), {
    runtime: testRuntime(),
  });
  expect(after).toEqual(before);
  expect(findInFolder(sessionFolder(tenant, keptKey), kept).length).toBeGreaterThan(6);
  await worker.stop();
});

test("HERA3 the run of an erased session is stopped in the middle of a reply, and its folder is removed", async () => {
  const text = { type: "text", text: "Thinking. " } as const;
  const { hosted, worker } = await startRun("replies", { parts: [text], breaks: { how: "stall", after: 3 } });
  await eraseRun(hosted, worker);
  expect(hosted.model.requests).toHaveLength(1);
});

test("HERA3 the run of an erased session is stopped in the middle of a command, which is killed, and its folder is removed", async () => {
  const seconds = `30.${Math.floor(Math.random() * 1e9)}`;
  const command = `echo started >started.txt; sleep ${seconds}`;
  const { hosted, worker, path } = await startRun("commands", {
    parts: [{ type: "call", name: "bash", arguments: { command } }],
  });
  await expect.poll(() => existsSync(join(path, "workspace", "started.txt")), { timeout: 10_000 }).toBe(true);
  expect(findProcesses(seconds)).not.toEqual([]);
  await eraseRun(hosted, worker);
  expect(findProcesses(seconds)).toEqual([]);
  expect(hosted.model.requests).toHaveLength(1);
});

async function startRun(name: string, step: Step) {
  const hosted = await host([step], { sandbox: "on" });
  const { tenant, service } = hosted;
  await writeTenantSettings(server.database, tenant, { model: "anthropic/claude-sonnet-4-5" });
  const worker = await startWorker(hosted, `w-${name}`);
  await service.create("running", tenant);
  await send(hosted, "running", "Take your time.");
  await expect.poll(() => hosted.model.requests.length).toBe(1);
  const { session } = await requireSession(server.database, tenant, { id: "running", mode: "read" });
  return { hosted, worker, path: sessionFolder(tenant, session.key) };
}

async function eraseRun({ tenant }: Hosted, worker: Worker): Promise<void> {
  const sessions = join(folder, tenant, "sessions");
  expect(readdirSync(sessions)).toHaveLength(1);
  expect(worker.size).toBe(1);
  expect(await eraseSession(server.database, tenant, "running")).toBe("erased");
  await expect.poll(() => worker.size, { timeout: 10_000 }).toBe(0);
  await expect.poll(() => readdirSync(sessions), { timeout: 10_000 }).toEqual([]);
  await expect.poll(() => readErasures(tenant)).toEqual([{ worker: null, isRemoved: true }]);
}

/** The processes of this machine whose arguments contain the text. */
function findProcesses(text: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
      } catch {
        // It has ended.
        return false;
      }
    });
}

async function readErasures(tenant: string): Promise<readonly { worker: string | null; isRemoved: boolean }[]> {
  const client = await server.database.pool.connect();
  try {
    await client.query("select set_config('pith.tenant', $1, false)", [tenant]);
    const text = `select worker, files_removed is not null as "isRemoved" from pith.erasure order by id`;
    return (await client.query(text)).rows;
  } finally {
    await client.query("reset pith.tenant");
    client.release();
  }
}

test("HERA4 the files of a session whose worker died are removed by another, but not while that worker may live", async () => {
  const tenant = randomUUID();
  const { session } = await createSession(server.database, tenant, { cwd: "/work", id: "s1", runtime: testRuntime() });
  const path = join(sessionFolder(tenant, session.key), "workspace");
  mkdirSync(path, { recursive: true });
  const hosted = await host([]);
  await server.database.call("beat", ["w-dead", INTERVALS.silent]);
  const keepAlive = setInterval(() => void server.database.call("beat", ["w-dead", INTERVALS.silent]), 50);
  onTestFinished(() => clearInterval(keepAlive));
  await server.cluster.runAsSuperuser(`update pith.session set holder = 'w-dead' where key = ${session.key}`);
  await eraseSession(server.database, tenant, "s1");
  let looks = 0;
  const remove = createFileRemover(folder);
  const other = await createSession(server.database, tenant, { cwd: "/work", id: "s2", runtime: testRuntime() });
  const otherPath = sessionFolder(tenant, other.session.key);
  mkdirSync(otherPath);
  const worker = await hosted.service.startWorker("w-lives", {
    removeFiles: async (erased) => {
      looks += 1;
      await remove(erased);
    },
  });
  // What is erased later and has no worker is removed first.
  await eraseSession(server.database, tenant, "s2");
  await expect.poll(() => existsSync(otherPath)).toBe(false);
  expect(existsSync(path)).toBe(true);
  expect(looks).toBe(1);
  clearInterval(keepAlive);
  await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(false);
  // It was only frozen: what it wrote meanwhile is removed once more after it has noticed.
  await expect
    .poll(() => readErasures(tenant))
    .toEqual([
      { worker: "w-dead", isRemoved: true },
      { worker: null, isRemoved: true },
    ]);
  mkdirSync(path, { recursive: true });
  const back = await hosted.service.startWorker("w-dead");
  await expect.poll(() => existsSync(path)).toBe(false);
  await Promise.all([worker.stop(), back.stop()]);
});

test("HERA5 sessions that a tenant no longer keeps are erased in steps, except those with work and those under a legal hold", async () => {
  const [tenant, other] = [randomUUID(), randomUUID()];
  const { database } = server;
  await writeTenantSettings(database, tenant, { retentionDays: 30 });
  const ids = ["old-1", "old-2", "old-3", "held", "busy", "new"];
  for (const id of ids) await createSession(database, tenant, { cwd: "/work", id, runtime: testRuntime() });
  await createSession(database, other, { cwd: "/work", id: "old", runtime: testRuntime() });
  await placeLegalHold(database, tenant, { session: "held", reason: "case 7" });
  await server.cluster.runAsSuperuser(
    `update pith.session set changed = now() - interval '31 days', busy_since = case id when 'busy' then now() end
      where id <> 'new' and tenant in ('${tenant}', '${other}')`,
  );
  const list = async (of = tenant) => (await listSessions(database, of)).sessions.map(({ id }) => id).sort();
  const erase = () => eraseOutdatedSessions(database, { everyMs: 60_000, limit: 2 });
  await placeLegalHold(database, tenant, { reason: "case 8" });
  expect(await erase()).toBe(0);
  await liftLegalHold(database, tenant);
  expect(await erase()).toBe(2);
  expect(await list()).toHaveLength(4);
  expect(await erase()).toBe(1);
  expect(await list()).toEqual(["busy", "held", "new"]);
  expect(await list(other)).toEqual(["old"]);
  expect((await listAudit(database, tenant)).filter(({ action }) => action === "session.erase")).toMatchObject(
    Array.from({ length: 3 }, () => ({ outcome: "done", details: { by: "retention" } })),
  );
  await server.cluster.runAsSuperuser(
    `update pith.session set legal_hold = null, busy_since = null where tenant = '${tenant}'`,
  );
  // The tenant was looked at a moment ago.
  expect(await erase()).toBe(0);
  expect(await eraseOutdatedSessions(database, { everyMs: 0, limit: 100 })).toBe(2);
  expect(await list()).toEqual(["new"]);
});

test("HERA5 workers erase what a tenant no longer keeps", async () => {
  const hosted = await host([]);
  const { tenant, service } = hosted;
  await service.create("old", tenant);
  await writeTenantSettings(server.database, tenant, { retentionDays: 1 });
  await server.cluster.runAsSuperuser(
    `update pith.session set changed = now() - interval '2 days' where tenant = '${tenant}'`,
  );
  await startWorker(hosted, "w-keeps");
  await expect.poll(async () => (await listSessions(server.database, tenant)).sessions).toEqual([]);
});

test("HERA6 the id of an erased tenant is never used again, also if a session is created while it is erased", async () => {
  const tenant = randomUUID();
  const { database } = server;
  const create = (id: string) => createSession(database, tenant, { cwd: "/work", id, runtime: testRuntime() });
  await create("s1");
  const token = await createToken(database, tenant, { name: "ci", scopes: ["read"] });
  const results = await Promise.allSettled([eraseTenant(database, tenant), ...["a", "b", "c", "d"].map(create)]);
  expect(results[0]).toEqual({ status: "fulfilled", value: "erased" });
  for (const run of [() => create("s2"), () => createToken(database, tenant, { name: "ci", scopes: ["read"] })])
    await expect(run()).rejects.toThrow(`the tenant ${tenant} was erased; use a new id`);
  await expect(writeTenantSettings(database, tenant, {})).rejects.toThrow("was erased");
  expect(await listRows(tenant)).toEqual(["erasure"]);
  expect(await authenticate(database, token?.token ?? "")).toBeNull();
});

test("HERA7 folders that commands have closed are removed, and links are not followed", async () => {
  const outside = mkdtempSync(join(tmpdir(), "pith-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "kept.txt"), "kept");
  const tenant = randomUUID();
  const path = join(sessionFolder(tenant, "7"), "workspace");
  mkdirSync(join(path, "closed", "inner"), { recursive: true });
  writeFileSync(join(path, "closed", "inner", "a.txt"), "a");
  symlinkSync(outside, join(path, "link"));
  chmodSync(join(path, "closed"), 0);
  mkdirSync(sessionFolder(tenant, "8"), { recursive: true });
  const remove = createFileRemover(folder);
  await remove({ tenant, key: "7" });
  await remove({ tenant, key: "7" });
  expect(existsSync(path)).toBe(false);
  expect(existsSync(sessionFolder(tenant, "8"))).toBe(true);
  expect(readFileSync(join(outside, "kept.txt"), "utf8")).toBe("kept");
  await remove({ tenant, key: null });
  expect(readdirSync(folder)).toEqual([]);
});

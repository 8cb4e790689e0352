/** Limits of tenants and provider keys: sessions wait for places, in a fair order, and for tokens and money. */

import { randomUUID } from "node:crypto";
import { usageOfEntry } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { startServer } from "@pith/testkit";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createSeededRandom } from "../../../context/test/support/seeded-random.ts";
import { createSession, eraseSession, type OpenAgent, setKeyLimits, setTenantLimits } from "../../src/index.ts";
import { holdSession, releaseSession } from "../../src/runs/hold.ts";
import { OTHER_TENANT, requireSession, TENANT } from "../support/database.ts";
import { readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

/** Sessions and limits of other tests would take places. */
beforeEach(async () => {
  for (const table of ["session", "tenant", "provider_key"])
    await postgres.cluster.runAsSuperuser(`delete from pith.${table}`);
});

const THIRD_TENANT = "33333333-3333-4333-8333-333333333333";

interface Gated {
  readonly service: Service;
  /** The sessions whose runs have started and were not let go, by name. */
  readonly started: ReadonlySet<string>;
  letGo(session: string): void;
  send(session: string, tenant?: string): Promise<void>;
}

/** A service whose runs wait after their start until the test lets them go. */
async function openGated(): Promise<Gated> {
  const model = await startServer({ script: Array.from({ length: 400 }, () => "Done.") });
  onTestFinished(() => model.close());
  const service = new Service(postgres.database, model);
  const gates = new Map<string, () => void>();
  const started = new Set<string>();
  let isOver = false;
  const openAgent: OpenAgent = async (held) => {
    const { id = "" } = held.store.header;
    await new Promise<void>((resolve) => {
      if (isOver) return resolve();
      gates.set(id, resolve);
      started.add(id);
    });
    return await service.openAgent(held);
  };
  await service.startWorker(`w-${randomUUID()}`, { openAgent });
  // Before the worker stops: it waits for its runs.
  onTestFinished(() => {
    isOver = true;
    for (const letGo of gates.values()) letGo();
  });
  return {
    service,
    started,
    letGo(session) {
      started.delete(session);
      gates.get(session)?.();
    },
    async send(session, tenant = TENANT) {
      await service.create(session, tenant);
      await service.send(session, { id: "m1", kind: "followUp", content: "Hello." }, tenant);
    },
  };
}

async function countPlaces(tenant: string): Promise<{ counted: number; actual: number; max: number }> {
  const client = await postgres.database.pool.connect();
  try {
    await client.query("select set_config('pith.tenant', $1, false)", [tenant]);
    const { rows } = await client.query(
      `select t.places as counted, t.max_runs as max,
        (select count(*)::int from pith.session s where s.tenant = t.id and s.has_place) as actual
        from pith.tenant t where t.id = $1`,
      [tenant],
    );
    return rows[0];
  } finally {
    await client.query("reset pith.tenant");
    client.release();
  }
}

test("HLIM1 a tenant runs as many sessions at once as its limit says; the others wait, and the oldest is next", async () => {
  await setTenantLimits(postgres.database, TENANT, { maxRuns: 2 });
  const { started, letGo, send, service } = await openGated();
  for (const id of ["a1", "a2", "a3", "a4", "a5"]) await send(id);
  await expect.poll(() => started).toEqual(new Set(["a1", "a2"]));
  await send("b1", OTHER_TENANT);
  await expect.poll(() => started).toEqual(new Set(["a1", "a2", "b1"]));
  expect(await readRunState(postgres.database, "a3")).toMatchObject({ busy: true, holder: null });
  letGo("a2");
  await expect.poll(() => started).toEqual(new Set(["a1", "b1", "a3"]));
  letGo("a1");
  await expect.poll(() => started).toEqual(new Set(["b1", "a3", "a4"]));
  await setTenantLimits(postgres.database, TENANT, { maxRuns: 3 });
  await expect.poll(() => started).toEqual(new Set(["b1", "a3", "a4", "a5"]));
  for (const id of [...started]) letGo(id);
  for (const id of ["a3", "a4", "a5"])
    await expect.poll(() => readRunState(postgres.database, id)).toMatchObject({ busy: false });
  expect(await countPlaces(TENANT)).toEqual({ counted: 0, actual: 0, max: 3 });
  expect(service.errors).toEqual([]);
});

test("HLIM2 tenants that share a provider key share its places, and the one with the fewest is next", async () => {
  await setKeyLimits(postgres.database, "shared", { maxRuns: 2 });
  for (const tenant of [TENANT, OTHER_TENANT, THIRD_TENANT])
    await setTenantLimits(postgres.database, tenant, { providerKey: "shared" });
  const { started, letGo, send } = await openGated();
  for (const id of ["k1", "k2", "k3", "k4"]) await send(id);
  await expect.poll(() => started).toEqual(new Set(["k1", "k2"]));
  await send("l1", OTHER_TENANT);
  await send("m1", THIRD_TENANT);
  letGo("k1");
  await expect.poll(() => started.size).toBe(2);
  expect([...started]).toEqual(["k2", expect.stringMatching(/^[lm]1$/)]);
  letGo("k2");
  await expect.poll(() => started).toEqual(new Set(["l1", "m1"]));
  letGo("l1");
  letGo("m1");
  await expect.poll(() => started).toEqual(new Set(["k3", "k4"]));
  await setTenantLimits(postgres.database, OTHER_TENANT, {});
  await send("l2", OTHER_TENANT);
  await expect.poll(() => started).toEqual(new Set(["k3", "k4", "l2"]));
});

test("HLIM3 a tenant that has used up its tokens waits, and goes on when it may use more; what is counted is what the log says", async () => {
  const model = await startServer({ script: ["One.", "Two.", "Three."] });
  onTestFinished(() => model.close());
  const service = new Service(postgres.database, model);
  await service.create("spends", THIRD_TENANT);
  await setTenantLimits(postgres.database, THIRD_TENANT, { maxTokens: 1 });
  await service.startWorker("w-spends");
  const send = (id: string) => service.send("spends", { id, kind: "followUp", content: id }, THIRD_TENANT);
  const state = () => readRunState(postgres.database, "spends", THIRD_TENANT);
  await send("m1");
  await expect.poll(() => model.requests.length).toBe(1);
  await expect.poll(state).toMatchObject({ busy: false });
  await send("m2");
  expect(await state()).toMatchObject({ busy: true, holder: null });
  expect(model.requests).toHaveLength(1);
  await setTenantLimits(postgres.database, THIRD_TENANT, { maxTokens: 1_000_000 });
  await expect.poll(() => model.requests.length).toBe(2);
  await expect.poll(state).toMatchObject({ busy: false });
  const store = await requireSession(postgres.database, THIRD_TENANT, { id: "spends", mode: "read" });
  const usages = (await store.branchEntries(await store.leaf())).flatMap((entry) => usageOfEntry(entry)?.usage ?? []);
  expect(usages).toHaveLength(2);
  const total = usages.reduce((sum, usage) => sum + usage.totalTokens, 0);
  expect(await readUsage(THIRD_TENANT)).toEqual({ tokens: total, cost: expect.any(Number) });
});

async function readUsage(tenant: string): Promise<{ tokens: number; cost: number }> {
  const client = await postgres.database.pool.connect();
  try {
    await client.query("select set_config('pith.tenant', $1, false)", [tenant]);
    const { rows } = await client.query(
      "select sum(tokens)::int as tokens, sum(cost)::float8 as cost from pith.usage where tenant = $1",
      [tenant],
    );
    return rows[0];
  } finally {
    await client.query("reset pith.tenant");
    client.release();
  }
}

test("HLIM4 whatever happens to sessions, the places in use are counted and no limit is exceeded", async () => {
  const random = createSeededRandom(51);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const { database } = postgres;
  const service = new Service(database, await startServer({ script: [] }));
  const limits = { maxRuns: 3, providerKey: "counted" };
  await setKeyLimits(database, "counted", { maxRuns: 4 });
  const tenants = ["44444444-4444-4444-8444-444444444444", "55555555-5555-4555-8555-555555555555"];
  const sessions: { tenant: string; id: string; key: string }[] = [];
  for (const tenant of tenants) {
    await setTenantLimits(database, tenant, limits);
    for (let index = 0; index < 6; index += 1) {
      const id = `s${index}`;
      const { session } = await createSession(database, tenant, { cwd: "", id, runtime: nodeRuntime });
      sessions.push({ ...session, id });
    }
  }
  const held = new Map<string, string>();
  let waited = 0;
  for (let step = 0; step < 300; step += 1) {
    const { tenant, id, key } = pick(sessions);
    const session = { tenant, key };
    const action = pick(["send", "send", "hold", "hold", "release", "release", "erase"]);
    if (action === "send") await service.send(id, { id: `m${step}`, kind: "followUp", content: "" }, tenant);
    if (action === "hold") {
      const result = await holdSession(database, session, { worker: `w-${step}`, silentMs: 600_000 });
      if (result.type === "waiting") waited += 1;
      if (result.type === "taken") held.set(key, result.token);
    }
    if (action === "release") {
      const reason = pick([{ type: "done", accepted: "0" }, { type: "given-back" }, { type: "waiting" }] as const);
      const token = held.get(key) ?? "0";
      const { rows } = await database.pool.query(
        "select set_config('pith.tenant', $1, true), (select accepted from pith.session where key = $2) as accepted",
        [tenant, key],
      );
      const accepted = rows[0]?.accepted ?? "0";
      await releaseSession(database, session, {
        ...{ token, delivered: [] },
        reason: reason.type === "done" ? { type: "done", accepted } : reason,
      });
    }
    if (action === "erase" && random() < 0.2) {
      await eraseSession(database, tenant, id);
      const { session: created } = await createSession(database, tenant, { cwd: "", id, runtime: nodeRuntime });
      sessions.splice(
        sessions.findIndex((each) => each.key === key),
        1,
        { ...created, id },
      );
    }
    const counts = await Promise.all(tenants.map(countPlaces));
    for (const { counted, actual, max } of counts) {
      expect(counted).toBe(actual);
      expect(actual).toBeLessThanOrEqual(max);
    }
    const total = counts.reduce((sum, { actual }) => sum + actual, 0);
    const { rows } = await database.pool.query("select places from pith.provider_key where name = 'counted'");
    expect(rows[0].places).toBe(total);
    expect(total).toBeLessThanOrEqual(4);
  }
  expect(waited).toBeGreaterThan(10);
});

test("HLIM5 many waiting sessions of one tenant do not delay another tenant", async () => {
  await setTenantLimits(postgres.database, TENANT, { maxRuns: 2 });
  const { started, letGo, send } = await openGated();
  for (let index = 0; index < 100; index += 1) await send(`many-${index}`);
  await send("few", OTHER_TENANT);
  await expect.poll(() => started).toEqual(new Set(["many-0", "many-1", "few"]));
  for (let index = 0; index < 100; index += 1) {
    await expect.poll(() => started.has(`many-${index}`)).toBe(true);
    letGo(`many-${index}`);
  }
});

/** Tokens of callers: what a token may do, when it ends, and that nothing of other tenants shows. */

import { randomUUID } from "node:crypto";
import { testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import {
  authenticate,
  createSession,
  createToken,
  eraseSession,
  listTokens,
  type NewToken,
  revokeToken,
  rotateToken,
} from "../../src/index.ts";
import { removeDeadTokens } from "../../src/tenants/tokens.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();

async function create(tenant: string, token: Partial<NewToken> = {}) {
  const created = await createToken(server.database, tenant, { name: "ci", scopes: ["read", "write"], ...token });
  if (!created) throw new Error("the token was not created");
  return created;
}

const check = async (token: string) => await authenticate(server.database, token);

async function createTestSession(tenant: string, id: string): Promise<void> {
  await createSession(server.database, tenant, { cwd: "/work", id, runtime: testRuntime() });
}

test("HTOK1 a token is 256 random bits that are shown once, and the database has only the SHA-256 of it", async () => {
  const tenant = randomUUID();
  const { token, id } = await create(tenant);
  expect(token).toMatch(/^pith_[\w-]{43}$/);
  expect(await check(token)).toEqual({ tenant, tokenId: id, scopes: ["read", "write"], session: null });
  const dump = server.cluster.dump();
  expect(dump).toContain(id);
  expect(dump).not.toContain(token);
  expect(dump).not.toContain(token.slice("pith_".length));
  expect(JSON.stringify(await listTokens(server.database, tenant))).not.toContain(token.slice(5, 15));
});

test("HTOK1 what is no token finds nobody", async () => {
  const { token } = await create(randomUUID());
  const others = [
    "",
    "pith_",
    token.slice(0, -1),
    `${token}a`,
    token.toUpperCase(),
    ` ${token}`,
    `pith_${"a".repeat(43)}`,
  ];
  for (const other of others) expect(await check(other)).toBeNull();
});

test("HTOK2 an expired token finds nobody, and neither does one of another tenant's list", async () => {
  const tenant = randomUUID();
  const { token, id, expires } = await create(tenant, { expiresInMs: 60_000 });
  expect(expires?.getTime()).toBeGreaterThan(Date.now() + 50_000);
  expect(await check(token)).not.toBeNull();
  await server.cluster.runAsSuperuser(`update pith.token set expires = now() - interval '1 ms' where id = '${id}'`);
  expect(await check(token)).toBeNull();
  expect(await listTokens(server.database, randomUUID())).toEqual([]);
});

test("HTOK3 a token is revoked at once, by its own tenant only", async () => {
  const tenant = randomUUID();
  const { token, id } = await create(tenant);
  expect(await revokeToken(server.database, randomUUID(), id)).toBe(false);
  expect(await check(token)).not.toBeNull();
  expect(await revokeToken(server.database, tenant, id)).toBe(true);
  expect(await check(token)).toBeNull();
  expect(await revokeToken(server.database, tenant, id)).toBe(false);
  expect(await revokeToken(server.database, tenant, "no id")).toBe(false);
  expect(await listTokens(server.database, tenant)).toMatchObject([{ id, revoked: expect.any(Date) }]);
});

test("HTOK4 after a rotation both secrets work until the time of grace has passed", async () => {
  const tenant = randomUUID();
  const { token, id } = await create(tenant);
  const rotated = await rotateToken(server.database, tenant, id, { graceMs: 60_000 });
  expect(rotated).toMatchObject({ id, name: "ci", scopes: ["read", "write"] });
  expect(await check(token)).toMatchObject({ tokenId: id });
  expect(await check(rotated?.token ?? "")).toMatchObject({ tokenId: id });
  const again = await rotateToken(server.database, tenant, id, { graceMs: 0 });
  expect(await check(token)).toBeNull();
  expect(await check(rotated?.token ?? "")).toBeNull();
  expect(await check(again?.token ?? "")).toMatchObject({ tokenId: id });
  expect(await rotateToken(server.database, randomUUID(), id, { graceMs: 0 })).toBeNull();
  await revokeToken(server.database, tenant, id);
  expect(await check(again?.token ?? "")).toBeNull();
  expect(await rotateToken(server.database, tenant, id, { graceMs: 0 })).toBeNull();
});

test("HTOK5 a token of one session names it, expires, and has neither the scope admin nor more scopes than its maker", async () => {
  const tenant = randomUUID();
  await createTestSession(tenant, "only\u0000this");
  const { id } = await create(tenant, { scopes: ["read"] });
  const session = "only\u0000this";
  const browser = await create(tenant, { session, scopes: ["read"], createdBy: id });
  expect(browser.expires?.getTime()).toBeGreaterThan(Date.now());
  expect(await check(browser.token)).toMatchObject({ session, scopes: ["read"] });
  const token = { name: "browser", session, createdBy: id } as const;
  const { database } = server;
  expect(await createToken(database, tenant, { ...token, scopes: ["read", "write"] })).toBeNull();
  expect(await createToken(database, tenant, { ...token, scopes: ["read"], createdBy: browser.id })).toBeNull();
  expect(await createToken(database, tenant, { ...token, scopes: ["read"], session: "another" })).toBeNull();
  expect(await createToken(database, randomUUID(), { ...token, scopes: ["read"] })).toBeNull();
  await expect(createToken(database, tenant, { ...token, scopes: ["admin"] })).rejects.toThrow("scope admin");
  const admin = await create(tenant, { scopes: ["admin"] });
  expect(
    await createToken(database, tenant, { ...token, scopes: ["read", "write"], createdBy: admin.id }),
  ).not.toBeNull();
  expect(await rotateToken(database, tenant, browser.id, { graceMs: 0 })).toBeNull();
});

test.each(["revoked", "expired", "session"] as const)(
  "HTOK6 a token of one session dies with its maker and its session: %s",
  async (how) => {
    const tenant = randomUUID();
    await createTestSession(tenant, "s1");
    const { id } = await create(tenant);
    const { token } = await create(tenant, { session: "s1", createdBy: id });
    const kept = await create(tenant);
    expect(await check(token)).not.toBeNull();
    if (how === "revoked") await revokeToken(server.database, tenant, id);
    if (how === "expired")
      await server.cluster.runAsSuperuser(`update pith.token set expires = now() where id = '${id}'`);
    if (how === "session") await eraseSession(server.database, tenant, "s1");
    expect(await check(token)).toBeNull();
    expect(await check(kept.token)).not.toBeNull();
  },
);

test("HTOK7 the last use is recorded at most once a minute", async () => {
  const tenant = randomUUID();
  const { token, id } = await create(tenant);
  const readUse = async () => (await listTokens(server.database, tenant))[0]?.used ?? null;
  expect(await readUse()).toBeNull();
  await check(token);
  const first = await readUse();
  await check(token);
  expect(await readUse()).toEqual(first);
  await server.cluster.runAsSuperuser(`update pith.token set used = used - interval '61 s' where id = '${id}'`);
  const before = await readUse();
  await check(token);
  expect((await readUse())?.getTime()).toBeGreaterThan(before?.getTime() ?? 0);
});

test("HTOK8 dead tokens and secrets are removed after a while, and no others", async () => {
  const tenant = randomUUID();
  const [dead, expired, rotated] = [
    await create(tenant),
    await create(tenant, { expiresInMs: 1 }),
    await create(tenant),
  ];
  await revokeToken(server.database, tenant, dead.id);
  const next = await rotateToken(server.database, tenant, rotated.id, { graceMs: 0 });
  await removeDeadTokens(server.database, 100);
  expect(await listTokens(server.database, tenant)).toHaveLength(3);
  await server.cluster.runAsSuperuser(
    "update pith.token set revoked = revoked - interval '8 days', expires = expires - interval '8 days'",
  );
  await server.cluster.runAsSuperuser("update pith.token_secret set expires = expires - interval '8 days'");
  await removeDeadTokens(server.database, 100);
  const ids = (await listTokens(server.database, tenant)).map(({ id }) => id);
  expect(ids).toEqual([rotated.id]);
  expect(ids).not.toContain(expired.id);
  expect(await check(next?.token ?? "")).not.toBeNull();
});

test("HTOK9 the role of the application sees no token of another tenant, whatever it sets", async () => {
  const { token } = await create(randomUUID());
  const client = await server.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("select * from pith.authenticate($1)", [Buffer.alloc(32)]);
    await client.query("select set_config('pith.across_tenants', 'on', true)");
    for (const table of ["token", "token_secret", "saved_key", "audit", "erasure"])
      expect((await client.query(`select * from pith.${table}`)).rows, table).toEqual([]);
    await client.query("select set_config('pith.tenant', $1, true)", [randomUUID()]);
    expect((await client.query("select * from pith.token")).rows).toEqual([]);
  } finally {
    await client.query("rollback");
    client.release();
  }
  expect(await check(token)).not.toBeNull();
});

/** Provider keys of tenants: encrypted for one tenant and one provider, never shown, and encrypted anew with another key. */

import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  createKeyCipher,
  deleteProviderKey,
  type KeyCipher,
  listProviderKeys,
  readProviderKeys,
  reencryptProviderKeys,
  setProviderKey,
} from "../../src/index.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
const createKey = (): string => randomBytes(32).toString("base64");
const firstKey = createKey();
const cipher = createKeyCipher([firstKey]);
const KEY = "sk-ant-0123456789-this-is-secret";

async function save(tenant: string, provider = "anthropic", key = KEY, by: KeyCipher = cipher) {
  return await setProviderKey(server.database, by, tenant, { provider, key });
}

async function read(tenant: string, by: KeyCipher = cipher, operatorKeys?: Readonly<Record<string, string>>) {
  return await (await readProviderKeys(server.database, by, tenant, { operatorKeys })).read();
}

test("HKEY1 a key is stored encrypted, and lists show its last four characters", async () => {
  const tenant = randomUUID();
  expect(await save(tenant)).toEqual({ type: "saved" });
  await save(tenant, "openai", "short");
  expect(await read(tenant)).toEqual({ type: "read", keys: { anthropic: KEY, openai: "short" } });
  expect(await listProviderKeys(server.database, tenant)).toEqual([
    { provider: "anthropic", ending: "cret", saved: expect.any(Date) },
    { provider: "openai", ending: "", saved: expect.any(Date) },
  ]);
  const dump = server.cluster.dump();
  expect(dump).toContain(tenant);
  for (const part of [KEY, KEY.slice(0, 20), Buffer.from(KEY).toString("hex")]) expect(dump).not.toContain(part);
});

test("HKEY1 the same key is encrypted differently each time, and the newest counts", async () => {
  const owner = { tenant: randomUUID(), provider: "anthropic" };
  const [one, other] = [cipher.encrypt(KEY, owner), cipher.encrypt(KEY, owner)];
  expect(one.nonce).not.toEqual(other.nonce);
  expect(one.encrypted).not.toEqual(other.encrypted);
  await save(owner.tenant, "anthropic", "the-older-key-of-them");
  await save(owner.tenant);
  expect(await read(owner.tenant)).toMatchObject({ keys: { anthropic: KEY } });
});

test("HKEY2 a row that is copied to another tenant or provider, or changed, cannot be decrypted", async () => {
  const [tenant, other] = [randomUUID(), randomUUID()];
  await save(tenant);
  await save(other, "openai");
  const copy = (provider: string) =>
    server.cluster.runAsSuperuser(
      `insert into pith.saved_key select '${other}', '${provider}', cipher_key, nonce, encrypted, ending, saved
        from pith.saved_key where tenant = '${tenant}'`,
    );
  await copy("anthropic");
  const refused = { type: "mistake", message: "the key for anthropic cannot be decrypted; set it again" };
  expect(await read(other)).toEqual(refused);
  expect(JSON.stringify(await read(other, cipher, { anthropic: "of the operator" }))).not.toContain("operator");
  await deleteProviderKey(server.database, other, "anthropic");
  await server.cluster.runAsSuperuser(`update pith.saved_key set provider = 'google' where tenant = '${tenant}'`);
  expect(await read(tenant)).toMatchObject({ type: "mistake" });
  await server.cluster.runAsSuperuser(
    `update pith.saved_key set provider = 'anthropic', encrypted = set_byte(encrypted, 0, get_byte(encrypted, 0) # 1) where tenant = '${tenant}'`,
  );
  expect(await read(tenant)).toEqual(refused);
  expect(await read(other)).toMatchObject({ keys: { openai: KEY } });
});

test("HKEY3 keys are encrypted anew with the first key, in batches, and the old one is no longer needed", async () => {
  const tenants = Array.from({ length: 5 }, () => randomUUID());
  for (const tenant of tenants) await save(tenant, "mistral");
  const lost = randomUUID();
  await save(lost, "groq", KEY, createKeyCipher([createKey()]));
  const secondKey = createKey();
  const both = createKeyCipher([secondKey, firstKey]);
  const { reencrypted, failed } = await reencryptProviderKeys(server.database, both, { batch: 2 });
  expect(reencrypted).toBeGreaterThanOrEqual(tenants.length);
  expect(failed).toContainEqual({ tenant: lost, provider: "groq" });
  const only = createKeyCipher([secondKey]);
  for (const tenant of tenants) {
    expect(await read(tenant, only)).toMatchObject({ keys: { mistral: KEY } });
    expect(await read(tenant)).toMatchObject({ type: "mistake" });
  }
  expect(await reencryptProviderKeys(server.database, both)).toMatchObject({ reencrypted: 0 });
});

test("HKEY4 a tenant without a key uses the operator's, if there is one; its own comes first", async () => {
  const tenant = randomUUID();
  const operator = { anthropic: "of the operator", google: "of the operator" };
  expect(await read(tenant)).toEqual({ type: "read", keys: {} });
  expect(await read(tenant, cipher, operator)).toEqual({ type: "read", keys: operator });
  await save(tenant);
  expect(await read(tenant, cipher, operator)).toEqual({ type: "read", keys: { ...operator, anthropic: KEY } });
  expect(await deleteProviderKey(server.database, tenant, "anthropic")).toBe(true);
  expect(await deleteProviderKey(server.database, tenant, "anthropic")).toBe(false);
  expect(await read(tenant, cipher, operator)).toEqual({ type: "read", keys: operator });
});

test("HKEY5 what is no provider and no key is refused, and no message quotes it", async () => {
  const tenant = randomUUID();
  const results = [
    await save(tenant, KEY, "anthropic"),
    await save(tenant, "ollama"),
    await save(tenant, "openai", `${KEY}\n`),
  ];
  expect(results.map(({ type }) => type)).toEqual(["invalid", "invalid", "invalid"]);
  expect(JSON.stringify(results)).not.toContain(KEY);
  expect(JSON.stringify(results)).toContain("anthropic");
  for (const keys of [[], ["short"], [`${firstKey}!`]]) {
    expect(() => createKeyCipher(keys)).toThrow("openssl rand -base64 32");
    expect(() => createKeyCipher([firstKey, ...keys, KEY])).not.toThrow(KEY);
  }
});

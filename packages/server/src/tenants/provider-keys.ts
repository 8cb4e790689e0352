/** Stores the keys of model providers that tenants have set, encrypted with a key from outside the database. */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { listKeyProviders } from "@pith/host/models/available-models";
import { isKey, type ProviderKeys, type SavedKeys } from "@pith/host/settings/provider-keys";
import type { Database } from "../store/connect.ts";
import { checkTenant } from "../store/sessions.ts";

/** Encrypts provider keys with the first of its keys and decrypts with all of them. */
export interface KeyCipher {
  /** The id of the key that encrypts. */
  readonly id: string;
  encrypt(text: string, owner: KeyOwner): EncryptedKey;
  /** Null if the cipher has no such key, or if the text was encrypted for another tenant or provider, or changed. */
  decrypt(encrypted: EncryptedKey, owner: KeyOwner): string | null;
}

/** What a key belongs to. A row that is copied to another tenant or provider cannot be decrypted. */
interface KeyOwner {
  readonly tenant: string;
  readonly provider: string;
}

interface EncryptedKey {
  /** The id of the key that encrypted it. */
  readonly cipherKey: string;
  readonly nonce: Buffer;
  /** The encrypted text, and the tag of GCM at its end. */
  readonly encrypted: Buffer;
}

/** Each key is 32 random bytes in base64, such as from `openssl rand -base64 32`. To rotate, put a new key before the old one. */
export function createKeyCipher(keys: readonly string[]): KeyCipher {
  const byId = new Map(keys.map(parseKey).map((key) => [identifyKey(key), key]));
  const [first] = byId;
  if (!first) throw new Error("a cipher needs a key; create one with: openssl rand -base64 32");
  const [id, firstKey] = first;
  return {
    id,
    encrypt: (text, owner) => ({ cipherKey: id, ...encrypt(text, { key: firstKey, owner }) }),
    decrypt: ({ cipherKey, ...encrypted }, owner) => {
      const key = byId.get(cipherKey);
      return key ? decrypt(encrypted, { key, owner }) : null;
    },
  };
}

/** An error never quotes the key. */
function parseKey(text: string, index: number): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== 32 || key.toString("base64").replace(/=+$/, "") !== text.trim().replace(/=+$/, ""))
    throw new Error(`key ${index + 1} is not 32 bytes in base64; create one with: openssl rand -base64 32`);
  return key;
}

/** Says nothing about the key, which is random. */
function identifyKey(key: Buffer): string {
  return createHash("sha256").update("pith provider keys\n").update(key).digest("hex").slice(0, 16);
}

interface CipherOptions {
  readonly key: Buffer;
  readonly owner: KeyOwner;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function encrypt(text: string, { key, owner }: CipherOptions): Pick<EncryptedKey, "nonce" | "encrypted"> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(formatOwner(owner));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce, encrypted };
}

function decrypt(
  { nonce, encrypted }: Pick<EncryptedKey, "nonce" | "encrypted">,
  { key, owner }: CipherOptions,
): string | null {
  if (nonce.length !== NONCE_BYTES || encrypted.length < TAG_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(formatOwner(owner)).setAuthTag(encrypted.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    // The tag does not match.
    return null;
  }
}

function formatOwner({ tenant, provider }: KeyOwner): Buffer {
  return Buffer.from(`${tenant.toLowerCase()}\n${provider}`);
}

export type SetProviderKeyResult =
  | { readonly type: "saved" }
  /** The problem never quotes the key. */
  | { readonly type: "invalid"; readonly problem: string };

/** Sets the tenant's key for a provider, or replaces it. */
export async function setProviderKey(
  database: Database,
  cipher: KeyCipher,
  tenant: string,
  { provider, key }: { readonly provider: string; readonly key: string },
): Promise<SetProviderKeyResult> {
  checkTenant(tenant);
  const names = listKeyProviders().map(({ id }) => id);
  // What is not a provider may be a key in the wrong place.
  if (!names.includes(provider))
    return { type: "invalid", problem: `there is no such provider; write one of: ${names.join(", ")}` };
  if (!isKey(key) || key.length > MAX_KEY_CHARS)
    return { type: "invalid", problem: "this is not an API key; write a string of ASCII characters without spaces" };
  const { cipherKey, nonce, encrypted } = cipher.encrypt(key, { tenant, provider });
  await database.call("save_key", [tenant, provider, cipherKey, nonce, encrypted, endingOf(key)]);
  return { type: "saved" };
}

const MAX_KEY_CHARS = 4_000;

/** Nothing of a short key. */
function endingOf(key: string): string {
  return key.length < SHORT_KEY_CHARS ? "" : key.slice(-4);
}

const SHORT_KEY_CHARS = 16;

/** A key in a list. */
export interface ListedKey {
  readonly provider: string;
  /** The last four characters; empty for a short key. */
  readonly ending: string;
  readonly saved: Date;
}

export async function listProviderKeys(database: Database, tenant: string): Promise<readonly ListedKey[]> {
  checkTenant(tenant);
  return await database.readRows<ListedKey>("list_keys", [tenant]);
}

/** Returns false if the tenant has no key for the provider. */
export async function deleteProviderKey(database: Database, tenant: string, provider: string): Promise<boolean> {
  checkTenant(tenant);
  return await database.call<boolean>("delete_key", [tenant, provider]);
}

export interface ReadKeysOptions {
  /** The operator's keys, for providers that the tenant has no key for. Default: none. */
  readonly operatorKeys?: ProviderKeys | undefined;
}

/** Reads the keys that a tenant's sessions use. A key that cannot be decrypted is an error: the operator's would be charged instead. */
export async function readProviderKeys(
  database: Database,
  cipher: KeyCipher,
  tenant: string,
  options: ReadKeysOptions = {},
): Promise<SavedKeys> {
  checkTenant(tenant);
  const rows = await database.readRows<KeyRow>("read_tenant", [tenant]);
  return decryptKeys(rows, { cipher, tenant, ...options });
}

/** A row of `read_tenant`. Nulls: the tenant has no key. */
export interface KeyRow {
  readonly provider: string | null;
  readonly cipher_key: string;
  readonly nonce: Buffer;
  readonly encrypted: Buffer;
}

export interface DecryptOptions extends ReadKeysOptions {
  readonly cipher: KeyCipher;
  readonly tenant: string;
}

export function decryptKeys(rows: readonly KeyRow[], { cipher, tenant, operatorKeys = {} }: DecryptOptions): SavedKeys {
  const found = rows.flatMap(({ provider, cipher_key: cipherKey, nonce, encrypted }) =>
    provider === null ? [] : [{ provider, key: cipher.decrypt({ cipherKey, nonce, encrypted }, { tenant, provider }) }],
  );
  const broken = found.find(({ key }) => key === null);
  const own = Object.fromEntries(found.flatMap(({ provider, key }) => (key === null ? [] : [[provider, key]])));
  return {
    location: "the keys of the tenant",
    read: async () =>
      broken
        ? { type: "mistake", message: `the key for ${broken.provider} cannot be decrypted; set it again` }
        : { type: "read", keys: { ...operatorKeys, ...own } },
  };
}

export interface ReencryptResult {
  readonly reencrypted: number;
  /** Keys that the cipher cannot decrypt. */
  readonly failed: readonly KeyOwner[];
}

/** Encrypts the keys of all tenants with the first key of the cipher, so that the others are no longer needed. It can be called again. */
export async function reencryptProviderKeys(
  database: Database,
  cipher: KeyCipher,
  { batch = 100 }: { readonly batch?: number } = {},
): Promise<ReencryptResult> {
  let reencrypted = 0;
  const failed: KeyOwner[] = [];
  for (let last: KeyOwner | undefined; ; ) {
    const values = [cipher.id, last?.tenant ?? null, last?.provider ?? null, batch];
    const owners = await database.readRows<KeyOwner>("find_outdated_keys", values);
    for (const owner of owners) {
      const result = await reencrypt(database, cipher, owner);
      if (result === "reencrypted") reencrypted += 1;
      if (result === "failed") failed.push(owner);
    }
    last = owners.at(-1);
    if (!last || owners.length < batch) return { reencrypted, failed };
  }
}

/** `changed`: it was set or removed meanwhile. */
async function reencrypt(
  database: Database,
  cipher: KeyCipher,
  owner: KeyOwner,
): Promise<"reencrypted" | "changed" | "failed"> {
  const { tenant, provider } = owner;
  const rows = await database.readRows<KeyRow>("read_tenant", [tenant]);
  const row = rows.find((each) => each.provider === provider);
  if (!row) return "changed";
  const text = cipher.decrypt({ cipherKey: row.cipher_key, nonce: row.nonce, encrypted: row.encrypted }, owner);
  if (text === null) return "failed";
  const { cipherKey, nonce, encrypted } = cipher.encrypt(text, owner);
  const isReplaced = await database.call<boolean>("replace_key", [
    ...[tenant, provider, row.nonce, cipherKey, nonce, encrypted],
  ]);
  return isReplaced ? "reencrypted" : "changed";
}

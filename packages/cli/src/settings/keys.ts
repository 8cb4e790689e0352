/** Finds provider keys in the environment, else in the user's key file. No message quotes what the file contains. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, type Provider, providers } from "@pith/models";
import { objectIn } from "../text/jsonc.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";

/** By the provider's id. */
export type Keys = Readonly<Record<string, string>>;

export type ReadKeys = { readonly type: "read"; readonly keys: Keys } | Mistake;

/** Read only if no other user can read it. No file is no mistake. On Windows users have no number, and modes say nothing. */
export async function readKeyFile(path: string, userId: number | null = ownUserId()): Promise<ReadKeys> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await keysOf(file, { path, userId }).finally(() => file.close());
  } catch (error) {
    const { code = "for an unknown reason" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", keys: {} };
    if (code === "ELOOP") return mistake(`${path} is a link, so it was not read; put the file itself there`);
    return mistake(`${path} cannot be read: ${code}`);
  }
}

interface KeyFile {
  readonly path: string;
  /** Null where users have none. */
  readonly userId: number | null;
}

async function keysOf(file: FileHandle, { path, userId }: KeyFile): Promise<ReadKeys> {
  const stats = await file.stat();
  if (!stats.isFile()) return mistake(`${path} is no regular file, so it was not read`);
  if (userId !== null && stats.uid !== userId) return mistake(`${path} belongs to somebody else, so it was not read`);
  if (userId !== null && (stats.mode & OTHERS) !== 0)
    return mistake(`${path} is open to others, so it was not read; run: chmod 600 ${quoted(path)}`);
  if (stats.size > MOST_BYTES) return mistake(`${path} is too long for a file of keys`);
  return keysIn(await file.readFile("utf8"), path);
}

/** Null on Windows. */
export function ownUserId(): number | null {
  return process.geteuid?.() ?? null;
}

const OTHERS = 0o077;
const MOST_BYTES = 64 * 1024;

function keysIn(text: string, path: string): ReadKeys {
  const keys = objectIn(text);
  if (keys === null) return mistake(`${path} is no JSON object; write { "anthropic": "…", "openai": "…" }`);
  // By its place: whoever mixed up the two sides of the colon has a key for a name.
  const wrong = Object.values(keys).findIndex((key) => !isKey(key));
  if (wrong >= 0) return mistake(`${path}: entry ${wrong + 1} holds no key; write one line of text in quotes`);
  return { type: "read", keys: keys as Keys };
}

/** It goes into a header: anything else than visible ASCII would be refused there, together with the key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}

function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

export interface KeyPlaces {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
}

export type FoundKey =
  /** Without one, the environment has it, or nobody needs or has one. */
  { readonly type: "found"; readonly apiKey?: string } | Mistake;

/** The file is not even opened where it would tell nothing. */
export async function keyFor(provider: Provider, { environment, home }: KeyPlaces): Promise<FoundKey> {
  if (provider.isLocal || hasVariable(provider, environment)) return { type: "found" };
  const read = await readKeyFile(keyFile(home));
  if (read.type === "mistake") return read;
  // One provider under two names has one key.
  const apiKey = read.keys[provider.id] ?? read.keys[provider.canonicalId ?? provider.id];
  return { type: "found", ...(apiKey !== undefined && { apiKey }) };
}

export type FoundProvider = { readonly type: "found"; readonly provider: Provider | undefined } | Mistake;

/** The first of these that can be asked. */
export async function providerWithKey(
  wanted: readonly Provider[],
  { environment, home }: KeyPlaces,
): Promise<FoundProvider> {
  const set = wanted.find((provider) => hasVariable(provider, environment));
  if (set) return { type: "found", provider: set };
  const read = await readKeyFile(keyFile(home));
  return read.type === "mistake" ? read : { type: "found", provider: wanted.find(({ id }) => id in read.keys) };
}

/** Variables that hold keys of providers: nothing that a model runs needs to see them. */
export function keyVariables(): readonly string[] {
  return [...new Set(providers.flatMap(({ keyVariables: keys }) => keys))];
}

export function keyFile(home: string): string {
  return join(home, "keys.json");
}

function hasVariable({ keyVariables: keys }: Provider, environment: Environment): boolean {
  return keys.some((name) => environment[name]?.trim());
}

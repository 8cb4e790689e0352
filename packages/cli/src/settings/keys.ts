/** Finds provider keys in the environment, else in the user's key file. No message quotes what the file contains. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, type Provider, providers } from "@pith/models";
import { parseJsonObject } from "../text/jsonc.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";

/** By the provider's id. */
export type ProviderKeys = Readonly<Record<string, string>>;

export type ReadKeysResult = { readonly type: "read"; readonly keys: ProviderKeys } | UsageError;

/** Read only if no other user can read it. No file is no mistake. On Windows users have no number, and modes say nothing. */
export async function readKeyFile(path: string, userId: number | null = getUserId()): Promise<ReadKeysResult> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readCheckedKeys(file, { path, userId }).finally(() => file.close());
  } catch (error) {
    const { code = "for an unknown reason" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", keys: {} };
    if (code === "ELOOP") return usageError(`${path} is a link, so it was not read; put the file itself there`);
    return usageError(`${path} cannot be read: ${code}`);
  }
}

interface KeyFileOptions {
  readonly path: string;
  /** Null where users have none. */
  readonly userId: number | null;
}

async function readCheckedKeys(file: FileHandle, { path, userId }: KeyFileOptions): Promise<ReadKeysResult> {
  const stats = await file.stat();
  if (!stats.isFile()) return usageError(`${path} is no regular file, so it was not read`);
  if (userId !== null && stats.uid !== userId)
    return usageError(`${path} belongs to somebody else, so it was not read`);
  if (userId !== null && (stats.mode & OTHERS_PERMISSION_BITS) !== 0)
    return usageError(`${path} is open to others, so it was not read; run: chmod 600 ${quoteForShell(path)}`);
  if (stats.size > MAX_KEY_FILE_BYTES) return usageError(`${path} is too long for a file of keys`);
  return parseKeys(await file.readFile("utf8"), path);
}

/** Null on Windows. */
export function getUserId(): number | null {
  return process.geteuid?.() ?? null;
}

const OTHERS_PERMISSION_BITS = 0o077;
const MAX_KEY_FILE_BYTES = 64 * 1024;

function parseKeys(text: string, path: string): ReadKeysResult {
  const keys = parseJsonObject(text);
  if (keys === null) return usageError(`${path} is no JSON object; write { "anthropic": "…", "openai": "…" }`);
  // By its place: whoever mixed up the two sides of the colon has a key for a name.
  const invalidIndex = Object.values(keys).findIndex((key) => !isKey(key));
  if (invalidIndex >= 0)
    return usageError(`${path}: entry ${invalidIndex + 1} holds no key; write one line of text in quotes`);
  return { type: "read", keys: keys as ProviderKeys };
}

/** It goes into a header: anything else than visible ASCII would be refused there, together with the key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}

function quoteForShell(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

export interface KeySources {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
}

export type FindKeyResult =
  /** Without one, the environment has it, or nobody needs or has one. */
  { readonly type: "found"; readonly apiKey?: string } | UsageError;

/** The file is not even opened where it would tell nothing. */
export async function findKey(provider: Provider, { environment, home }: KeySources): Promise<FindKeyResult> {
  if (provider.isLocal || hasKeyVariable(provider, environment)) return { type: "found" };
  const result = await readKeyFile(keyFilePath(home));
  if (result.type === "mistake") return result;
  // One provider under two names has one key.
  const apiKey = result.keys[provider.id] ?? result.keys[provider.canonicalId ?? provider.id];
  return { type: "found", ...(apiKey !== undefined && { apiKey }) };
}

export type FindProviderResult = { readonly type: "found"; readonly provider: Provider | undefined } | UsageError;

/** The first of these that can be asked. */
export async function findProviderWithKey(
  candidates: readonly Provider[],
  { environment, home }: KeySources,
): Promise<FindProviderResult> {
  const configuredProvider = candidates.find((provider) => hasKeyVariable(provider, environment));
  if (configuredProvider) return { type: "found", provider: configuredProvider };
  const result = await readKeyFile(keyFilePath(home));
  return result.type === "mistake"
    ? result
    : { type: "found", provider: candidates.find(({ id }) => id in result.keys) };
}

/** Variables that hold keys of providers: nothing that a model runs needs to see them. */
export function listKeyVariables(): readonly string[] {
  return [...new Set(providers.flatMap(({ keyVariables: variableNames }) => variableNames))];
}

export function keyFilePath(home: string): string {
  return join(home, "keys.json");
}

function hasKeyVariable({ keyVariables: variableNames }: Provider, environment: Environment): boolean {
  return variableNames.some((name) => environment[name]?.trim());
}

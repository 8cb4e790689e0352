/** Finds provider keys in the environment or in the user's key file. Messages never quote the content of the file. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, type Provider, providers } from "@pith/models";
import type { HostContext } from "../host-context.ts";
import { parseJsonObject } from "../text/jsonc.ts";
import { quoteIfNeeded } from "../text/shell-words.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";

/** By the provider's id. */
export type ProviderKeys = Readonly<Record<string, string>>;

export type ReadKeysResult = { readonly type: "read"; readonly keys: ProviderKeys } | UsageError;

/**
 * Reads the key file only if no other user can read it. A missing file is not an error. The check is skipped on Windows, which has no
 * user ids and file modes.
 */
export async function readKeyFile(path: string, userId: number | null = getUserId()): Promise<ReadKeysResult> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readCheckedKeys(file, { path, userId }).finally(() => file.close());
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", keys: {} };
    if (code === "ELOOP")
      return usageError(`${path} is a symbolic link, so it was not read; replace it with the file itself`);
    return usageError(`${path} cannot be read: ${code}`);
  }
}

interface KeyFileOptions {
  readonly path: string;
  /** Null on Windows. */
  readonly userId: number | null;
}

async function readCheckedKeys(file: FileHandle, { path, userId }: KeyFileOptions): Promise<ReadKeysResult> {
  const stats = await file.stat();
  if (!stats.isFile()) return usageError(`${path} is not a regular file, so it was not read`);
  if (userId !== null && stats.uid !== userId) return usageError(`${path} belongs to another user, so it was not read`);
  if (userId !== null && (stats.mode & OTHERS_PERMISSION_BITS) !== 0)
    return usageError(
      `${path} is accessible to other users, so it was not read; run: chmod 600 ${quoteIfNeeded(path)}`,
    );
  if (stats.size > MAX_KEY_FILE_BYTES) return usageError(`${path} is too large for a key file`);
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
  if (keys === null) return usageError(`${path} is not a JSON object; expected { "anthropic": "…", "openai": "…" }`);
  const invalidIndex = Object.values(keys).findIndex((key) => !isKey(key));
  if (invalidIndex >= 0)
    return usageError(
      `${path}: ${describeEntry(keys, invalidIndex)} is not an API key; expected a string of ASCII characters without spaces`,
    );
  return { type: "read", keys: keys as ProviderKeys };
}

/** An unknown name is not shown: if the user swapped the two sides, the name is the key. */
function describeEntry(keys: object, index: number): string {
  const name = Object.keys(keys)[index] ?? "";
  return providers.some(({ id }) => id === name) ? `the value of "${name}"` : `the value in entry ${index + 1}`;
}

/** Allows only visible ASCII: the key is sent in a header, and an error about other characters would quote the key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}

/** The keys that were saved for providers, such as in the user's key file. */
export interface SavedKeys {
  /** Where they are, for errors. */
  readonly location: string;
  read(): Promise<ReadKeysResult>;
}

/** The keys in the key file of Pith's home. */
export function savedKeys(home: string): SavedKeys {
  const location = keyFilePath(home);
  return { location, read: () => readKeyFile(location) };
}

export interface KeySources extends Pick<HostContext, "home" | "environment"> {
  /** The saved keys. Default: the key file in Pith's home. */
  readonly keys?: SavedKeys | undefined;
  /** Learns the key that is found. Absent if no session runs, null if redaction is off. */
  readonly vault?: KeyRedaction | null | undefined;
}

/** Redacts a key from now on. The name is for display. */
export interface KeyRedaction {
  addKey(name: string, value: string): void;
}

export type FindKeyResult =
  /** `apiKey` is absent if the environment contains the key, if the provider needs none, or if there is none. */
  { readonly type: "found"; readonly apiKey?: string } | UsageError;

/** Does not open the key file if the provider is local or the environment contains its key. */
export async function findKey(
  provider: Provider,
  { environment, home, keys = savedKeys(home), vault }: KeySources,
): Promise<FindKeyResult> {
  if (provider.isLocal || findKeyVariable(provider, environment) !== null) return { type: "found" };
  const result = await keys.read();
  if (result.type === "mistake") return result;
  // An alias of a provider uses the same key.
  const apiKey = result.keys[provider.id] ?? result.keys[provider.canonicalId ?? provider.id];
  // The file may have changed since the session started.
  if (apiKey !== undefined) vault?.addKey(savedKeyName(provider.id), apiKey);
  return { type: "found", ...(apiKey !== undefined && { apiKey }) };
}

export type FindProviderResult = { readonly type: "found"; readonly provider: Provider | undefined } | UsageError;

/** Returns the first candidate with a key. Keys in the environment come before keys in the file. */
export async function findProviderWithKey(
  candidates: readonly Provider[],
  { environment, home, keys = savedKeys(home) }: KeySources,
): Promise<FindProviderResult> {
  const configuredProvider = candidates.find((provider) => findKeyVariable(provider, environment) !== null);
  if (configuredProvider) return { type: "found", provider: configuredProvider };
  const result = await keys.read();
  return result.type === "mistake"
    ? result
    : { type: "found", provider: candidates.find(({ id }) => id in result.keys) };
}

/** The environment variables for provider keys. Commands run by a model never need them. */
export function listKeyVariables(): readonly string[] {
  return [...new Set(providers.flatMap(({ keyVariables: variableNames }) => variableNames))];
}

/** The name of a saved key for display. */
export function savedKeyName(providerId: string): string {
  return `${providerId.toUpperCase()}_API_KEY`;
}

export function keyFilePath(home: string): string {
  return join(home, "keys.json");
}

/** Returns the name of the variable with the provider's key. Null if none is set. */
export function findKeyVariable(
  { keyVariables }: Pick<Provider, "keyVariables">,
  environment: Environment,
): string | null {
  return keyVariables.find((name) => environment[name]?.trim()) ?? null;
}

/** Removes the provider's key from the environment of this process, so that the session and its sub-agents use the saved key. */
export function unsetKeyVariables({ keyVariables }: Pick<Provider, "keyVariables">, environment: Environment): void {
  for (const name of keyVariables) delete (environment as Record<string, string | undefined>)[name];
}

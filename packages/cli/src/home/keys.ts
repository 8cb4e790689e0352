/** The keys of providers: in the environment first, else in the user's file. */

import { join } from "node:path";
import { type Environment, type Provider, providers } from "@pith/models";
import type { Mistake } from "../asking/mistake.ts";
import { readKeyFile } from "./key-file.ts";

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
  const apiKey = read.keys[provider.id] ?? read.keys[provider.seller ?? provider.id];
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
  return [...new Set(providers.flatMap(({ keys }) => keys))];
}

export function keyFile(home: string): string {
  return join(home, "keys.json");
}

function hasVariable({ keys }: Provider, environment: Environment): boolean {
  return keys.some((name) => environment[name]?.trim());
}

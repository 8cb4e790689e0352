/** The models that can be asked from here: of every provider with a key what it is known to sell, and what local servers have. */

import { catalogue, type Provider, providers } from "@pith/models";
import { type KeyPlaces, keyFor } from "../../../home/keys.ts";
import type { ModelRow } from "../../panels/choosing/model-rows.ts";

/** The newest names of each first. */
export async function modelsWithKey(places: KeyPlaces): Promise<readonly ModelRow[]> {
  const known = catalogue();
  const asked = await Promise.all(providers.map(async (each) => ((await hasKey(each, places)) ? [each] : [])));
  return asked.flat().flatMap(({ id }) =>
    withoutDays(known.sold(id))
      .toSorted(newestFirst)
      .map((model) => ({ name: `${id}/${model}`, facts: known.facts(id, model).facts, isLocal: false })),
  );
}

export async function modelsHere(): Promise<readonly ModelRow[]> {
  const { localServers } = await import("../../starting/finding/local-servers.ts");
  const known = catalogue();
  return (await localServers()).flatMap(({ provider, models }) =>
    models.map((model) => ({
      name: `${provider}/${model}`,
      facts: known.facts(provider, model, { local: true }).facts,
      isLocal: true,
    })),
  );
}

/** A provider under a second name sells nothing else. */
async function hasKey(provider: Provider, places: KeyPlaces): Promise<boolean> {
  if (provider.isLocal || provider.keys.length === 0 || provider.seller !== undefined) return false;
  if (provider.keys.some((name) => places.environment[name]?.trim())) return true;
  const found = await keyFor(provider, places);
  return found.type === "found" && found.apiKey !== undefined;
}

/** A model of one day is left out where its name alone means the newest of them; by its whole name it can still be had. */
function withoutDays(models: readonly string[]): readonly string[] {
  const names = new Set(models);
  return models.filter((model) => !names.has(model.replace(DAY, "")) || !DAY.test(model));
}

const DAY = /-\d{4}-?\d{2}-?\d{2}$/;

function newestFirst(one: string, other: string): number {
  return other.localeCompare(one, "en", { numeric: true });
}

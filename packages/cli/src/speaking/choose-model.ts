/** Which model speaks: the one that was asked for, or the first for which there is a key. */

import { join } from "node:path";
import { type OpenedModel, openModel, providers, windowFile } from "@pith/models";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { readKeyFile } from "../home/key-file.ts";
import { type KeyPlaces, keyFile, keyFor, providerWithKey } from "../home/keys.ts";
import type { Settings } from "../home/settings.ts";
import { usualModels } from "./usual-models.ts";

export type ChosenModel = OpenedModel | Mistake;

export interface Asking extends KeyPlaces {
  /** Of the session that will be worked in, so that its requests find each other's cache. */
  readonly sessionId: string;
  /** Who spoke in it last, as `provider/model`. */
  readonly spoke?: string | undefined;
}

export async function chooseModel(
  { model, baseUrl, contextWindow }: Settings,
  { sessionId, spoke, ...places }: Asking,
): Promise<ChosenModel> {
  const name = model ?? spoke;
  const wanted = name === undefined ? await byKey(places) : ({ type: "named", name } as const);
  if (wanted.type === "mistake") return wanted;
  const [id = "", ...rest] = wanted.name.split("/");
  const provider = providers.find((each) => each.id === id);
  const key = provider ? await keyFor(provider, places) : ({ type: "found" } as const);
  if (key.type === "mistake") return key;
  const wish = {
    provider: id,
    model: rest.join("/"),
    cacheKey: sessionId,
    ...(key.apiKey !== undefined && { apiKey: key.apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
  const windows = windowFile(join(places.home, "windows.json"));
  const opened = await openModel(wish, { environment: places.environment, windows });
  if (opened.type === "opened") return opened;
  const why = opened.type === "no-key" ? `${id} needs a key: ${howToSet(id, places)}` : opened.message;
  const isFromSession = model === undefined && spoke !== undefined;
  return mistake(isFromSession ? `this session spoke with ${spoke}; ${why}, or name another model with --model` : why);
}

type Wanted = { readonly type: "named"; readonly name: string } | Mistake;

async function byKey(places: KeyPlaces): Promise<Wanted> {
  const houses = providers.filter(({ id }) => usualModels[id] !== undefined);
  const found = await providerWithKey(houses, places);
  if (found.type === "mistake") return found;
  const id = found.provider?.id;
  if (id !== undefined) return { type: "named", name: `${id}/${usualModels[id]}` };
  return mistake(`no model: ${await whatIsMissing(places)}; or name one with --model provider/model`);
}

/** A file with keys under other names, mistyped ones perhaps, is not passed over as if it were not there. */
async function whatIsMissing(places: KeyPlaces): Promise<string> {
  const file = keyFile(places.home);
  const read = await readKeyFile(file);
  if (read.type === "mistake" || Object.keys(read.keys).length === 0) return howToSet("anthropic", places);
  return `${file} has no key under one of the names ${Object.keys(usualModels).join(", ")}; add one`;
}

function howToSet(id: string, { home }: KeyPlaces): string {
  const [variable] = providers.find((provider) => provider.id === id)?.keys ?? [];
  return `set a key such as ${variable}, or write { "${id}": "…" } into ${keyFile(home)} (chmod 600)`;
}

/** Lists the models that can be used: those of providers with a key, and those of servers on this machine. */

import { get } from "node:http";
import { createCatalogue, type ModelFacts, type Provider, providers } from "@pith/models";
import { refuseModel } from "../policy/policy.ts";
import { type KeyPlaces, keyFor } from "../settings/keys.ts";
import type { Settings } from "../settings/settings.ts";

export interface ModelRow {
  /** As `provider/model`. */
  readonly name: string;
  /** Null where nobody knows. */
  readonly facts: ModelFacts | null;
  /** On this machine, so that it costs nothing. */
  readonly isLocal: boolean;
}

export interface ModelPlaces extends KeyPlaces {
  readonly choices: Pick<Settings, "policy">;
}

/** The newest names of each first; none that a policy forbids. */
export async function modelsWithKey(places: ModelPlaces): Promise<readonly ModelRow[]> {
  const known = createCatalogue();
  const asked = await Promise.all(providers.map(async (each) => ((await hasKey(each, places)) ? [each] : [])));
  return asked.flat().flatMap(({ id }) =>
    withoutDays(known.listModels(id))
      .filter((model) => refuseModel(places.choices.policy, `${id}/${model}`) === null)
      .toSorted(newestFirst)
      .map((model) => ({ name: `${id}/${model}`, facts: known.facts(id, model).facts, isLocal: false })),
  );
}

export async function modelsHere(): Promise<readonly ModelRow[]> {
  const known = createCatalogue();
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
  if (provider.isLocal || provider.keyVariables.length === 0 || provider.canonicalId !== undefined) return false;
  if (provider.keyVariables.some((name) => places.environment[name]?.trim())) return true;
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

/** Of whatever was answered; empty where it is no list of models. Those that cannot hold a conversation are left out. */
export function modelIds(answer: unknown): readonly string[] {
  const { data, models } = Object(answer) as { readonly data?: unknown; readonly models?: unknown };
  const listed = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return listed.slice(0, MOST).flatMap((each) => idOf(Object(each)) ?? []);
}

const MOST = 2000;

/** Google writes `models/NAME`, and says what each can do. */
function idOf({ id, name, supportedGenerationMethods: can }: Listed): string | null {
  const own = typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
  if (Array.isArray(can) && !can.includes("generateContent")) return null;
  return own === "" || own.length > LONGEST || NO_TALKER.test(own) ? null : own;
}

interface Listed {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly supportedGenerationMethods?: unknown;
}

const LONGEST = 200;
const NO_TALKER =
  /embed|tts|whisper|transcri|speech|audio|realtime|moderation|dall-e|image|imagen|veo|sora|rerank|ocr|guard/i;

export interface LocalModels {
  /** The provider's id. */
  readonly provider: string;
  readonly models: readonly string[];
}

export interface Looking {
  /** Who may be there. */
  readonly locals?: readonly Pick<Provider, "id" | "baseUrl">[];
  /** Milliseconds until somebody is there. */
  readonly within?: number;
}

/** Only this machine is asked, on the usual ports; a server that is not there is not waited for. */
export async function localServers(looking: Looking = {}): Promise<readonly LocalModels[]> {
  const { locals = providers.filter(({ isLocal }) => isLocal), within = 300 } = looking;
  const found = await Promise.all(
    locals.map(async ({ id, baseUrl = "" }) => ({
      provider: id,
      models: modelIds(await answerAt(`${baseUrl}/models`, within)),
    })),
  );
  return found.filter(({ models }) => models.length > 0);
}

/** Null where nobody is there, or somebody else: any web server may have that port. */
function answerAt(url: string, within: number): Promise<unknown> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: within }, async (response) => {
      try {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) {
          text += chunk;
          if (text.length > MOST_LETTERS) break;
        }
        resolve(response.statusCode === 200 ? JSON.parse(text) : null);
      } catch {
        resolve(null); // No JSON, or it broke off: then it is none of these servers.
      }
    });
    // Whoever is there is given time to answer.
    request.on("socket", (socket) => socket.on("connect", () => request.setTimeout(ANSWER)));
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
  });
}

/** In milliseconds. */
const ANSWER = 2_000;
const MOST_LETTERS = 1_000_000;

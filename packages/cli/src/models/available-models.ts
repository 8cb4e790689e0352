/** Lists the models that can be used: those of providers with a key, and those of servers on this machine. */

import { get } from "node:http";
import { createCatalogue, type ModelFacts, type Provider, providers } from "@pith/models";
import { getModelRefusal } from "../policy/policy.ts";
import { findKey, type KeySources } from "../settings/keys.ts";
import type { Settings } from "../settings/settings.ts";

export interface AvailableModel {
  /** As `provider/model`. */
  readonly name: string;
  /** Null where nobody knows. */
  readonly facts: ModelFacts | null;
  /** On this machine, so that it costs nothing. */
  readonly isLocal: boolean;
}

export interface ModelsWithKeyOptions extends KeySources {
  readonly settings: Pick<Settings, "policy">;
}

/** The newest names of each first; none that a policy forbids. */
export async function listModelsWithKey(options: ModelsWithKeyOptions): Promise<readonly AvailableModel[]> {
  const catalogue = createCatalogue();
  const providersWithKey = await Promise.all(
    providers.map(async (provider) => ((await hasKey(provider, options)) ? [provider] : [])),
  );
  return providersWithKey.flat().flatMap(({ id }) =>
    omitDatedVersions(catalogue.listModels(id))
      .filter((model) => getModelRefusal(options.settings.policy, `${id}/${model}`) === null)
      .toSorted(compareNewestFirst)
      .map((model) => ({ name: `${id}/${model}`, facts: catalogue.facts(id, model).facts, isLocal: false })),
  );
}

export async function listLocalModels(): Promise<readonly AvailableModel[]> {
  const catalogue = createCatalogue();
  return (await findLocalServers()).flatMap(({ provider, models }) =>
    models.map((model) => ({
      name: `${provider}/${model}`,
      facts: catalogue.facts(provider, model, { local: true }).facts,
      isLocal: true,
    })),
  );
}

/** A provider under a second name sells nothing else. */
async function hasKey(provider: Provider, keySources: KeySources): Promise<boolean> {
  if (provider.isLocal || provider.keyVariables.length === 0 || provider.canonicalId !== undefined) return false;
  if (provider.keyVariables.some((name) => keySources.environment[name]?.trim())) return true;
  const key = await findKey(provider, keySources);
  return key.type === "found" && key.apiKey !== undefined;
}

/** A model of one day is left out where its name alone means the newest of them; by its whole name it can still be had. */
function omitDatedVersions(models: readonly string[]): readonly string[] {
  const names = new Set(models);
  return models.filter(
    (model) => !names.has(model.replace(DATE_SUFFIX_PATTERN, "")) || !DATE_SUFFIX_PATTERN.test(model),
  );
}

const DATE_SUFFIX_PATTERN = /-\d{4}-?\d{2}-?\d{2}$/;

function compareNewestFirst(a: string, b: string): number {
  return b.localeCompare(a, "en", { numeric: true });
}

/** Of whatever was answered; empty where it is no list of models. Those that cannot hold a conversation are left out. */
export function parseModelIds(response: unknown): readonly string[] {
  const { data, models } = Object(response) as { readonly data?: unknown; readonly models?: unknown };
  const items = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return items.slice(0, MAX_MODELS).flatMap((item) => parseModelId(Object(item)) ?? []);
}

const MAX_MODELS = 2000;

/** Google writes `models/NAME`, and says what each can do. */
function parseModelId({ id, name, supportedGenerationMethods: methods }: ModelListItem): string | null {
  const modelId = typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
  if (Array.isArray(methods) && !methods.includes("generateContent")) return null;
  return modelId === "" || modelId.length > MAX_MODEL_ID_CHARS || NON_CHAT_MODEL_PATTERN.test(modelId) ? null : modelId;
}

interface ModelListItem {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly supportedGenerationMethods?: unknown;
}

const MAX_MODEL_ID_CHARS = 200;
const NON_CHAT_MODEL_PATTERN =
  /embed|tts|whisper|transcri|speech|audio|realtime|moderation|dall-e|image|imagen|veo|sora|rerank|ocr|guard/i;

export interface LocalServer {
  /** The provider's id. */
  readonly provider: string;
  readonly models: readonly string[];
}

export interface FindLocalServersOptions {
  /** Who may be there. */
  readonly localProviders?: readonly Pick<Provider, "id" | "baseUrl">[];
  /** Milliseconds until somebody is there. */
  readonly connectTimeoutMs?: number;
}

/** Only this machine is asked, on the usual ports; a server that is not there is not waited for. */
export async function findLocalServers(options: FindLocalServersOptions = {}): Promise<readonly LocalServer[]> {
  const { localProviders = providers.filter(({ isLocal }) => isLocal), connectTimeoutMs = 300 } = options;
  const servers = await Promise.all(
    localProviders.map(async ({ id, baseUrl = "" }) => ({
      provider: id,
      models: parseModelIds(await fetchJson(`${baseUrl}/models`, connectTimeoutMs)),
    })),
  );
  return servers.filter(({ models }) => models.length > 0);
}

/** Null where nobody is there, or somebody else: any web server may have that port. */
function fetchJson(url: string, connectTimeoutMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: connectTimeoutMs }, async (response) => {
      try {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) {
          text += chunk;
          if (text.length > MAX_RESPONSE_CHARS) break;
        }
        resolve(response.statusCode === 200 ? JSON.parse(text) : null);
      } catch {
        resolve(null); // No JSON, or it broke off: then it is none of these servers.
      }
    });
    // Whoever is there is given time to answer.
    request.on("socket", (socket) => socket.on("connect", () => request.setTimeout(RESPONSE_TIMEOUT_MS)));
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
  });
}

/** In milliseconds. */
const RESPONSE_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_CHARS = 1_000_000;

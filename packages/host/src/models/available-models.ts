/** Lists the models that the user can use: models of providers with a key, and models of local servers. */

import { get } from "node:http";
import {
  createCatalogue,
  findOlderModels,
  type ModelFacts,
  type Provider,
  providers,
  sortNewestFirst,
} from "@pith/models";
import { getModelRefusal } from "../policy/policy.ts";
import { findKey, type KeySources } from "../settings/provider-keys.ts";
import type { Settings } from "../settings/settings.ts";
import { formatNumber } from "../text/format.ts";
import { openCatalogue } from "./catalogue.ts";

export interface AvailableModel {
  /** As `provider/model`. */
  readonly name: string;
  /** Null if they are unknown. */
  readonly facts: ModelFacts | null;
  /** Whether the model runs on this machine and costs nothing. */
  readonly isLocal: boolean;
  /** Whether a newer model replaces it. */
  readonly isOlder?: boolean;
}

export interface ModelsWithKeyOptions extends KeySources {
  readonly settings: Pick<Settings, "policy">;
}

/** Grouped by provider, newest first, older generations last. Models that the policy forbids are omitted. */
export async function listModelsWithKey(options: ModelsWithKeyOptions): Promise<readonly AvailableModel[]> {
  const { catalogue } = await openCatalogue(options.home);
  const providersWithKey = await listProvidersWithKey(options);
  return providersWithKey.flatMap(({ id }) => {
    const models = sortNewestFirst(omitDatedVersions(catalogue.listModels(id)), catalogue.defaultModel(id));
    const olderModels = findOlderModels(models);
    return models
      .filter((model) => getModelRefusal(options.settings.policy, `${id}/${model}`) === null)
      .toSorted((one, other) => Number(olderModels.has(one)) - Number(olderModels.has(other)))
      .map((model) => ({
        name: `${id}/${model}`,
        facts: catalogue.facts(id, model).facts,
        isLocal: false,
        ...(olderModels.has(model) && { isOlder: true }),
      }));
  });
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

export interface ModelFilter {
  readonly query: string;
  /** Whether to include older generations. A query always includes them. */
  readonly showsOlder: boolean;
  /** As `provider/model`. It comes first. */
  readonly currentModel?: string;
}

/** Returns the models whose name contains every word of the query, the current model first. */
export function filterModels(
  models: readonly AvailableModel[],
  { query, showsOlder, currentModel }: ModelFilter,
): readonly AvailableModel[] {
  const queryWords = query.toLowerCase().split(/\s+/);
  const showsAll = showsOlder || query.trim() !== "";
  const matches = models.filter(
    ({ name, isOlder }) =>
      (showsAll || !isOlder || name === currentModel) && queryWords.every((word) => name.toLowerCase().includes(word)),
  );
  return matches.toSorted((a, b) => Number(b.name === currentModel) - Number(a.name === currentModel));
}

export function formatWindow({ facts }: AvailableModel): string {
  return facts ? formatNumber(facts.contextWindow) : "?";
}

/** Returns the price per million input and output tokens. */
export function formatPrice({ facts, isLocal }: AvailableModel): string {
  if (isLocal) return "free (local)";
  const prices = facts?.prices;
  return prices ? `$${formatDollars(prices.input)} / $${formatDollars(prices.output)}` : "?";
}

function formatDollars(price: number): string {
  return price >= 100 ? price.toFixed(0) : String(Number(price.toFixed(2)));
}

/** The providers that need a key. An alias is omitted: it uses the same key. */
export function listKeyProviders(): readonly Provider[] {
  return providers.filter(
    ({ isLocal, keyVariables, canonicalId }) => !isLocal && keyVariables.length > 0 && canonicalId === undefined,
  );
}

/** Keys in the environment come before keys in the file. An alias of a provider is omitted: its models are the same. */
export async function listProvidersWithKey(keySources: KeySources): Promise<readonly Provider[]> {
  const candidates = listKeyProviders();
  const isInEnvironment = ({ keyVariables }: Provider): boolean =>
    keyVariables.some((name) => keySources.environment[name]?.trim());
  const others = candidates.filter((provider) => !isInEnvironment(provider));
  const keys = await Promise.all(others.map((provider) => findKey(provider, keySources)));
  return [
    ...candidates.filter(isInEnvironment),
    ...others.filter((_, index) => {
      const key = keys[index];
      return key?.type === "found" && key.apiKey !== undefined;
    }),
  ];
}

/** Omits a dated version if the list contains the name without the date. The user can still use it by its full name. */
function omitDatedVersions(models: readonly string[]): readonly string[] {
  const names = new Set(models);
  return models.filter(
    (model) => !names.has(model.replace(DATE_SUFFIX_PATTERN, "")) || !DATE_SUFFIX_PATTERN.test(model),
  );
}

const DATE_SUFFIX_PATTERN = /-\d{4}-?\d{2}-?\d{2}$/;

/** Accepts any JSON value. Empty if it is not a list of models. Models that are not for chat are omitted. */
export function parseModelIds(response: unknown): readonly string[] {
  const { data, models } = Object(response) as { readonly data?: unknown; readonly models?: unknown };
  const items = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return items.slice(0, MAX_MODELS).flatMap((item) => parseModelId(Object(item)) ?? []);
}

const MAX_MODELS = 2000;

/** Google lists models as `models/NAME`, with the methods that each supports. */
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
  /** The servers to look for. Default: all local providers. */
  readonly localProviders?: readonly Pick<Provider, "id" | "baseUrl">[];
  /** The timeout for a connection. Default: 300. */
  readonly connectTimeoutMs?: number;
}

/** Queries only this machine, on the default ports. A server that does not accept a connection quickly is skipped. */
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

/** Null if no server answers, or another kind of server uses the port. */
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
        resolve(null); // Invalid or incomplete JSON: it is another kind of server.
      }
    });
    // A server that accepts the connection gets more time to respond.
    request.on("socket", (socket) => socket.on("connect", () => request.setTimeout(RESPONSE_TIMEOUT_MS)));
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
  });
}

const RESPONSE_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_CHARS = 1_000_000;

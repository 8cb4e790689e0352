/** Chooses and opens a model: the requested model, the session's last model, or the default model of the first provider with a key. */

import { join } from "node:path";
import type { LoadedBranch, Model } from "@pith/context";
import {
  type Catalogue,
  createFileWindowStore,
  type OpenModelResult,
  openModel,
  type Provider,
  providers,
  type RequestLimit,
  type WindowStore,
} from "@pith/models";
import { getBaseUrlRefusal, getModelRefusal, type Policy } from "../policy/policy.ts";
import { findKey, findProviderWithKey, type KeySources, savedKeys } from "../settings/provider-keys.ts";
import type { Settings } from "../settings/settings.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";
import { openCatalogue } from "./catalogue.ts";
import type { ResolvedModel, ResolveModelOptions } from "./resolve-model.ts";

export type ChooseModelResult = OpenModelResult | UsageError;

export interface ChooseModelOptions extends KeySources {
  /** The id of the session, used as the cache key, so that its requests share the provider's cache. */
  readonly sessionId: string;
  /** The session's last model, as `provider/model`. */
  readonly previousModel?: string | undefined;
  /** See `SelectModelOptions`. */
  readonly preferredProvider?: string | undefined;
  /** Asked before every request. */
  readonly costLimit?: RequestLimit | undefined;
}

export async function chooseModel(
  settings: Settings,
  { sessionId, previousModel, preferredProvider, costLimit, ...keySources }: ChooseModelOptions,
): Promise<ChooseModelResult> {
  const { model, baseUrl, contextWindow, firstTokenMinutes, policy } = settings;
  const { catalogue, error: catalogueError } = await openCatalogue(keySources.home);
  const selection = await selectModel(settings, {
    ...keySources,
    catalogue,
    previousModel,
    preferredProvider,
  });
  if (selection.type === "mistake") return selection;
  const [providerId = "", ...rest] = selection.name.split("/");
  const provider = providers.find((candidate) => candidate.id === providerId);
  const refusal =
    getModelRefusal(policy, selection.name) ?? refuseConfiguredBaseUrl({ baseUrl, provider, keySources }, policy);
  const isFromSession = model === undefined && previousModel !== undefined;
  if (refusal !== null)
    return usageError(
      isFromSession ? `${refusal} This session used that model; choose another one with --model.` : refusal,
    );
  const key = provider ? await findKey(provider, keySources) : ({ type: "found" } as const);
  if (key.type === "mistake") return key;
  const modelOptions = {
    provider: providerId,
    model: rest.join("/"),
    cacheKey: sessionId,
    ...(key.apiKey !== undefined && { apiKey: key.apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
  const windowStore = openWindowStore(keySources.home);
  const requestPolicy = firstTokenMinutes === undefined ? {} : { firstTokenTimeoutMs: firstTokenMinutes * 60_000 };
  const result = await openModel(modelOptions, {
    environment: keySources.environment,
    catalogue,
    windowStore,
    requestPolicy,
    requestLimit: costLimit,
  });
  if (result.type === "opened")
    return catalogueError === null ? result : { ...result, notes: () => [catalogueError, ...result.notes()] };
  const reason =
    result.type === "no-key" ? `${providerId} needs an API key: ${describeKeySetup(providerId)}` : result.message;
  return usageError(
    isFromSession ? `this session used ${previousModel}; ${reason}, or choose another model with --model` : reason,
  );
}

/** Opens the context windows that sessions have learned. */
export function openWindowStore(home: string): WindowStore {
  return createFileWindowStore(join(home, "windows.json"));
}

interface BaseUrlSources {
  readonly baseUrl: string | undefined;
  readonly provider: Provider | undefined;
  readonly keySources: Pick<KeySources, "environment">;
}

/** Checks the base URL from the settings or from the provider's environment variable against the policy. */
function refuseConfiguredBaseUrl(
  { baseUrl, provider, keySources }: BaseUrlSources,
  policy: Policy | undefined,
): string | null {
  const variableValue = provider?.baseUrlVariable && keySources.environment[provider.baseUrlVariable]?.trim();
  const effectiveBaseUrl = baseUrl ?? variableValue;
  return effectiveBaseUrl ? getBaseUrlRefusal(policy, effectiveBaseUrl) : null;
}

type ModelSelection = { readonly type: "named"; readonly name: string } | UsageError;

export interface SelectModelOptions extends KeySources {
  readonly catalogue: Catalogue;
  /** The session's last model, as `provider/model`. It is used unchanged if the settings name no model. */
  readonly previousModel?: string | undefined;
  /** The provider whose models are preferred if the name is short. Default: that of the session's last model. */
  readonly preferredProvider?: string | undefined;
}

/** Returns the full name of the model that the settings name, of the session's last model, or of the default model. */
export async function selectModel(
  { model, baseUrl, policy }: Settings,
  { previousModel, preferredProvider, ...options }: SelectModelOptions,
): Promise<ModelSelection> {
  const fullName = model === undefined || isFullName(model, options.catalogue) ? (model ?? previousModel) : undefined;
  if (fullName !== undefined) return { type: "named", name: fullName };
  if (model === undefined) return await selectDefaultModel(options, policy);
  // The key of a provider that the user did not name must not be sent to the base URL.
  if (baseUrl !== undefined && !model.includes("/"))
    return usageError(`a base URL is set, so "${model}" needs its provider: write it as provider/model`);
  const resolved = await resolveShortName(model, {
    ...options,
    policy,
    preferredProvider: preferredProvider ?? (previousModel && canonicalProviderId(previousModel)),
  });
  return resolved.type === "no-key" ? await selectDefaultModel(options, policy) : resolved;
}

/** In `compaction.model`: no model after this one is tried. */
export const NO_MODEL = "none";

/** Replaces short names in `compaction.model` by full ones. If no provider has a key yet, they stay until a model is opened. */
export async function resolveSummaryModels(
  settings: Settings,
  keySources: KeySources,
): Promise<{ readonly type: "resolved"; readonly settings: Settings } | UsageError> {
  const { compaction, model, policy } = settings;
  const names = [compaction?.model ?? []].flat();
  if (names.length === 0) return { type: "resolved", settings };
  const { catalogue } = await openCatalogue(keySources.home);
  const preferredProvider = model?.includes("/") ? canonicalProviderId(model) : undefined;
  const fullNames: string[] = [];
  for (const name of names) {
    const resolved =
      name === NO_MODEL || isFullName(name, catalogue)
        ? ({ type: "named", name } as const)
        : await resolveShortName(name, { ...keySources, catalogue, policy, preferredProvider });
    if (resolved.type === "mistake") return usageError(`compaction.model: ${resolved.message}`);
    fullNames.push(resolved.type === "named" ? resolved.name : name);
  }
  return { type: "resolved", settings: { ...settings, compaction: { ...compaction, model: fullNames } } };
}

/** Imports the module only for a short name. */
async function resolveShortName(name: string, options: ResolveModelOptions): Promise<ResolvedModel> {
  const { resolveModelName } = await import("./resolve-model.ts");
  return await resolveModelName(name, options);
}

/**
 * Whether the name is used unchanged: `provider/model` with a version, or with a model that the catalogue lists, or of a provider
 * that it does not list. The catalogue need not know the model.
 */
function isFullName(name: string, catalogue: Catalogue): boolean {
  const [providerId = "", ...rest] = name.split("/");
  const model = rest.join("/");
  if (model === "" || /\s/.test(name) || !providers.some(({ id }) => id === providerId)) return false;
  if (/\d/.test(model)) return true;
  const models = catalogue.listModels(canonicalProviderId(name));
  return models.length === 0 || models.includes(model);
}

async function selectDefaultModel(
  { catalogue, ...keySources }: KeySources & { readonly catalogue: Catalogue },
  policy: Policy | undefined,
): Promise<ModelSelection> {
  const allowedProviders = providers.filter(({ id, canonicalId }) => {
    const model = canonicalId === undefined ? catalogue.defaultModel(id) : null;
    return model !== null && getModelRefusal(policy, `${id}/${model}`) === null;
  });
  const providerResult = await findProviderWithKey(allowedProviders, keySources);
  if (providerResult.type === "mistake") return providerResult;
  const id = providerResult.provider?.id;
  if (id !== undefined) return { type: "named", name: `${id}/${catalogue.defaultModel(id)}` };
  const message = `no model is configured: ${await describeMissingKey(keySources)}; or choose a model with --model provider/model`;
  const allow = policy?.models?.allow;
  if (!allow) return usageError(message);
  return usageError(`${message}. Your organization's policy allows: ${allow.join(", ") || "none"} (${policy.path}).`);
}

/** If the key file has keys, but under unknown names, the message says so: the names may be mistyped. */
async function describeMissingKey({ home, keys = savedKeys(home) }: KeySources): Promise<string> {
  const result = await keys.read();
  if (result.type === "mistake" || Object.keys(result.keys).length === 0) return describeKeySetup("anthropic");
  const ids = providers.filter(({ keyVariables, canonicalId }) => keyVariables.length > 0 && !canonicalId);
  return `${keys.location} has no key for any of these providers: ${ids.map(({ id }) => id).join(", ")}; run pith login`;
}

function describeKeySetup(providerId: string): string {
  const [variable] = providers.find((provider) => provider.id === providerId)?.keyVariables ?? [];
  return `run pith login ${providerId}, or set ${variable}`;
}

export interface ModelOpenerOptions extends KeySources {
  readonly settings: Settings;
  readonly sessionId: string;
  /** The provider of the session's first model. The base URL belongs to it if the settings name no model. */
  readonly provider: string;
  /** CAT10: the provider that is preferred for a short name. */
  readonly currentProvider: () => string;
  /** Asked before every request. */
  readonly costLimit?: RequestLimit | undefined;
}

/** The name is `provider/model`, or short, such as `sonnet`. */
export type OpenModelByName = (name: string) => Promise<ChooseModelResult>;

/** Creates a function that opens further models. The base URL in the settings belongs to one provider: no other provider's key is sent there. */
export function createModelOpener({
  settings,
  provider,
  currentProvider,
  ...chooseOptions
}: ModelOpenerOptions): OpenModelByName {
  const { baseUrl, contextWindow, firstTokenMinutes, policy } = settings;
  const baseUrlProvider = canonicalProviderId(findBaseUrlOwner(settings, provider));
  return (name) => {
    const modelSettings = {
      model: name,
      ...(baseUrl !== undefined && canonicalProviderId(name) === baseUrlProvider && { baseUrl }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(firstTokenMinutes !== undefined && { firstTokenMinutes }),
      ...(policy && { policy }),
    };
    return chooseModel(modelSettings, { ...chooseOptions, preferredProvider: canonicalProviderId(currentProvider()) });
  };
}

/**
 * Returns the provider, or a model of it, that the base URL in the settings is for. The settings come first: the session's model may be
 * from another provider.
 */
export function findBaseUrlOwner({ model }: Pick<Settings, "model">, sessionProvider: string): string {
  return model?.includes("/") ? model : sessionProvider;
}

/** Maps an alias of a provider to the provider's main id. */
export function canonicalProviderId(modelName: string): string {
  const [id = ""] = modelName.split("/");
  return providers.find((provider) => provider.id === id)?.canonicalId ?? id;
}

/**
 * Creates a placeholder model for work that needs none; every request fails. It has the name of the session's last model, so that
 * the session is not treated as one of another model.
 */
export function createAbsentModel(message: string, previousModel: LoadedBranch["state"]["model"] = null): Model {
  return {
    api: ABSENT_API,
    provider: previousModel?.provider ?? "none",
    model: previousModel?.modelId ?? "none",
    contextWindow: 0,
    maxTokens: 0,
    async *stream() {
      yield { type: "reply-failed", failure: { kind: "refused", message } };
    },
  };
}

/** Whether this is the placeholder that a session has while no model is available. */
export function isAbsentModel({ api }: Pick<Model, "api">): boolean {
  return api === ABSENT_API;
}

const ABSENT_API = "none";

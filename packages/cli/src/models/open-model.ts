/** Chooses and opens models: the one that was asked for, or the first provider with a key. */

import { join } from "node:path";
import {
  createFileWindowStore,
  type Environment,
  type OpenModelResult,
  openModel,
  type Provider,
  providers,
} from "@pith/models";
import { getBaseUrlRefusal, getModelRefusal, type Policy } from "../policy/policy.ts";
import { findKey, findProviderWithKey, type KeySources, keyFilePath, readKeyFile } from "../settings/keys.ts";
import type { Settings } from "../settings/settings.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";

/** The default model of each provider, by the provider's id. */
export const defaultModels: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-4-5",
  openai: "gpt-5.1",
  google: "gemini-2.5-pro",
  openrouter: "anthropic/claude-sonnet-4.5",
  xai: "grok-4.7",
  groq: "openai/gpt-oss-120b",
  cerebras: "gpt-oss-120b",
  mistral: "devstral-latest",
  deepseek: "deepseek-v4-pro",
  together: "zai-org/GLM-5.3",
  fireworks: "accounts/fireworks/models/glm-5p3",
  moonshotai: "kimi-k3",
  zai: "glm-5.3",
};

export type ChooseModelResult = OpenModelResult | UsageError;

export interface ChooseModelOptions extends KeySources {
  /** Of the session that will be worked in, so that its requests find each other's cache. */
  readonly sessionId: string;
  /** Who spoke in it last, as `provider/model`. */
  readonly previousModel?: string | undefined;
}

export async function chooseModel(
  { model, baseUrl, contextWindow, firstTokenMinutes, policy }: Settings,
  { sessionId, previousModel, ...keySources }: ChooseModelOptions,
): Promise<ChooseModelResult> {
  const modelName = model ?? previousModel;
  const selection =
    modelName === undefined
      ? await selectDefaultModel(keySources, policy)
      : ({ type: "named", name: modelName } as const);
  if (selection.type === "mistake") return selection;
  const [providerId = "", ...rest] = selection.name.split("/");
  const provider = providers.find((candidate) => candidate.id === providerId);
  const refusal =
    getModelRefusal(policy, selection.name) ?? refuseConfiguredBaseUrl({ baseUrl, provider, keySources }, policy);
  const isFromSession = model === undefined && previousModel !== undefined;
  if (refusal !== null)
    return usageError(isFromSession ? `${refusal} This session used it; name another with --model.` : refusal);
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
  const windowStore = createFileWindowStore(join(keySources.home, "windows.json"));
  const requestPolicy = firstTokenMinutes === undefined ? {} : { firstTokenTimeoutMs: firstTokenMinutes * 60_000 };
  const result = await openModel(modelOptions, {
    environment: keySources.environment,
    windowStore,
    requestPolicy,
  });
  if (result.type === "opened") return result;
  const reason =
    result.type === "no-key"
      ? `${providerId} needs a key: ${describeKeySetup(providerId, keySources)}`
      : result.message;
  return usageError(
    isFromSession ? `this session spoke with ${previousModel}; ${reason}, or name another model with --model` : reason,
  );
}

interface BaseUrlSources {
  readonly baseUrl: string | undefined;
  readonly provider: Provider | undefined;
  readonly keySources: Pick<KeySources, "environment">;
}

/** A variable of the environment may hold an address, too. */
function refuseConfiguredBaseUrl(
  { baseUrl, provider, keySources }: BaseUrlSources,
  policy: Policy | undefined,
): string | null {
  const variableValue = provider?.baseUrlVariable && keySources.environment[provider.baseUrlVariable]?.trim();
  const effectiveBaseUrl = baseUrl ?? variableValue;
  return effectiveBaseUrl ? getBaseUrlRefusal(policy, effectiveBaseUrl) : null;
}

type ModelSelection = { readonly type: "named"; readonly name: string } | UsageError;

async function selectDefaultModel(keySources: KeySources, policy: Policy | undefined): Promise<ModelSelection> {
  const withDefaultModel = providers.filter(({ id }) => defaultModels[id] !== undefined);
  const allowedProviders = withDefaultModel.filter(
    ({ id }) => getModelRefusal(policy, `${id}/${defaultModels[id]}`) === null,
  );
  const found = await findProviderWithKey(allowedProviders, keySources);
  if (found.type === "mistake") return found;
  const id = found.provider?.id;
  if (id !== undefined) return { type: "named", name: `${id}/${defaultModels[id]}` };
  const message = `no model: ${await describeMissingKey(keySources)}; or name one with --model provider/model`;
  const allow = policy?.models?.allow;
  if (!allow) return usageError(message);
  return usageError(`${message}. Your organisation's policy allows: ${allow.join(", ") || "none"} (${policy.path}).`);
}

/** A file with keys under other names, mistyped ones perhaps, is not passed over as if it were not there. */
async function describeMissingKey(keySources: KeySources): Promise<string> {
  const file = keyFilePath(keySources.home);
  const result = await readKeyFile(file);
  if (result.type === "mistake" || Object.keys(result.keys).length === 0)
    return describeKeySetup("anthropic", keySources);
  return `${file} has no key under one of the names ${Object.keys(defaultModels).join(", ")}; add one`;
}

function describeKeySetup(providerId: string, { home }: KeySources): string {
  const [variable] = providers.find((provider) => provider.id === providerId)?.keyVariables ?? [];
  return `set a key such as ${variable}, or write { "${providerId}": "…" } into ${keyFilePath(home)} (chmod 600)`;
}

export interface ModelOpenerOptions {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
  readonly settings: Settings;
  readonly sessionId: string;
  /** The provider of who speaks first: the address is for it, where the settings name no model. */
  readonly provider: string;
}

/** By `provider/model`. */
export type OpenModelByName = (name: string) => Promise<ChooseModelResult>;

/** The base URL in the settings belongs to one seller: no key of another is sent there. */
export function createModelOpener({ settings, provider, ...chooseOptions }: ModelOpenerOptions): OpenModelByName {
  const { model, baseUrl, contextWindow, firstTokenMinutes, policy } = settings;
  // Whoever spoke in the session before need not be who the address is for.
  const baseUrlProvider = canonicalProviderId(model ?? provider);
  return (name) => {
    const modelSettings = {
      model: name,
      ...(baseUrl !== undefined && canonicalProviderId(name) === baseUrlProvider && { baseUrl }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(firstTokenMinutes !== undefined && { firstTokenMinutes }),
      ...(policy && { policy }),
    };
    return chooseModel(modelSettings, chooseOptions);
  };
}

/** One that has two names is one. */
export function canonicalProviderId(modelName: string): string {
  const [id = ""] = modelName.split("/");
  return providers.find((provider) => provider.id === id)?.canonicalId ?? id;
}

/** Saves and removes a provider's API key, says which key is used, and opens the session's model again with another key. */

import type { Agent } from "@pith/agent";
import type { HostContext } from "@pith/host/host-context";
import { openCatalogue } from "@pith/host/models/catalogue";
import { type ChooseModelResult, canonicalProviderId, isAbsentModel } from "@pith/host/models/open-model";
import {
  findKey,
  findKeyVariable,
  type KeyRedaction,
  type KeySources,
  keyFilePath,
  readKeyFile,
  savedKeyName,
} from "@pith/host/settings/provider-keys";
import type { Settings } from "@pith/host/settings/settings";
import { findNearest, type UsageError, usageError } from "@pith/host/text/usage-error";
import { type Environment, type Provider, providers } from "@pith/models";
import { type RemoveKeyResult, removeKeys, saveKey } from "../settings/save.ts";
import { findProviderOption, listProviderOptions, type ProviderOption } from "./check-key.ts";

export type ResolvedProviderOption = { readonly type: "found"; readonly option: ProviderOption } | UsageError;

/** The message never quotes the name: the user may have typed the key in its place. */
export function resolveProviderOption(name: string): ResolvedProviderOption {
  const option = findProviderOption(name);
  if (option) return { type: "found", option };
  if (providers.some(({ id }) => id === name))
    return usageError(`${name} runs on your machine and needs no API key; choose a model with --model ${name}/MODEL`);
  const ids = listProviderOptions().map(({ provider }) => provider.id);
  const suggestion = findNearest(name, ids);
  return usageError(
    `unknown provider${suggestion === null ? "." : `; did you mean ${suggestion}?`} Known providers: ${[...ids, "openai-compatible"].join(", ")}`,
  );
}

export interface SaveProviderKeyOptions extends Pick<HostContext, "home"> {
  /** Absent if no session runs, null if redaction is off. */
  readonly vault?: KeyRedaction | null | undefined;
}

/** Null if the key was saved. An alias of a provider shares the key. */
export async function saveProviderKey(
  provider: Provider,
  key: string,
  { home, vault }: SaveProviderKeyOptions,
): Promise<UsageError | null> {
  const id = provider.canonicalId ?? provider.id;
  vault?.addKey(savedKeyName(id), key);
  return await saveKey({ provider: id, key, home });
}

export async function removeProviderKey(provider: Provider, home: string): Promise<RemoveKeyResult> {
  return await removeKeys([provider.id, provider.canonicalId ?? provider.id], home);
}

/** The base URL in the settings belongs to the provider of the model in the settings. Undefined for other providers. */
export function findKeyBaseUrl(
  provider: Provider,
  { model, baseUrl }: Pick<Settings, "model" | "baseUrl">,
): string | undefined {
  const isOwner = model === undefined || canonicalProviderId(model) === (provider.canonicalId ?? provider.id);
  return isOwner ? baseUrl : undefined;
}

/** Says where the provider's key comes from, such as `in ANTHROPIC_API_KEY`. Null if there is no key. */
export async function describeKeySource(provider: Provider, sources: KeySources): Promise<string | null> {
  const variable = findKeyVariable(provider, sources.environment);
  if (variable !== null) return `in ${variable}`;
  const key = await findKey(provider, sources);
  return key.type === "found" && key.apiKey !== undefined ? `saved in ${keyFilePath(sources.home)}` : null;
}

export type SavedProviders = { readonly type: "read"; readonly options: readonly ProviderOption[] } | UsageError;

/** Lists the providers whose keys are saved. Unknown names are left out: a user may have swapped a name and its key. */
export async function listSavedProviders(home: string): Promise<SavedProviders> {
  const result = await readKeyFile(keyFilePath(home));
  if (result.type === "mistake") return result;
  return { type: "read", options: Object.keys(result.keys).flatMap((id) => findProviderOption(id) ?? []) };
}

/** Says that a variable takes precedence over the saved key. Empty if none is set. */
export function describeOverridingVariable(provider: Provider, environment: Environment): string {
  const variable = findKeyVariable(provider, environment);
  return variable === null
    ? ""
    : ` ${variable} is set and takes precedence over the saved key; unset it to use the saved one.`;
}

export function describeLogout(option: ProviderOption, wasRemoved: boolean, { environment, home }: KeySources): string {
  const variable = findKeyVariable(option.provider, environment);
  const removed = wasRemoved
    ? `The API key for ${option.name} was removed from ${keyFilePath(home)}.`
    : `${keyFilePath(home)} has no API key for ${option.name}.`;
  return variable === null ? removed : `${removed} ${variable} still provides one; unset it to stop using it.`;
}

export type ReopenModelResult =
  | { readonly type: "opened"; readonly model: string }
  /** The session uses a model from another provider. */
  | { readonly type: "other-provider" }
  | { readonly type: "failed"; readonly message: string };

export interface ReopenModelContext extends Pick<HostContext, "home"> {
  readonly agent: Agent;
  readonly settings: Pick<Settings, "model">;
  readonly openModel: (name: string) => Promise<OpenedModel | Exclude<ChooseModelResult, { type: "opened" }>>;
}

type OpenedModel = Pick<Extract<ChooseModelResult, { type: "opened" }>, "type" | "model">;

/** Opens the session's model again, so that it uses the new key. A session without a model gets the requested or the default one. */
export async function reopenModel(provider: Provider, context: ReopenModelContext): Promise<ReopenModelResult> {
  const { agent, openModel } = context;
  const name = await findModelToOpen(provider, context);
  if (name === null) return { type: "other-provider" };
  const result = await openModel(name);
  if (result.type !== "opened") return { type: "failed", message: result.message };
  const change = await agent.setModel(result.model);
  return change.type === "set"
    ? { type: "opened", model: name }
    : { type: "failed", message: "the context is too long for the model; run /compact first" };
}

async function findModelToOpen(
  provider: Provider,
  { agent: { model }, home, settings: { model: requestedModel } }: ReopenModelContext,
): Promise<string | null> {
  const id = provider.canonicalId ?? provider.id;
  if (isAbsentModel(model)) {
    // A name without a provider is resolved among the providers with a key.
    const isOfOther = requestedModel?.includes("/") && canonicalProviderId(requestedModel) !== id;
    if (requestedModel !== undefined) return isOfOther ? null : requestedModel;
    const { catalogue } = await openCatalogue(home);
    const defaultModel = catalogue.defaultModel(id);
    return defaultModel === null ? null : `${provider.id}/${defaultModel}`;
  }
  if (model.provider !== id) return null;
  // Messages record the main id of a provider. The protocol tells which of its ids the model was opened with.
  const opened = providers.find(
    (candidate) => (candidate.canonicalId ?? candidate.id) === id && candidate.api === model.api,
  );
  return `${opened?.id ?? id}/${model.model}`;
}

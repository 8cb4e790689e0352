/** Opens a model by name: finds provider and key, loads the package, looks up facts and window, and adds retries. */

import { setTimeout } from "node:timers/promises";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model, Runtime } from "@pith/context";
import { createAiSdkModel } from "./ai-sdk-model.ts";
import { type Catalogue, createCatalogue, type FactsResult } from "./catalogue/catalogue.ts";
import { type ContextWindow, endpointKey, isLocal } from "./context-window/choose-window.ts";
import { probeServedWindow } from "./context-window/local-servers.ts";
import {
  createWindowTracker,
  type WindowTracker,
  type WindowTrackerOptions,
  withWindowTracking,
} from "./context-window/track-window.ts";
import { createMemoryWindowStore, type WindowStore } from "./context-window/window-store.ts";
import { type RequestLimit, withRequestLimit } from "./cost-limit.ts";
import { createEndpoint } from "./network/base-url.ts";
import { createNetworkFetch, detectProxy, type Environment, proxyNotes } from "./network/fetch.ts";
import { limitResponses } from "./network/response-limits.ts";
import { loadPackage, type ProviderConnection } from "./providers/load-provider.ts";
import { findProvider, type Provider, providers, suggestProvider } from "./providers/providers.ts";
import { defaultRequestPolicy, type RequestPolicy, withRetries } from "./retry.ts";

/** Opens `provider/model` with the key from the environment. Throws if it cannot be opened. */
export async function openModel(name: `${string}/${string}`, dependencies?: OpenModelDependencies): Promise<Model>;
/** Opens a model by its options. The result says why it could not be opened. */
export async function openModel(options: ModelOptions, dependencies?: OpenModelDependencies): Promise<OpenModelResult>;
export async function openModel(
  options: ModelOptions | `${string}/${string}`,
  dependencies: OpenModelDependencies = {},
): Promise<Model | OpenModelResult> {
  if (typeof options !== "string") return openFromOptions(options, dependencies);
  const [, provider = "", model = ""] = /^([^/]*)\/(.*)$/s.exec(options) ?? [];
  if (provider === "" || model === "")
    throw new Error(`openModel needs "provider/model", e.g. "anthropic/claude-sonnet-4-5"; got "${options}"`);
  const result = await openFromOptions({ provider, model }, dependencies);
  if (result.type !== "opened") throw new Error(`${options} cannot be opened: ${result.message}`);
  return result.model;
}

export interface ModelOptions {
  /** A known provider, or any name together with `package`. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** By default the key in the provider's environment variable. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The most tokens of context, even if the model accepts more. */
  readonly contextWindow?: number;
  /** The most tokens of one reply. */
  readonly maxTokens?: number;
  /** The name of an installed AI SDK provider package. */
  readonly package?: string;
  /** Identifies requests that share a prefix, for providers that use such a key; for example the session id. */
  readonly cacheKey?: string;
}

/** By default the environment, clock and network of the machine. */
export interface OpenModelDependencies {
  readonly environment?: Environment;
  readonly runtime?: Pick<Runtime, "now" | "sleep">;
  readonly random?: () => number;
  readonly catalogue?: Catalogue;
  /** Stores learned windows. By default they are forgotten when the process ends. */
  readonly windowStore?: WindowStore;
  readonly requestPolicy?: Partial<RequestPolicy>;
  /** Asked before every request, retries included. Several models may share it. */
  readonly requestLimit?: RequestLimit | undefined;
  readonly fetch?: typeof fetch;
}

export type OpenModelResult =
  | {
      readonly type: "opened";
      readonly model: Model;
      /** The current window and the source of the figure. */
      readonly window: () => ContextWindow;
      /** The facts about the model and their source; `default` for an unknown model. */
      readonly factsResult: FactsResult;
      /** Messages for the user about what does not work as configured. */
      readonly notes: () => readonly string[];
    }
  | Exclude<ProviderResolution, { type: "resolved" }>;

async function openFromOptions(options: ModelOptions, dependencies: OpenModelDependencies): Promise<OpenModelResult> {
  const { environment = process.env, runtime = clock, random = Math.random } = dependencies;
  const fetch = dependencies.fetch ? limitResponses(dependencies.fetch) : createNetworkFetch(environment);
  const policy = { ...defaultRequestPolicy, ...dependencies.requestPolicy };
  const resolved = await resolveProvider(options, { environment, fetch });
  if (resolved.type !== "resolved") return resolved;

  const { endpoint } = resolved;
  const provider = resolved.provider?.canonicalId ?? options.provider;
  const factsResult = (dependencies.catalogue ?? createCatalogue()).facts(provider, options.model, {
    local: isSelfHosted(resolved, endpoint),
  });
  const tracker = await trackModelWindow(options, {
    windowStore: dependencies.windowStore,
    runtime,
    fetch,
    endpoint,
    resolved,
    factsResult,
  });
  // The user's models file overrides the server.
  const takesTools = factsResult.facts.tools ?? tracker.servedWindow()?.takesTools;
  const model = createAiSdkModel({
    languageModel: resolved.languageModel,
    modelName: { api: resolved.api, provider, model: options.model },
    contextWindow: () => tracker.window().tokens,
    maxTokens: maxReplyTokens(options, factsResult),
    prices: factsResult.facts.prices,
    runtime,
    cacheKey: options.cacheKey,
    // A package loaded by name may read its options under another key.
    optionsKey: resolved.provider ? undefined : resolved.languageModel.provider.split(".")[0],
    supportsThinking: factsResult.source === "default" || factsResult.facts.reasoning,
    supportsImages: factsResult.source === "default" || factsResult.facts.input.includes("image"),
    firstTokenTimeoutMs: policy.firstTokenTimeoutMs,
    takesTools,
    idleTimeoutMs: policy.idleTimeoutMs,
  });
  const trackedModel = withWindowTracking(model, tracker);
  const { requestLimit } = dependencies;
  const limitedModel = requestLimit ? withRequestLimit(trackedModel, requestLimit) : trackedModel;
  const retryingModel = withRetries(limitedModel, { sleep: runtime.sleep, random }, policy);
  return {
    type: "opened",
    model: Object.assign(retryingModel, {
      runtime: { sleep: runtime.sleep, nonce: () => crypto.randomUUID().replaceAll("-", "") },
    }),
    window: () => tracker.window(),
    factsResult,
    notes: () => [
      ...[tracker.storeError()].filter((storeError) => storeError !== null),
      ...(takesTools === false ? [`${provider}/${options.model} ${NO_TOOLS_NOTE}`] : []),
      ...(dependencies.fetch ? [] : networkNotes(environment)),
    ],
  };
}

/**
 * Returns the context window that a model opened with these options would use, as far as it is known without a request: from the
 * options, from what earlier sessions learned, or from the catalogue. Needs no key.
 */
export async function readContextWindow(
  options: Pick<ModelOptions, "provider" | "model" | "baseUrl" | "contextWindow">,
  { environment = process.env, runtime = clock, catalogue = createCatalogue(), windowStore }: OpenModelDependencies,
): Promise<ContextWindow> {
  const provider = findProvider(options.provider) ?? null;
  const endpoint = resolveEndpoint(options, { environment, fetch }).baseUrl ?? options.provider;
  const factsResult = catalogue.facts(provider?.canonicalId ?? options.provider, options.model, {
    local: isSelfHosted({ provider }, endpoint),
  });
  const tracker = await createWindowTracker({
    ...describeWindow(options, { endpoint, factsResult, windowStore, runtime }),
    mayTruncate: false,
    probe: async () => null,
  });
  return tracker.window();
}

/** Only the clock: loading the whole Node runtime would slow the start. */
const clock: Pick<Runtime, "now" | "sleep"> = {
  now: () => Date.now(),
  sleep: (ms, { signal }) => setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
};

/** The setting cannot exceed the model's maximum, unless that is only a default. */
function maxReplyTokens({ maxTokens }: ModelOptions, { facts, source }: FactsResult): number {
  if (maxTokens === undefined) return facts.maxTokens;
  return source === "default" ? maxTokens : Math.min(maxTokens, facts.maxTokens);
}

const NO_TOOLS_NOTE =
  "cannot call tools, so it cannot read files, run commands or make changes. Paste files and output into your messages, or choose another model";

function networkNotes(environment: Environment): readonly string[] {
  const note = proxyNotes[detectProxy(environment)];
  return note === undefined ? [] : [note];
}

interface TrackWindowContext {
  readonly windowStore: WindowStore | undefined;
  readonly runtime: Pick<Runtime, "now">;
  readonly fetch: typeof fetch;
  readonly endpoint: string;
  readonly resolved: Extract<ProviderResolution, { type: "resolved" }>;
  readonly factsResult: FactsResult;
}

function trackModelWindow(options: ModelOptions, context: TrackWindowContext): Promise<WindowTracker> {
  const { endpoint, fetch, resolved } = context;
  const headers = { ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }), ...options.headers };
  return createWindowTracker({
    ...describeWindow(options, context),
    mayTruncate: resolved.api === "openai-completions",
    probe: async () =>
      shouldProbeServer(resolved, endpoint)
        ? probeServedWindow({ baseUrl: endpoint, model: options.model, isOpenAiCompatible: true, headers, fetch })
        : null,
  });
}

/** What is known about the window before the server is asked. */
function describeWindow(
  { model, contextWindow }: Pick<ModelOptions, "model" | "contextWindow">,
  context: Pick<TrackWindowContext, "endpoint" | "factsResult" | "windowStore" | "runtime">,
): Omit<WindowTrackerOptions, "mayTruncate" | "probe"> {
  const { endpoint, factsResult, windowStore = createMemoryWindowStore(), runtime } = context;
  return {
    key: endpointKey(endpoint, model),
    endpointLabel: `${model} at ${endpoint}`,
    store: windowStore,
    setting: contextWindow,
    catalogueWindow: factsResult.facts.contextWindow,
    isCatalogueDefault: factsResult.source === "default",
    now: runtime.now,
  };
}

/** Whether the user runs the server, so that the model's name does not determine its window. A gateway to a known provider is not self-hosted. */
function isSelfHosted({ provider }: { readonly provider: Provider | null }, endpoint: string): boolean {
  return provider?.isLocal === true || (provider?.id === "openai-compatible" && isLocal(endpoint));
}

/** Whether it is an OpenAI-compatible server on a local machine or at an address given by the user. */
function shouldProbeServer(
  { api, provider }: Extract<ProviderResolution, { type: "resolved" }>,
  endpoint: string,
): boolean {
  return api === "openai-completions" && (isLocal(endpoint) || provider?.id === "openai-compatible");
}

export type ProviderResolution =
  | {
      readonly type: "resolved";
      readonly languageModel: LanguageModelV4;
      readonly api: string;
      readonly provider: Provider | null;
      /** The base URL, or the name of the provider or package if only its package knows the URL. */
      readonly endpoint: string;
    }
  | { readonly type: "unknown-provider" | "incomplete" | "no-key" | "not-installed"; readonly message: string };

export interface ResolveProviderOptions {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
}

async function resolveProvider(
  options: ModelOptions,
  { environment, fetch }: ResolveProviderOptions,
): Promise<ProviderResolution> {
  const provider = findProvider(options.provider);
  const apiKey = [options.apiKey, ...(provider?.keyVariables ?? []).map((name) => environment[name])].find((key) =>
    key?.trim(),
  );
  const { baseUrl, fetch: endpointFetch } = resolveEndpoint(options, { environment, fetch });
  const problem = findOptionsProblem(options, baseUrl);
  if (problem) return { type: "incomplete", message: problem };
  const connection: ProviderConnection = {
    model: options.model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(options.headers && { headers: options.headers }),
    fetch: endpointFetch,
  };
  if (options.package !== undefined) return resolvePackage(options.package, connection);
  if (!provider) return { type: "unknown-provider", message: unknownProviderMessage(options.provider) };
  if (apiKey === undefined && provider.keyVariables.length > 0)
    return { type: "no-key", message: missingKeyMessage(provider) };
  return {
    type: "resolved",
    languageModel: await provider.loadModel(connection),
    api: provider.api,
    provider,
    endpoint: baseUrl ?? provider.id,
  };
}

/** The URL is undefined if only the provider's package knows it. */
function resolveEndpoint(
  options: Pick<ModelOptions, "provider" | "baseUrl" | "package">,
  { environment, fetch }: ResolveProviderOptions,
): { readonly baseUrl: string | undefined; readonly fetch: typeof globalThis.fetch } {
  const provider = findProvider(options.provider);
  const customUrl = options.baseUrl ?? (provider && baseUrlFromEnvironment(provider, environment));
  // Only the protocol of a known provider says how its base URL must end.
  return provider && customUrl !== undefined && options.package === undefined
    ? createEndpoint(customUrl, { api: provider.api, fetch })
    : { baseUrl: customUrl ?? provider?.baseUrl, fetch };
}

/** The base URL in the provider's variable. Read from the given environment, so that the packages do not read the variables of the process. */
export function baseUrlFromEnvironment(
  { baseUrlVariable }: Pick<Provider, "baseUrlVariable">,
  environment: Environment,
): string | undefined {
  return (baseUrlVariable && environment[baseUrlVariable]?.trim()) || undefined;
}

function findOptionsProblem({ provider, model }: ModelOptions, baseUrl: string | undefined): string | null {
  if (model.trim() === "") return `the model name is empty; choose a model from ${provider}`;
  if (baseUrl === undefined)
    return provider === "openai-compatible"
      ? `${provider} needs a base URL (--base-url or baseUrl), e.g. ${EXAMPLE_BASE_URL}`
      : null;
  if (/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) return null;
  return `the base URL "${baseUrl}" is not an http or https URL; write one like ${EXAMPLE_BASE_URL}`;
}

const EXAMPLE_BASE_URL = "http://127.0.0.1:8080/v1";

async function resolvePackage(packageName: string, connection: ProviderConnection): Promise<ProviderResolution> {
  const result = await loadPackage(packageName, connection);
  switch (result.type) {
    case "loaded":
      return {
        type: "resolved",
        languageModel: result.languageModel,
        api: detectApi(result.languageModel),
        provider: null,
        endpoint: connection.baseUrl ?? packageName,
      };
    case "failed":
      return {
        type: "incomplete",
        message: `the package ${packageName} could not create the model: ${result.message}`,
      };
    case "not-installed":
      return {
        type: "not-installed",
        message: `the package ${packageName} is not installed; run: npm install ${packageName}`,
      };
    case "not-a-provider":
      return {
        type: "not-installed",
        message: `the package ${packageName} is not an AI SDK 7 provider (it has no create… function that returns V4 models)`,
      };
  }
}

// Packages of other providers use a protocol of their own, or one of the four under another name.
function detectApi({ provider }: LanguageModelV4): string {
  if (provider.includes("anthropic")) return "anthropic-messages";
  if (provider.startsWith("google")) return "google-generative-ai";
  if (provider.endsWith(".responses")) return "openai-responses";
  return provider.endsWith(".chat") ? "openai-completions" : provider;
}

function unknownProviderMessage(name: string): string {
  const knownIds = providers.map(({ id }) => id).join(", ");
  const suggestion = suggestProvider(name);
  const hint = suggestion ? ` Did you mean ${suggestion}?` : "";
  return `unknown provider "${name}".${hint} Known providers: ${knownIds}. For any other provider, use openai-compatible with its base URL (--base-url or baseUrl)`;
}

function missingKeyMessage({ id, keyVariables }: Provider): string {
  return `${id} needs an API key: set ${keyVariables.join(" or ")}, or pass it as apiKey`;
}

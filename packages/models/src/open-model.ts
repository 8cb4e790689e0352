/** Opens a model by name: finds provider and key, loads the package, looks up facts and window, and adds retries. */

import { setTimeout } from "node:timers/promises";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model, Runtime } from "@pith/context";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { type Catalogue, catalogue, type Found } from "./catalogue/catalogue.ts";
import { type Environment, networkFetch, proxyNotes, proxyUse } from "./network/fetch.ts";
import { limitResponses } from "./network/response-limits.ts";
import { type Line, onDemand } from "./providers/load-provider.ts";
import { type Provider, providerLike, providerNamed, providers } from "./providers/providers.ts";
import { type Patience, patience, retrying } from "./retry.ts";
import { type ContextWindow, endpointKey, isLocal } from "./windows/context-window.ts";
import { servedWindow } from "./windows/local-servers.ts";
import { type WindowWatch, watching, windowWatch } from "./windows/watch.ts";
import { type WindowMemory, windowsInMemory } from "./windows/window-file.ts";

export type Reached =
  | {
      readonly type: "reached";
      readonly language: LanguageModelV4;
      readonly api: string;
      readonly provider: Provider | null;
      /** Where it is reached; its name, where only its package knows. */
      readonly home: string;
    }
  | { readonly type: "unknown-provider" | "incomplete" | "no-key" | "not-installed"; readonly message: string };

export interface ReachParts {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
}

export async function reach(wish: ModelWish, { environment, fetch }: ReachParts): Promise<Reached> {
  const provider = providerNamed(wish.provider);
  const baseUrl = wish.baseUrl ?? addressIn(environment, provider) ?? provider?.baseUrl;
  const apiKey = [wish.apiKey, ...(provider?.keys ?? []).map((name) => environment[name])].find((key) => key?.trim());
  const missing = whatIsMissing(wish, baseUrl);
  if (missing) return { type: "incomplete", message: missing };
  const line: Line = {
    model: wish.model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(wish.headers && { headers: wish.headers }),
    fetch,
  };
  if (wish.package !== undefined) return byPackage(wish.package, line);
  if (!provider) return { type: "unknown-provider", message: unknown(wish.provider) };
  if (apiKey === undefined && provider.keys.length > 0) return { type: "no-key", message: keyless(provider) };
  return {
    type: "reached",
    language: await provider.connect(line),
    api: provider.api,
    provider,
    home: baseUrl ?? provider.id,
  };
}

/** The packages would look into the process's own variables, behind everybody's back; so they are always told. */
function addressIn(environment: Environment, provider: Provider | undefined): string | undefined {
  const address = provider?.address && environment[provider.address]?.trim();
  if (!address) return undefined;
  // Some write only the host, as other programs want it.
  return URL.parse(address)?.pathname === "/" ? `${address.replace(/\/$/, "")}/v1` : address;
}

function whatIsMissing({ provider, model }: ModelWish, baseUrl: string | undefined): string | null {
  if (model.trim() === "") return `which model of ${provider}? Its name is empty`;
  if (baseUrl === undefined)
    return provider === "openai-compatible" ? `${provider} needs a baseUrl, e.g. ${EXAMPLE}` : null;
  if (/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) return null;
  return `the baseUrl "${baseUrl}" is no address of the web; write one like ${EXAMPLE}`;
}

const EXAMPLE = "http://127.0.0.1:8080/v1";

async function byPackage(name: string, line: Line): Promise<Reached> {
  const found = await onDemand(name, line);
  switch (found.type) {
    case "loaded":
      return {
        type: "reached",
        language: found.language,
        api: apiOf(found.language),
        provider: null,
        home: line.baseUrl ?? name,
      };
    case "unwilling":
      return { type: "incomplete", message: `the package ${name} cannot be used like this: ${found.message}` };
    case "not-installed":
      return { type: "not-installed", message: `the package ${name} is not installed; run: npm install ${name}` };
    case "not-a-provider":
      return {
        type: "not-installed",
        message: `the package ${name} is not a provider of the AI SDK 7 (no create… function that makes V4 models)`,
      };
  }
}

// Packages of other providers speak protocols of their own, or one of the four under another name.
function apiOf({ provider }: LanguageModelV4): string {
  if (provider.includes("anthropic")) return "anthropic-messages";
  if (provider.startsWith("google")) return "google-generative-ai";
  if (provider.endsWith(".responses")) return "openai-responses";
  return provider.endsWith(".chat") ? "openai-completions" : provider;
}

function unknown(name: string): string {
  const known = providers.map(({ id }) => id).join(", ");
  const meant = providerLike(name);
  const guess = meant ? ` Did you mean ${meant}?` : "";
  return `there is no provider "${name}".${guess} Known: ${known}. For any other, name its AI SDK package as \`package\`, or use openai-compatible with a baseUrl`;
}

function keyless({ id, keys }: Provider): string {
  return `${id} needs a key: set ${keys.join(" or ")}, or hand one in as apiKey`;
}

export type OpenedModel =
  | {
      readonly type: "opened";
      readonly model: Model;
      /** The window at this moment, and whose figure it is. */
      readonly window: () => ContextWindow;
      /** What is known of the model, and from where; `default`: nobody has heard of it. */
      readonly found: Found;
      /** For people: what could not be done as it should. */
      readonly notes: () => readonly string[];
    }
  | Exclude<Reached, { type: "reached" }>;

/** The little that is needed of a machine; the rest of it would take time to load. */
const clock: Pick<Runtime, "now" | "sleep"> = {
  now: () => Date.now(),
  sleep: (ms, { signal }) => setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
};

/** Opens `provider/model` with the key from the environment. Throws if it cannot be opened. */
export async function openModel(name: `${string}/${string}`, surroundings?: Surroundings): Promise<Model>;
/** Opens a model by its parts; whatever prevents it is in the result. */
export async function openModel(wish: ModelWish, surroundings?: Surroundings): Promise<OpenedModel>;
export async function openModel(
  wish: ModelWish | `${string}/${string}`,
  surroundings: Surroundings = {},
): Promise<Model | OpenedModel> {
  if (typeof wish !== "string") return openWish(wish, surroundings);
  const [, provider = "", model = ""] = /^([^/]*)\/(.*)$/s.exec(wish) ?? [];
  if (provider === "" || model === "")
    throw new Error(`openModel needs "provider/model", e.g. "anthropic/claude-sonnet-4-5", and got "${wish}"`);
  const opened = await openWish({ provider, model }, surroundings);
  if (opened.type !== "opened") throw new Error(`${wish} cannot be opened: ${opened.message}`);
  return opened.model;
}

async function openWish(wish: ModelWish, surroundings: Surroundings): Promise<OpenedModel> {
  const { environment = process.env, ports = clock, random = Math.random } = surroundings;
  const fetch = surroundings.fetch ? limitResponses(surroundings.fetch) : networkFetch(environment);
  const patient = { ...patience, ...surroundings.patience };
  const reached = await reach(wish, { environment, fetch });
  if (reached.type !== "reached") return reached;

  const { home } = reached;
  const provider = reached.provider?.seller ?? wish.provider;
  const found = (surroundings.catalogue ?? catalogue()).facts(provider, wish.model, {
    local: isOwn(reached, home),
  });
  const watch = await watchOver(wish, { windows: surroundings.windows, ports, fetch, home, reached, found });
  // The user's word counts before the server's.
  const takesTools = found.facts.tools ?? watch.served()?.takesTools;
  const model = aiSdkModel({
    language: reached.language,
    name: { api: reached.api, provider, model: wish.model },
    contextWindow: () => watch.window().tokens,
    maxTokens: longestAnswer(wish, found),
    prices: found.facts.prices,
    ports,
    cacheKey: wish.cacheKey,
    // A package that was loaded by its name may have another one for its options.
    optionsName: reached.provider ? undefined : reached.language.provider.split(".")[0],
    thinks: found.source === "default" || found.facts.reasoning,
    seesImages: found.source === "default" || found.facts.input.includes("image"),
    firstTokenMs: patient.firstTokenMs,
    takesTools,
    silenceMs: patient.silenceMs,
  });
  const patientModel = retrying(watching(model, watch), { sleep: ports.sleep, random }, patient);
  return {
    type: "opened",
    model: Object.assign(patientModel, {
      runtime: { sleep: ports.sleep, nonce: () => crypto.randomUUID().replaceAll("-", "") },
    }),
    window: () => watch.window(),
    found,
    notes: () => [
      ...[watch.fault()].filter((fault) => fault !== null),
      ...(takesTools === false ? [`${provider}/${wish.model} ${WITHOUT_TOOLS}`] : []),
      ...(surroundings.fetch ? [] : networkNotes(environment)),
    ],
  };
}

const WITHOUT_TOOLS =
  "cannot call tools: it reads, runs and changes nothing by itself. Put files and output into your messages, or choose another model";

/** A wish may be less than a model can do, never more; of one nobody has heard of, nobody knows. */
function longestAnswer({ maxTokens }: ModelWish, { facts, source }: Found): number {
  if (maxTokens === undefined) return facts.maxTokens;
  return source === "default" ? maxTokens : Math.min(maxTokens, facts.maxTokens);
}

function networkNotes(environment: Environment): readonly string[] {
  const note = proxyNotes[proxyUse(environment)];
  return note === undefined ? [] : [note];
}

interface WatchedPlace {
  readonly windows: WindowMemory | undefined;
  readonly ports: Pick<Runtime, "now">;
  readonly fetch: typeof fetch;
  readonly home: string;
  readonly reached: Extract<Reached, { type: "reached" }>;
  readonly found: Found;
}

function watchOver(wish: ModelWish, place: WatchedPlace): Promise<WindowWatch> {
  const { home, fetch, ports, reached, found, windows = windowsInMemory() } = place;
  const headers = { ...(wish.apiKey && { authorization: `Bearer ${wish.apiKey}` }), ...wish.headers };
  return windowWatch({
    key: endpointKey(home, wish.model),
    place: `${wish.model} at ${home}`,
    memory: windows,
    setting: wish.contextWindow,
    known: found.facts.contextWindow,
    isUnheardOf: found.source === "default",
    mayCut: reached.api === "openai-completions",
    now: ports.now,
    probe: async () =>
      mayServeLess(reached, home)
        ? servedWindow({ baseUrl: home, model: wish.model, compatible: true, headers, fetch })
        : null,
  });
}

/** Served by whoever started it: a name promises nothing there. A gateway to a provider known by name is that provider. */
function isOwn({ provider }: Extract<Reached, { type: "reached" }>, home: string): boolean {
  return provider?.isLocal === true || (provider?.id === "openai-compatible" && isLocal(home));
}

/** Somebody who speaks like OpenAI on a machine of one's own, or at an address that only the user knows. */
function mayServeLess({ api, provider }: Extract<Reached, { type: "reached" }>, home: string): boolean {
  return api === "openai-completions" && (isLocal(home) || provider?.id === "openai-compatible");
}

export interface ModelWish {
  /** A provider known by name, or any name where `package` says how to reach it. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** Otherwise the provider's variable in the environment holds it. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Tokens it may see at most, whatever it could. */
  readonly contextWindow?: number;
  /** Tokens of one answer at most. */
  readonly maxTokens?: number;
  /** The name of an AI SDK provider package that is installed beside the program. */
  readonly package?: string;
  /** Whose requests share a prefix, for providers that want to be told; a session's id will do. */
  readonly cacheKey?: string;
}

/** Each has a default: the machine's. */
export interface Surroundings {
  readonly environment?: Environment;
  readonly ports?: Pick<Runtime, "now" | "sleep">;
  readonly random?: () => number;
  readonly catalogue?: Catalogue;
  /** Where learnt windows are remembered; without one they are forgotten when the process ends. */
  readonly windows?: WindowMemory;
  readonly patience?: Partial<Patience>;
  readonly fetch?: typeof fetch;
}

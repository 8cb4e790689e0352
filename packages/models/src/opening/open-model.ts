/** From a name to a model that can be talked to: its package is loaded, its facts are looked up, its window is asked for. */

import { setTimeout } from "node:timers/promises";
import type { Model, Ports } from "@pith/context";
import { catalogue, type Found } from "../catalogue/catalogue.ts";
import { aiSdkModel } from "../model/ai-sdk-model.ts";
import type { Environment } from "../network/environment.ts";
import { networkFetch } from "../network/network-fetch.ts";
import { proxyNotes, proxyUse } from "../network/proxy.ts";
import { endpointKey, isLocal } from "../windows/endpoint.ts";
import { type WindowMemory, windowsInMemory } from "../windows/memory.ts";
import { servedWindow } from "../windows/served/served-window.ts";
import type { ContextWindow } from "../windows/window.ts";
import { patience, retrying } from "../wrapping/retrying.ts";
import { watching } from "../wrapping/watching.ts";
import { type WindowWatch, windowWatch } from "../wrapping/window-watch.ts";
import type { ModelWish, Surroundings } from "./model-wish.ts";
import { type Reached, reach } from "./reach.ts";

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
const clock: Pick<Ports, "now" | "sleep"> = {
  now: () => Date.now(),
  sleep: (ms, { signal }) => setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
};

export async function openModel(wish: ModelWish, surroundings: Surroundings = {}): Promise<OpenedModel> {
  const { environment = process.env, ports = clock, random = Math.random } = surroundings;
  const fetch = surroundings.fetch ?? networkFetch(environment);
  const patient = { ...patience, ...surroundings.patience };
  const reached = await reach(wish, { environment, fetch });
  if (reached.type !== "reached") return reached;

  const { home } = reached;
  const provider = reached.provider?.seller ?? wish.provider;
  const found = (surroundings.catalogue ?? catalogue()).facts(provider, wish.model, {
    local: isOwn(reached, home),
  });
  const watch = await watchOver(wish, { windows: surroundings.windows, ports, fetch, home, reached, found });
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
    silenceMs: patient.silenceMs,
  });
  return {
    type: "opened",
    model: retrying(watching(model, watch), { sleep: ports.sleep, random }, patient),
    window: () => watch.window(),
    found,
    notes: () => [
      ...[watch.fault()].filter((fault) => fault !== null),
      ...(surroundings.fetch ? [] : networkNotes(environment)),
    ],
  };
}

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
  readonly ports: Pick<Ports, "now">;
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

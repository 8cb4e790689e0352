/** Tracks the context window of one model: asks its server, learns from its replies and remembers the result. */

import type { AssistantMessage, Model, ModelEvent, ModelFailure, Request, Usage } from "@pith/context";
import { requestTokens } from "@pith/context/host";
import { type ContextWindow, chooseContextWindow, type ServedWindow } from "./choose-window.ts";
import {
  carryToNextSession,
  formatTruncation,
  type LearnedWindow,
  type LearnResult,
  learnWindow,
  type Observation,
  type TokenCounts,
} from "./learn-window.ts";
import type { WindowStore } from "./window-store.ts";

export interface WindowTrackerOptions {
  /** Under which it is remembered, see `endpointKey`. */
  readonly key: string;
  /** Where the model is served, for people. */
  readonly endpointLabel: string;
  readonly store: WindowStore;
  readonly setting?: number | undefined;
  /** What the catalogue says, and whether that is more than a default. */
  readonly catalogueWindow: number;
  readonly isCatalogueDefault?: boolean;
  /** What was learnt grows old. */
  readonly now: () => number;
  /** Whether it is one that may drop what it cannot hold, without a word; most refuse instead. */
  readonly mayTruncate: boolean;
  /** Asks the server for what it serves; null where nobody can be asked. */
  readonly probe: () => Promise<ServedWindow | null>;
}

export interface WindowTracker {
  readonly endpointLabel: string;
  readonly mayTruncate: boolean;
  window(): ContextWindow;
  /** What the server says of the model; null where it was not asked, or did not answer. */
  servedWindow(): ServedWindow | null;
  observe(seen: Observation): Promise<LearnResult["verdict"]>;
  /** What is wrong with the place where windows are remembered. */
  storeError(): string | null;
}

export async function createWindowTracker({
  key,
  endpointLabel,
  store,
  mayTruncate,
  probe,
  now,
  ...figures
}: WindowTrackerOptions): Promise<WindowTracker> {
  const [{ windows, error: readError }, probed] = await Promise.all([store.read(), probe()]);
  let served = probed;
  let storeError = readError;
  let probeCount = 0;
  // A default is no witness.
  const catalogueWindow = figures.isCatalogueDefault ? undefined : figures.catalogueWindow;
  const stored = windows[key];
  let learned: LearnedWindow | undefined = stored && carryToNextSession(stored, { now: now(), catalogueWindow });
  return {
    endpointLabel,
    mayTruncate,
    storeError: () => storeError,
    servedWindow: () => served,
    window: () => chooseContextWindow({ ...figures, served, learned: learned?.window }),
    async observe(observation) {
      // Some servers know only once the model is loaded, which the first reply has seen to.
      if (served?.source === "assumed" && probeCount++ < MAX_PROBES) served = (await probe()) ?? served;
      const confirmedWindow = served && served.source !== "assumed" ? served.window : undefined;
      const result = learnWindow(learned, { ...observation, served: confirmedWindow, now: now(), catalogueWindow });
      if (hasChanged(result.learned, learned)) storeError = await saveWindow(store, key, result.learned);
      learned = result.learned;
      return result.verdict;
    },
  };
}

/** Whoever does not know after two replies will not know. */
const MAX_PROBES = 2;

/** A lesson that cannot be kept still holds until the process ends; whoever asked for a reply must not lose it. */
async function saveWindow(store: WindowStore, key: string, learned: LearnedWindow): Promise<string | null> {
  try {
    await store.write(key, learned);
    return null;
  } catch (error) {
    return `the window that was learnt could not be kept: ${error instanceof Error ? error.message : error}`;
  }
}

/** What the next session should know; how tokens compare is learnt again within a few replies. */
function hasChanged(learned: LearnedWindow, previous: LearnedWindow | undefined): boolean {
  return learned.window !== previous?.window || learned.cuts !== previous?.cuts || learned.at !== previous?.at;
}

/** A reply to only a part of the context, which the server has cut, becomes an overflow failure. */
export function withWindowTracking(model: Model, tracker: WindowTracker): Model {
  return {
    api: model.api,
    provider: model.provider,
    model: model.model,
    get contextWindow() {
      return model.contextWindow;
    },
    maxTokens: model.maxTokens,
    ...(model.takesTools !== undefined && { takesTools: model.takesTools }),
    async *stream(request, options) {
      for await (const event of model.stream(request, options)) yield await checkForTruncation(event, request, tracker);
    },
  };
}

async function checkForTruncation(event: ModelEvent, request: Request, tracker: WindowTracker): Promise<ModelEvent> {
  if (event.type === "reply-failed" && event.failure.kind === "overflow") {
    await tracker.observe({ type: "overflow", limit: event.failure.limit });
    return event;
  }
  if (event.type !== "reply-ended" || !tracker.mayTruncate || hasImages(request)) return event;
  const counts = { estimate: requestTokens(request), reported: inputTokens(event.message.usage) };
  if ((await tracker.observe({ type: "reply", ...counts })) !== "cut") return event;
  const failure = createTruncationFailure(counts, tracker);
  const message: AssistantMessage = { ...event.message, stopReason: "error", errorMessage: failure.message };
  return { type: "reply-failed", failure, message };
}

/** What a picture counts differs so much between models that no count can be judged by it. */
function hasImages({ messages }: Request): boolean {
  return messages.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "image"));
}

function inputTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

function createTruncationFailure(counts: TokenCounts, tracker: WindowTracker): ModelFailure {
  const window = tracker.window().tokens;
  return {
    kind: "overflow",
    message: formatTruncation({ ...counts, window, endpointLabel: tracker.endpointLabel }),
    limit: window,
  };
}

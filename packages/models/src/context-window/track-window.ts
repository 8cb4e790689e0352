/** Tracks the context window of one model: probes its server, learns from its replies and stores the result. */

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
  /** The key in the store, see `endpointKey`. */
  readonly key: string;
  /** The model and address of the server, for messages. */
  readonly endpointLabel: string;
  readonly store: WindowStore;
  readonly setting?: number | undefined;
  /** The catalogue's figure, and whether it is only a default. */
  readonly catalogueWindow: number;
  readonly isCatalogueDefault?: boolean;
  readonly now: () => number;
  /** Whether the server may silently drop what does not fit; most servers refuse instead. */
  readonly mayTruncate: boolean;
  /** Asks the server for its window; null if there is no server to ask. */
  readonly probe: () => Promise<ServedWindow | null>;
}

export interface WindowTracker {
  readonly endpointLabel: string;
  readonly mayTruncate: boolean;
  window(): ContextWindow;
  /** The server's answer; null if it was not asked or did not answer. */
  servedWindow(): ServedWindow | null;
  observe(observation: Observation): Promise<LearnResult["verdict"]>;
  /** Why the store could not be read or written. */
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
  // A default must not cast doubt on a named limit.
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
      // Some servers know the window only once the model is loaded, which is so after the first reply.
      if (served?.source === "assumed" && probeCount++ < MAX_PROBES) served = (await probe()) ?? served;
      const confirmedWindow = served && served.source !== "assumed" ? served.window : undefined;
      const result = learnWindow(learned, { ...observation, served: confirmedWindow, now: now(), catalogueWindow });
      if (hasChanged(result.learned, learned)) storeError = await saveWindow(store, key, result.learned);
      learned = result.learned;
      return result.verdict;
    },
  };
}

/** A server that does not know its window after two replies never will. */
const MAX_PROBES = 2;

/** A failed write does not fail the reply: the learned window is used until the process ends. */
async function saveWindow(store: WindowStore, key: string, learned: LearnedWindow): Promise<string | null> {
  try {
    await store.write(key, learned);
    return null;
  } catch (error) {
    return `the learned context window could not be saved: ${error instanceof Error ? error.message : error}`;
  }
}

/** Whether the stored window changed. The ratio is learned again within a few replies. */
function hasChanged(learned: LearnedWindow, previous: LearnedWindow | undefined): boolean {
  return learned.window !== previous?.window || learned.cuts !== previous?.cuts || learned.at !== previous?.at;
}

/** Wraps a model so that a reply to a truncated request becomes an overflow failure. */
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
  if ((await tracker.observe({ type: "reply", ...counts })) !== "truncated") return event;
  const failure = createTruncationFailure(counts, tracker);
  const message: AssistantMessage = { ...event.message, stopReason: "error", errorMessage: failure.message };
  return { type: "reply-failed", failure, message };
}

/** The tokens of an image differ too much between models to compare counts. */
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

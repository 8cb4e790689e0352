/** Tracks the context window of one model: asks its server, learns from its replies and remembers the result. */

import type { AssistantMessage, Model, ModelEvent, ModelFailure, Request, Usage } from "@pith/context";
import { requestTokens } from "@pith/context/host";
import { type ContextWindow, contextWindow, type Served } from "./context-window.ts";
import { type Counted, carriedOver, cutSentence, type Learnt, type Lesson, learn, type Seen } from "./learn.ts";
import type { WindowMemory } from "./window-file.ts";

export interface WatchParts {
  /** Under which it is remembered, see `endpointKey`. */
  readonly key: string;
  /** Where the model is served, for people. */
  readonly place: string;
  readonly memory: WindowMemory;
  readonly setting?: number | undefined;
  /** What the catalogue says, and whether that is more than a default. */
  readonly known: number;
  readonly isUnheardOf?: boolean;
  /** What was learnt grows old. */
  readonly now: () => number;
  /** Whether it is one that may drop what it cannot hold, without a word; most refuse instead. */
  readonly mayCut: boolean;
  /** Asks the server for what it serves; null where nobody can be asked. */
  readonly probe: () => Promise<Served | null>;
}

export interface WindowWatch {
  readonly place: string;
  readonly mayCut: boolean;
  window(): ContextWindow;
  /** What the server says of the model; null where it was not asked, or did not answer. */
  served(): Served | null;
  see(seen: Seen): Promise<Lesson["verdict"]>;
  /** What is wrong with the place where windows are remembered. */
  fault(): string | null;
}

export async function windowWatch({
  key,
  place,
  memory,
  mayCut,
  probe,
  now,
  ...figures
}: WatchParts): Promise<WindowWatch> {
  const [{ windows, fault: first }, asked] = await Promise.all([memory.read(), probe()]);
  let served = asked;
  let fault = first;
  let probes = 0;
  // A default is no witness.
  const known = figures.isUnheardOf ? undefined : figures.known;
  const before = windows[key];
  let learnt: Learnt | undefined = before && carriedOver(before, { now: now(), known });
  return {
    place,
    mayCut,
    fault: () => fault,
    served: () => served,
    window: () => contextWindow({ ...figures, served, learnt: learnt?.window }),
    async see(seen) {
      // Some servers know only once the model is loaded, which the first reply has seen to.
      if (served?.source === "assumed" && probes++ < MOST_PROBES) served = (await probe()) ?? served;
      const sure = served && served.source !== "assumed" ? served.window : undefined;
      const lesson = learn(learnt, { ...seen, served: sure, now: now(), known });
      if (isNew(lesson.learnt, learnt)) fault = await kept(memory, key, lesson.learnt);
      learnt = lesson.learnt;
      return lesson.verdict;
    },
  };
}

/** Whoever does not know after two replies will not know. */
const MOST_PROBES = 2;

/** A lesson that cannot be kept still holds until the process ends; whoever asked for a reply must not lose it. */
async function kept(memory: WindowMemory, key: string, learnt: Learnt): Promise<string | null> {
  try {
    await memory.write(key, learnt);
    return null;
  } catch (error) {
    return `the window that was learnt could not be kept: ${error instanceof Error ? error.message : error}`;
  }
}

/** What the next session should know; how tokens compare is learnt again within a few replies. */
function isNew(lesson: Learnt, before: Learnt | undefined): boolean {
  return lesson.window !== before?.window || lesson.cuts !== before?.cuts || lesson.at !== before?.at;
}

/** A reply to only a part of the context, which the server has cut, becomes an overflow failure. */
export function watching(model: Model, watch: WindowWatch): Model {
  return {
    api: model.api,
    provider: model.provider,
    model: model.model,
    get contextWindow() {
      return model.contextWindow;
    },
    maxTokens: model.maxTokens,
    ...(model.takesTools !== undefined && { takesTools: model.takesTools }),
    async *stream(request, act) {
      for await (const event of model.stream(request, act)) yield await judged(event, request, watch);
    },
  };
}

async function judged(event: ModelEvent, request: Request, watch: WindowWatch): Promise<ModelEvent> {
  if (event.type === "reply-failed" && event.failure.kind === "overflow") {
    await watch.see({ type: "overflow", limit: event.failure.limit });
    return event;
  }
  if (event.type !== "reply-ended" || !watch.mayCut || hasImages(request)) return event;
  const counted = { estimate: requestTokens(request), reported: readTokens(event.message.usage) };
  if ((await watch.see({ type: "reply", ...counted })) !== "cut") return event;
  const failure = cutFailure(counted, watch);
  const message: AssistantMessage = { ...event.message, stopReason: "error", errorMessage: failure.message };
  return { type: "reply-failed", failure, message };
}

/** What a picture counts differs so much between models that no count can be judged by it. */
function hasImages({ messages }: Request): boolean {
  return messages.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "image"));
}

function readTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

function cutFailure(counted: Counted, watch: WindowWatch): ModelFailure {
  const window = watch.window().tokens;
  return { kind: "overflow", message: cutSentence({ ...counted, window, place: watch.place }), limit: window };
}

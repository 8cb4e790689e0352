/** A model whose replies are looked at for what they tell about its window; one that read only a part of the context counts as overflow. */

import type { AssistantMessage, Model, ModelEvent, ModelFailure, Request, Usage } from "@pith/context";
import { requestTokens } from "../model/room.ts";
import { cutSentence } from "../windows/cut-sentence.ts";
import type { Counted } from "../windows/learnt.ts";
import type { WindowWatch } from "./window-watch.ts";

export function watching(model: Model, watch: WindowWatch): Model {
  return {
    api: model.api,
    provider: model.provider,
    model: model.model,
    get contextWindow() {
      return model.contextWindow;
    },
    maxTokens: model.maxTokens,
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

/** Any language model of the AI SDK as a `Model`: the stream is a fold, and this is its plumbing. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model, ModelEvent, ModelName, Ports, ProviderLine, Request, StreamAct } from "@pith/context";
import { callOptions, deltaOf, emptyDraft, fold, type Prices } from "../convert/index.ts";
import { lastEvent } from "./last-event.ts";
import { room } from "./room.ts";
import { streamParts } from "./stream-parts.ts";
import { withoutImages } from "./without-images.ts";

export interface AiSdkModelParts {
  readonly language: LanguageModelV4;
  /** As our messages bear it: api, provider, model. */
  readonly name: ModelName;
  /** A function where the window may turn out to be smaller than was thought. */
  readonly contextWindow: number | (() => number);
  readonly maxTokens: number;
  readonly prices?: Prices | undefined;
  readonly ports: Pick<Ports, "now">;
  /** Under which its package reads options, where that is another name than the bundled package's. */
  readonly optionsName?: string | undefined;
  /** Whose requests share a prefix, for providers that want to be told; a session's id will do. */
  readonly cacheKey?: string | undefined;
  /** False: it cannot think, and is not asked to. */
  readonly thinks?: boolean | undefined;
  /** False: it cannot see, and is told so where a picture stands. */
  readonly seesImages?: boolean | undefined;
  /** Milliseconds without a sign of life after which the line is given up (five minutes). */
  readonly silenceMs?: number | undefined;
}

export function aiSdkModel(parts: AiSdkModelParts): Model {
  const { api, provider, model } = parts.name;
  return {
    api,
    provider,
    model,
    get contextWindow() {
      return windowOf(parts);
    },
    maxTokens: parts.maxTokens,
    stream: (request, act) => streamed(request, parts, act),
  };
}

async function* streamed(
  request: Request,
  parts: AiSdkModelParts,
  { signal, line = {} }: StreamAct,
): AsyncGenerator<ModelEvent> {
  const { language, name: to, seesImages = true, silenceMs = 300_000 } = parts;
  const shown = seesImages ? request : withoutImages(request);
  const size = room(shown, { window: windowOf(parts), maxTokens: parts.maxTokens });
  const options = callOptions(shown, { ...parts, to, maxTokens: size.maxTokens, longest: parts.maxTokens });
  const open = opening(language, { ...options, ...lineOptions(line) }, line);
  let draft = emptyDraft();
  try {
    for await (const part of streamParts(open, {
      signal,
      silenceMs: () => (draft.error ? AFTERTHOUGHT_MS : silenceMs),
    })) {
      if (part.type === "raw") line.piece?.(part.rawValue);
      const delta = deltaOf(draft, part);
      draft = fold(draft, part);
      if (delta) yield delta;
      // An error may be followed by what it cost.
      if (draft.finish) break;
    }
  } catch (thrown) {
    draft = { ...draft, error: draft.error ?? { thrown } };
  }
  yield lastEvent(draft, { ...parts, size, aborted: signal?.aborted ?? false });
}

const AFTERTHOUGHT_MS = 200;

type CallOptions = Parameters<LanguageModelV4["doStream"]>[0];

function lineOptions({ headers, piece }: ProviderLine): Pick<CallOptions, "headers" | "includeRawChunks"> {
  return { ...(headers && { headers: { ...headers } }), ...(piece && { includeRawChunks: true }) };
}

function opening(language: LanguageModelV4, options: CallOptions, { answered }: ProviderLine) {
  return async (abortSignal: AbortSignal) => {
    const result = await language.doStream({ ...options, abortSignal });
    answered?.(result.response?.headers ?? {});
    return result;
  };
}

function windowOf({ contextWindow }: AiSdkModelParts): number {
  return typeof contextWindow === "number" ? contextWindow : contextWindow();
}

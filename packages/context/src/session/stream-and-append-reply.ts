/** Streams one reply of a model and appends it when it ends. If it fails or is aborted, for example by Esc, the part that arrived is appended. */

import { buildSessionContext } from "../context/build-context.ts";
import { buildRequest } from "../context/build-request.ts";
import { type EntryContent, RETRY_USAGE } from "../entry.ts";
import type { Model, ModelEvent, StreamOptions } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import type { LoadedBranch } from "./loaded-branch.ts";

export interface StreamReplyOptions extends StreamOptions {
  readonly branch: LoadedBranch;
  readonly sleep: Runtime["sleep"];
  /** Throws if the entry cannot be written. */
  append(entry: EntryContent): Promise<void>;
}

/** Streams a reply; the last event is `reply-ended` or `reply-failed`, yielded after the reply is appended. */
export async function* streamAndAppendReply(
  model: Model,
  { branch, sleep, append, signal, transport }: StreamReplyOptions,
): AsyncGenerator<ModelEvent, void> {
  const request = buildRequest(buildSessionContext(branch), { model });
  const stopped = new AbortController();
  const streamSignal = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
  const events = model.stream(request, { signal: streamSignal, ...(transport && { transport }) });
  const iterator = events[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const { value: event, done } = await iterator.next();
      if (done) break;
      isOver = isLastEvent(event);
      await appendEvent(event, model, append);
      yield event;
      if (isOver) return;
    }
    isOver = true;
    yield { type: "reply-failed", failure: { kind: "unreachable", message: "The reply ended unexpectedly." } };
  } finally {
    if (!isOver) {
      stopped.abort();
      await Promise.race([appendRest(iterator, model, append), sleep(STOP_MS, {})]);
    }
  }
}

/** How long to wait for the end of a reply after the caller stops reading. */
const STOP_MS = 1_000;

function isLastEvent({ type }: ModelEvent): boolean {
  return type === "reply-ended" || type === "reply-failed";
}

async function appendEvent(event: ModelEvent, model: Model, append: StreamReplyOptions["append"]): Promise<void> {
  switch (event.type) {
    case "reply-restarted": {
      // EVT5: the usage of a discarded attempt is recorded.
      const { usage } = event;
      if (!usage || usage.totalTokens === 0) return;
      return append({ type: "usage", kind: RETRY_USAGE, provider: model.provider, model: model.model, usage });
    }
    case "reply-ended":
    case "reply-failed":
      if (event.message) await append({ type: "message", message: event.message });
      return;
    case "notice":
    case "text-delta":
    case "thinking-delta":
    case "tool-call-delta":
      return;
  }
}

/** Appends the partial reply after the caller stops reading. */
async function appendRest(
  iterator: AsyncIterator<ModelEvent>,
  model: Model,
  append: StreamReplyOptions["append"],
): Promise<void> {
  for (;;) {
    const { value: event, done } = await iterator.next();
    if (done) return;
    await appendEvent(event, model, append);
    if (isLastEvent(event)) return;
  }
}

/** `fetch` for plain requests, over Node's `http`: Node's own takes a tenth of a second and twenty megabytes to load. */

import type { IncomingMessage } from "node:http";
import { answerTo } from "./answer.ts";
import { closeResting } from "./lines.ts";
import type { PlainRequest } from "./plain-request.ts";
import { redirection } from "./redirection.ts";
import { type Patience, send } from "./send.ts";

/** Fails as `fetch` does: with the reason of an abort, else with an error whose cause bears the system's code. */
export async function httpFetch(asked: PlainRequest, patience: Patience = { callMs: 10_000 }): Promise<Response> {
  let request = asked;
  for (let hops = 0; hops <= MOST_HOPS; hops += 1) {
    const answer = await answered(request, patience);
    const next = redirection(request, answer);
    if (next.type === "here") return answerTo(request, { answer, isRedirected: hops > 0 });
    answer.destroy();
    if (next.type === "refused") throw new Error(next.message);
    request = next.request;
  }
  throw new Error(`the request was sent on more than ${MOST_HOPS} times`);
}

const MOST_HOPS = 5;

async function answered(request: PlainRequest, patience: Patience): Promise<IncomingMessage> {
  const { signal, url } = request;
  signal?.throwIfAborted();
  let sending = await send(request, patience);
  // The server had closed the line while it rested, and has said nothing since: it is asked once more, on a new one.
  if (sending.type === "failed" && sending.isStale && !signal?.aborted) {
    closeResting(url);
    sending = await send(request, patience);
  }
  if (sending.type === "answered") return sending.answer;
  signal?.throwIfAborted();
  // In the words of Node's `fetch`, which packages know.
  throw new TypeError("fetch failed", { cause: sending.cause });
}

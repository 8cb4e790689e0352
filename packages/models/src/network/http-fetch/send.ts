/** One request on one line, until its answer begins: aborted at once, given up where nobody takes the call. */

import type { ClientRequest, IncomingMessage } from "node:http";
import { begin, limitCall } from "./lines.ts";
import type { PlainRequest } from "./plain-request.ts";

export type Sending =
  | { readonly type: "answered"; readonly answer: IncomingMessage }
  /** `isStale`: it went out on a line that had served before, and not a byte came back. */
  | { readonly type: "failed"; readonly cause: unknown; readonly isStale: boolean };

export interface Patience {
  /** For the other side to take the call. */
  readonly callMs: number;
}

export function send(request: PlainRequest, { callMs }: Patience): Promise<Sending> {
  const { url, method, headers, body, signal } = request;
  const sent = begin(url, { method, headers: Object.fromEntries(headers) });
  return new Promise((resolve) => {
    const fail = (cause: unknown, isStale = false): void => resolve({ type: "failed", cause, isStale });
    const abort = (): void => {
      sent.destroy();
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    sent.once("close", () => signal?.removeEventListener("abort", abort));
    const isUnheard = listening(sent);
    sent.once("socket", (line) => limitCall(line, { url, ms: callMs, giveUp: (error) => sent.destroy(error) }));
    // Stays for the whole of the answer, whose end is told by the answer itself.
    sent.on("error", (cause) => fail(spoken(cause), sent.reusedSocket && isUnheard()));
    sent.once("response", (answer) => resolve({ type: "answered", answer }));
    sent.end(body ?? undefined);
  });
}

/** Whether nothing has come back so far. */
function listening(sent: ClientRequest): () => boolean {
  let before = 0;
  sent.once("socket", ({ bytesRead }) => {
    before = bytesRead;
  });
  return () => sent.socket?.bytesRead === before;
}

/** A name with several addresses fails with a list of errors that says nothing itself. */
function spoken(cause: unknown): unknown {
  return cause instanceof AggregateError && cause.message === "" ? (cause.errors[0] ?? cause) : cause;
}

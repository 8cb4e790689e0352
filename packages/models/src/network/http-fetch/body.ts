/** What is said in an answer, piece by piece as somebody listens; whoever has heard enough closes the line. */

import type { Readable } from "node:stream";

export function bodyOf(said: Readable, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  let end = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => controller.close();
      said.once("end", end);
      said.on("readable", () => pass(said, controller));
      said.on("error", (cause) => controller.error(signal?.aborted ? signal.reason : broken(cause)));
    },
    pull: (controller) => pass(said, controller),
    cancel() {
      said.off("end", end);
      said.destroy();
    },
  });
}

/** All that has come by now, as one piece: every piece passes through several streams. */
function pass(said: Readable, controller: ReadableStreamDefaultController<Uint8Array>): void {
  if ((controller.desiredSize ?? 0) <= 0) return;
  const piece: Uint8Array | null = said.read();
  if (piece !== null) controller.enqueue(piece);
}

/** In the words of Node's `fetch`, which packages know. */
function broken(cause: unknown): TypeError {
  return new TypeError("terminated", { cause });
}

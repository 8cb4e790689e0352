/** Requests whose answers are read up to a length: a whole answer, or each event of a stream of them. A server cannot fill the memory. */

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Bounds {
  readonly mostBytes: number;
  /** Told why, where one was longer. */
  readonly onTooLong: (why: string) => void;
}

export function boundedFetch(bounds: Bounds): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isEvents = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    return new Response(response.body.pipeThrough(bounded(bounds, isEvents ? "events" : "whole")), {
      ...{ status, statusText, headers },
    });
  };
}

function bounded(
  { mostBytes, onTooLong }: Bounds,
  counted: "events" | "whole",
): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let last = "";
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (counted === "events") {
        const text = `${last}${Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")}`;
        // An empty line ends an event, and may come in two pieces.
        const end = Math.max(...EMPTY_LINES.map((line) => text.lastIndexOf(line)));
        if (end >= 0) length = text.length - end;
        last = text.slice(-2);
      }
      if (length <= mostBytes) return controller.enqueue(chunk);
      const why = `its answer is longer than ${mostBytes >> 20} MB`;
      controller.error(new Error(why));
      onTooLong(why);
    },
  });
}

const EMPTY_LINES = ["\n\n", "\n\r\n", "\r\r"];

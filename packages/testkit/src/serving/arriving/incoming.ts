/** A request as it came in: path, headers and the JSON of its body, or why it cannot be read. */

import type { IncomingMessage } from "node:http";
import { jsonOf } from "./json.ts";
import { type Unreadable, unpacked } from "./unpack.ts";

export interface Incoming {
  readonly method: string;
  /** Without what follows a question mark. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: number;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
  readonly unreadable: Unreadable | null;
}

export async function incoming(request: IncomingMessage): Promise<Incoming> {
  const { chunks, bytes, isWhole } = await received(request);
  const { unreadable: lost, ...address } = addressOf(request.url ?? "/");
  const known = { method: request.method ?? "GET", ...address, headers: request.headers, bytes };
  if (!isWhole) return { ...known, body: undefined, unreadable: gone };
  const text = unpacked(Buffer.concat(chunks), { of: bytes, encoding: request.headers["content-encoding"] });
  const unreadable = lost ?? (typeof text === "string" ? null : text);
  return { ...known, body: typeof text === "string" ? jsonOf(text) : undefined, unreadable };
}

const gone: Unreadable = { status: 400, why: "The client left before its request was whole" };

interface Received {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Beyond what anybody takes, bytes are counted and forgotten. */
async function received(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) chunks.push(chunk);
    }
  } catch {
    // Whoever left gets no answer; the log says so.
    return { chunks, bytes, isWhole: false };
  }
  return { chunks, bytes, isWhole: true };
}

const MOST_BYTES = 64 * 1024 * 1024;

type Address = Pick<Incoming, "path" | "query" | "unreadable">;

function addressOf(url: string): Address {
  const [path = "/", ...query] = url.split("?");
  const rest = new URLSearchParams(query.join("?"));
  try {
    return { path: decodeURIComponent(path), query: rest, unreadable: null };
  } catch {
    // A per cent sign that begins no letter.
    return { path, query: rest, unreadable: { status: 400, why: `The path ${path} is not well encoded` } };
  }
}

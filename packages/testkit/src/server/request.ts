/** Reads an incoming request: its path, headers and unpacked JSON body (at most 64 MiB), or why it cannot be read. */

import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** Undefined where it is none, or nested deeper than any provider reads: the protocol's own check says so in its own words. */
export function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value) ? undefined : value;
  } catch {
    // Not JSON is the answer, not a failure.
    return undefined;
  }
}

const DEEPEST = 500;

// Level by level: whatever walks it later may follow it down.
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** Why a request cannot be read, and with which status that is answered. */
export interface Unreadable {
  readonly status: 400 | 413 | 415;
  readonly why: string;
}

export interface Packed {
  /** How many bytes were sent, of which those at hand may be a part. */
  readonly of: number;
  readonly encoding: string | undefined;
}

/** Never unpacks more than `MOST_BYTES`, whatever the body was packed with. */
export function unpacked(bytes: Buffer, { of, encoding = "identity" }: Packed): string | Unreadable {
  if (of > bytes.length || of > MOST_BYTES) return tooLarge;
  const unpack = ways.get(encoding.trim().toLowerCase());
  if (!unpack) return { status: 415, why: `Unsupported content-encoding: ${encoding}` };
  try {
    return unpack(bytes).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return tooLarge;
    return { status: 400, why: `The request body cannot be unpacked: it is not ${encoding}` };
  }
}

const MOST_BYTES = 64 * 1024 * 1024;
const limit = { maxOutputLength: MOST_BYTES };

const ways: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ["identity", (bytes) => bytes],
  ["gzip", (bytes) => gunzipSync(bytes, limit)],
  ["deflate", (bytes) => inflateSync(bytes, limit)],
  ["br", (bytes) => brotliDecompressSync(bytes, limit)],
  ["zstd", (bytes) => zstdDecompressSync(bytes, limit)],
]);

const tooLarge: Unreadable = {
  status: 413,
  why: `Request body too large: the maximum size is ${MOST_BYTES} bytes, unpacked`,
};

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

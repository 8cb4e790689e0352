/** Reads an incoming request: its path, headers and unpacked JSON body (at most 64 MiB), or why it cannot be read. */

import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** Undefined where it is none, or nested deeper than any provider reads: the protocol's own check says so in its own words. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    // Not JSON is the answer, not a failure.
    return undefined;
  }
}

const MAX_DEPTH = 500;

// Level by level: whatever walks it later may follow it down.
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** Why a request cannot be read, and with which status that is answered. */
export interface ReadError {
  readonly status: 400 | 413 | 415;
  readonly message: string;
}

export interface EncodedSize {
  /** How many bytes were sent, of which those at hand may be a part. */
  readonly sentBytes: number;
  readonly encoding: string | undefined;
}

/** Never unpacks more than `MOST_BYTES`, whatever the body was packed with. */
export function decodeBody(bytes: Buffer, { sentBytes, encoding = "identity" }: EncodedSize): string | ReadError {
  if (sentBytes > bytes.length || sentBytes > MAX_BYTES) return TOO_LARGE;
  const decoder = decoders.get(encoding.trim().toLowerCase());
  if (!decoder) return { status: 415, message: `Unsupported content-encoding: ${encoding}` };
  try {
    return decoder(bytes).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return TOO_LARGE;
    return { status: 400, message: `The request body cannot be unpacked: it is not ${encoding}` };
  }
}

const MAX_BYTES = 64 * 1024 * 1024;
const zlibOptions = { maxOutputLength: MAX_BYTES };

const decoders: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ["identity", (bytes) => bytes],
  ["gzip", (bytes) => gunzipSync(bytes, zlibOptions)],
  ["deflate", (bytes) => inflateSync(bytes, zlibOptions)],
  ["br", (bytes) => brotliDecompressSync(bytes, zlibOptions)],
  ["zstd", (bytes) => zstdDecompressSync(bytes, zlibOptions)],
]);

const TOO_LARGE: ReadError = {
  status: 413,
  message: `Request body too large: the maximum size is ${MAX_BYTES} bytes, unpacked`,
};

export interface IncomingRequest {
  readonly method: string;
  /** Without what follows a question mark. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: number;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
  readonly readError: ReadError | null;
}

export async function readRequest(request: IncomingMessage): Promise<IncomingRequest> {
  const { chunks, bytes, isComplete } = await receiveBody(request);
  const { readError: addressError, ...target } = parseTarget(request.url ?? "/");
  const fields = { method: request.method ?? "GET", ...target, headers: request.headers, bytes };
  if (!isComplete) return { ...fields, body: undefined, readError: CLIENT_GONE };
  const text = decodeBody(Buffer.concat(chunks), { sentBytes: bytes, encoding: request.headers["content-encoding"] });
  const readError = addressError ?? (typeof text === "string" ? null : text);
  return { ...fields, body: typeof text === "string" ? parseJson(text) : undefined, readError };
}

const CLIENT_GONE: ReadError = { status: 400, message: "The client left before its request was whole" };

interface ReceivedBody {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly isComplete: boolean;
}

/** Beyond what anybody takes, bytes are counted and forgotten. */
async function receiveBody(request: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) chunks.push(chunk);
    }
  } catch {
    // Whoever left gets no answer; the log says so.
    return { chunks, bytes, isComplete: false };
  }
  return { chunks, bytes, isComplete: true };
}

type RequestTarget = Pick<IncomingRequest, "path" | "query" | "readError">;

function parseTarget(url: string): RequestTarget {
  const [path = "/", ...query] = url.split("?");
  const searchParams = new URLSearchParams(query.join("?"));
  try {
    return { path: decodeURIComponent(path), query: searchParams, readError: null };
  } catch {
    // A per cent sign that begins no letter.
    return { path, query: searchParams, readError: { status: 400, message: `The path ${path} is not well encoded` } };
  }
}

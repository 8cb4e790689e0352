/** Reads an incoming request: its path, headers and unpacked JSON body (at most 64 MiB), or why it cannot be read. */

import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

export interface IncomingRequest {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: number;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
  readonly readError: ReadError | null;
}

/** Why a request cannot be read, and the status of the response. */
export interface ReadError {
  readonly status: 400 | 413 | 415;
  readonly message: string;
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

interface ReceivedBody {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly isComplete: boolean;
}

/** Counts all bytes, but keeps at most `MAX_BYTES` of them. */
async function receiveBody(request: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) chunks.push(chunk);
    }
  } catch {
    // The client has disconnected and gets no response; the request is logged.
    return { chunks, bytes, isComplete: false };
  }
  return { chunks, bytes, isComplete: true };
}

const MAX_BYTES = 64 * 1024 * 1024;
const zlibOptions = { maxOutputLength: MAX_BYTES };

type RequestTarget = Pick<IncomingRequest, "path" | "query" | "readError">;

function parseTarget(url: string): RequestTarget {
  const [path = "/", ...query] = url.split("?");
  const searchParams = new URLSearchParams(query.join("?"));
  try {
    return { path: decodeURIComponent(path), query: searchParams, readError: null };
  } catch {
    // A percent sign without a valid escape.
    return {
      path,
      query: searchParams,
      readError: { status: 400, message: `The path ${path} is not a valid percent-encoded path` },
    };
  }
}

const CLIENT_GONE: ReadError = { status: 400, message: "The client disconnected before its request was complete" };

export interface EncodedSize {
  /** The number of bytes sent. The buffer may have fewer of them. */
  readonly sentBytes: number;
  readonly encoding: string | undefined;
}

/** Never unpacks more than `MAX_BYTES`. */
function decodeBody(bytes: Buffer, { sentBytes, encoding = "identity" }: EncodedSize): string | ReadError {
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

const TOO_LARGE: ReadError = {
  status: 413,
  message: `Request body too large: the maximum size is ${MAX_BYTES} bytes, unpacked`,
};

const decoders: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ["identity", (bytes) => bytes],
  ["gzip", (bytes) => gunzipSync(bytes, zlibOptions)],
  ["deflate", (bytes) => inflateSync(bytes, zlibOptions)],
  ["br", (bytes) => brotliDecompressSync(bytes, zlibOptions)],
  ["zstd", (bytes) => zstdDecompressSync(bytes, zlibOptions)],
]);

/** Returns undefined for text that is not JSON or is nested too deeply; the protocol's check then refuses it. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    // Invalid JSON is an expected result.
    return undefined;
  }
}

// Iterative, because a deep value would overflow the stack of a recursive function.
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

const MAX_DEPTH = 500;

/** Makes a `fetch` response from a `node:http` message: streams and decompresses its body. */

import type { IncomingMessage } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { PlainHeaders, type PlainRequest } from "./http-request.ts";

export function toResponse(
  { url, method, signal }: PlainRequest,
  { response, isRedirected }: { readonly response: IncomingMessage; readonly isRedirected: boolean },
): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = response;
  const hasNoBody = method === "HEAD" || STATUSES_WITHOUT_BODY.has(status);
  // An unread body would keep its connection.
  if (hasNoBody) response.resume();
  return new PlainResponse({
    status,
    statusText,
    headers: new PlainHeaders(toHeaderPairs(rawHeaders)),
    body: hasNoBody ? null : createBodyStream(decompress(response), signal),
    url: url.href.replace(/#.*$/, ""),
    redirected: isRedirected,
  });
}

const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Node lists names and values alternately. */
function toHeaderPairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
}

/** Reads the source on demand; cancelling closes the connection. */
function createBodyStream(source: Readable, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  let onEnd = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      onEnd = () => controller.close();
      source.once("end", onEnd);
      source.on("readable", () => forwardChunk(source, controller));
      source.on("error", (cause) => controller.error(signal?.aborted ? signal.reason : createTerminatedError(cause)));
    },
    async pull(controller) {
      // BOUND7: other events, such as an abort, run between two chunks.
      await new Promise(setImmediate);
      forwardChunk(source, controller);
    },
    cancel() {
      source.off("end", onEnd);
      source.destroy();
    },
  });
}

/** Forwards what has arrived in small chunks: each passes through several streams, and a large one would block other events. */
function forwardChunk(source: Readable, controller: ReadableStreamDefaultController<Uint8Array>): void {
  if ((controller.desiredSize ?? 0) <= 0) return;
  const chunk: Uint8Array | null = source.read(Math.min(source.readableLength, MAX_CHUNK_BYTES) || undefined);
  if (chunk !== null) controller.enqueue(chunk);
}

const MAX_CHUNK_BYTES = 4096;

/** The message of Node's `fetch`, which packages recognise. */
function createTerminatedError(cause: unknown): TypeError {
  return new TypeError("terminated", { cause });
}

/** Decompresses a body that is compressed although no compression was requested. */
function decompress(response: IncomingMessage): Readable {
  const names = (response.headers["content-encoding"] ?? "").toLowerCase().split(",");
  const encodings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  // An unknown encoding cannot be undone. The number is bounded because each decoder costs memory.
  if (encodings.length > MAX_ENCODINGS || !encodings.every((name) => DECODERS.has(name))) return response;
  return encodings.reduceRight<Readable>(pipeThroughDecoder, response);
}

const MAX_ENCODINGS = 2;

function pipeThroughDecoder(source: Readable, encoding: string): Readable {
  const decoder = DECODERS.get(encoding)?.();
  // The last stream reports errors to its reader.
  return decoder ? pipeline(source, decoder, () => {}) : source;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", (): Transform => zlib().createInflate(flushOptions())],
  ["br", createBrotli],
]);

function createGunzip(): Transform {
  return zlib().createGunzip(flushOptions());
}

function createBrotli(): Transform {
  const { constants, createBrotliDecompress } = zlib();
  const flush = constants.BROTLI_OPERATION_FLUSH;
  return createBrotliDecompress({ flush, finishFlush: flush });
}

/** Emits each chunk at once. Accepts a body without an end mark; the connection tells whether it is complete. */
function flushOptions(): { readonly flush: number; readonly finishFlush: number } {
  const { Z_SYNC_FLUSH: flush } = zlib().constants;
  return { flush, finishFlush: flush };
}

function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

type ResponseFields = Pick<Response, "status" | "statusText" | "headers" | "body" | "url" | "redirected">;

/** A `Response` made of its fields, without Node's `fetch`. */
export class PlainResponse implements Response {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly type = "basic";
  #body: Response["body"];

  constructor({ status, statusText, headers, body, url, redirected }: ResponseFields) {
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.url = url;
    this.redirected = redirected;
    this.#body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): Response["body"] {
    return this.#body;
  }

  get bodyUsed(): boolean {
    return this.#body !== null && Readable.isDisturbed(this.#body as unknown as NodeJS.ReadableStream);
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#assertUnread();
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#body ?? []) chunks.push(chunk);
    return new Uint8Array(Buffer.concat(chunks));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }

  /** Rarely used, so it is left to Node's `Response`. */
  async formData(): Promise<FormData> {
    const headers = { "content-type": this.headers.get("content-type") ?? "" };
    return await new Response(await this.bytes(), { headers }).formData();
  }

  clone(): Response {
    this.#assertUnread();
    const [one, other] = this.#body?.tee() ?? [null, null];
    this.#body = one;
    return new PlainResponse({ ...this, headers: new PlainHeaders([...this.headers]), body: other });
  }

  #assertUnread(): void {
    if (this.bodyUsed || this.#body?.locked) throw new TypeError("the body of this response has already been read");
  }
}

/** Makes a `fetch` response from a `node:http` message: streams and decompresses its body. */

import type { IncomingMessage } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { PlainHeaders, type PlainRequest } from "./http-request.ts";

/** Reads piece by piece as the stream is read; cancelling it closes the connection. */
export function bodyOf(said: Readable, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  let end = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => controller.close();
      said.once("end", end);
      said.on("readable", () => pass(said, controller));
      said.on("error", (cause) => controller.error(signal?.aborted ? signal.reason : broken(cause)));
    },
    async pull(controller) {
      // BOUND7: other events, such as a stop, have their turn between two pieces.
      await new Promise(setImmediate);
      pass(said, controller);
    },
    cancel() {
      said.off("end", end);
      said.destroy();
    },
  });
}

/** What has come by now in pieces of some kilobytes: each passes through several streams, and a long one would hold up everything else. */
function pass(said: Readable, controller: ReadableStreamDefaultController<Uint8Array>): void {
  if ((controller.desiredSize ?? 0) <= 0) return;
  const piece: Uint8Array | null = said.read(Math.min(said.readableLength, LONGEST_PIECE) || undefined);
  if (piece !== null) controller.enqueue(piece);
}

const LONGEST_PIECE = 4096;

/** In the words of Node's `fetch`, which packages know. */
function broken(cause: unknown): TypeError {
  return new TypeError("terminated", { cause });
}

/** Decompresses, as it arrives, a body that came compressed although none was asked for. */
export function unpacked(answer: IncomingMessage): Readable {
  const names = (answer.headers["content-encoding"] ?? "").toLowerCase().split(",");
  const packings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  // Of an unknown packing nothing can be undone, whatever lies around it. No server packs more than twice; each packing costs memory.
  if (packings.length > MOST_PACKINGS || !packings.every((name) => UNPACKERS.has(name))) return answer;
  return packings.reduceRight<Readable>(through, answer);
}

const MOST_PACKINGS = 2;

function through(packed: Readable, name: string): Readable {
  const unpacker = UNPACKERS.get(name)?.();
  // How it ends is told by the last stream to whoever reads it.
  return unpacker ? pipeline(packed, unpacker, () => {}) : packed;
}

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["deflate", (): Transform => zlib().createInflate(atOnce())],
  ["br", brotli],
]);

function gunzip(): Transform {
  return zlib().createGunzip(atOnce());
}

function brotli(): Transform {
  const { constants, createBrotliDecompress } = zlib();
  const flush = constants.BROTLI_OPERATION_FLUSH;
  return createBrotliDecompress({ flush, finishFlush: flush });
}

/** Each piece when it is there; whether the last one was is known by the line. */
function atOnce(): { readonly flush: number; readonly finishFlush: number } {
  const { Z_SYNC_FLUSH: flush } = zlib().constants;
  return { flush, finishFlush: flush };
}

function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

export function answerTo(
  { url, method, signal }: PlainRequest,
  { answer, isRedirected }: { readonly answer: IncomingMessage; readonly isRedirected: boolean },
): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = answer;
  const isBodiless = method === "HEAD" || BODILESS.has(status);
  // Unread, it would keep its line.
  if (isBodiless) answer.resume();
  return new Answer({
    status,
    statusText,
    headers: new PlainHeaders(pairs(rawHeaders)),
    body: isBodiless ? null : bodyOf(unpacked(answer), signal),
    url: url.href.replace(/#.*$/, ""),
    redirected: isRedirected,
  });
}

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Node tells names and values in turn. */
function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
}

type Parts = Pick<Response, "status" | "statusText" | "headers" | "body" | "url" | "redirected">;

/** A response made of its parts. */
export class Answer implements Response {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly type = "basic";
  #body: Response["body"];

  constructor({ status, statusText, headers, body, url, redirected }: Parts) {
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
    this.#demandUnread();
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#body ?? []) pieces.push(piece);
    return new Uint8Array(Buffer.concat(pieces));
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

  /** Rare: Node's own knows how. */
  async formData(): Promise<FormData> {
    const headers = { "content-type": this.headers.get("content-type") ?? "" };
    return await new Response(await this.bytes(), { headers }).formData();
  }

  clone(): Response {
    this.#demandUnread();
    const [one, other] = this.#body?.tee() ?? [null, null];
    this.#body = one;
    return new Answer({ ...this, headers: new PlainHeaders([...this.headers]), body: other });
  }

  #demandUnread(): void {
    if (this.bodyUsed || this.#body?.locked) throw new TypeError("the body of this answer has been read already");
  }
}

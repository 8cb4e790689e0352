/** An answer as `fetch` gives it, made of what came over the line. */

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { bodyOf } from "./body.ts";
import { PlainHeaders } from "./plain-headers.ts";
import type { PlainRequest } from "./plain-request.ts";
import { unpacked } from "./unpacked.ts";

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

class Answer implements Response {
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

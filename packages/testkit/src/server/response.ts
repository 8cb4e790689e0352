/** Writes replies to the client, as events at the script's pace or in one piece, until they end or break. */

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Protocol, ServerEvent } from "../protocols/protocol.ts";
import type { ReplyBreak, ReplyPace } from "../script.ts";

export interface StreamOptions {
  readonly protocol: Protocol;
  readonly events: Iterable<ServerEvent>;
  readonly pace: ReplyPace;
  readonly breaks: ReplyBreak | undefined;
}

/** Sends events until the reply is complete or broken, or the client disconnects. */
export async function sendStream(
  response: ServerResponse,
  { protocol, events, pace, breaks }: StreamOptions,
): Promise<void> {
  if (response.destroyed) return;
  const clientGone = new Promise<void>((resolve) => response.once("close", resolve));
  if (breaks && breaks.after === undefined && !BREAKS_AFTER_HEADERS.has(breaks.how))
    return breakOff(response, { breaks, clientGone });
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  let sentEvents = 0;
  for (const event of events) {
    if (breaks && sentEvents === (breaks.after ?? 0)) {
      if (breaks.how === "error") response.write(formatEvent(protocol.errorEvent(breaks.error)));
      else if (breaks.how === "garbage") response.write('data: {"type": "content_blo\n\n');
      else if (breaks.how === "repeat") await writeRepeatedly(response, formatEvent(event), breaks.times);
      else if (breaks.how === "long-line") await writeLongLine(response);
      if (!BREAKS_THAT_CONTINUE.has(breaks.how)) return breakOff(response, { breaks, clientGone });
    }
    if (response.destroyed) return;
    response.write(formatEvent(event));
    sentEvents += 1;
    if (pace.everyMs) await pause(response, pace.everyMs);
  }
  response.end();
}

const BREAKS_AFTER_HEADERS: ReadonlySet<ReplyBreak["how"]> = new Set(["error", "garbage", "long-line"]);
const BREAKS_THAT_CONTINUE: ReadonlySet<ReplyBreak["how"]> = new Set(["garbage", "repeat"]);

async function breakOff(
  response: ServerResponse,
  { breaks, clientGone }: { readonly breaks: ReplyBreak; readonly clientGone: Promise<void> },
): Promise<void> {
  switch (breaks.how) {
    case "stall":
      return clientGone;
    case "cut":
      // The bytes already written must be sent before the connection closes.
      await sleep(20);
      response.destroy();
      return;
    case "end":
    case "error":
    case "garbage":
    case "repeat":
    case "long-line":
      response.end();
  }
}

function formatEvent({ event, data }: ServerEvent): string {
  const eventLine = event === undefined ? "" : `event: ${event}\n`;
  return `${eventLine}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Waits for the client to read, so that an endless reply does not fill the memory. */
async function writeRepeatedly(
  response: ServerResponse,
  text: string,
  times = Number.POSITIVE_INFINITY,
): Promise<void> {
  const perWrite = Math.max(1, Math.floor(WRITE_CHARS / text.length));
  for (let remaining = times; remaining > 0 && !response.destroyed; remaining -= perWrite)
    await writeAndWait(response, text.repeat(Math.min(perWrite, remaining)));
}

const WRITE_CHARS = 64 * 1024;

async function writeAndWait(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text)) return;
  await new Promise<void>((resolve) => {
    const resume = (): void => {
      response.off("drain", resume).off("close", resume);
      resolve();
    };
    response.on("drain", resume).on("close", resume);
    if (response.destroyed) resume();
  });
}

async function writeLongLine(response: ServerResponse): Promise<void> {
  await writeAndWait(response, 'data: {"type": "');
  await writeRepeatedly(response, "a".repeat(WRITE_CHARS));
}

/** Waits. Ends early when the client disconnects or the server closes. */
export async function pause(response: ServerResponse, milliseconds: number): Promise<void> {
  if (response.destroyed) return;
  const abort = new AbortController();
  const onClose = () => abort.abort();
  response.once("close", onClose);
  // The only possible error is the abort.
  await sleep(milliseconds, undefined, { signal: abort.signal }).catch(() => {});
  response.off("close", onClose);
}

export interface BodyOptions {
  readonly protocol: Protocol;
  readonly body: unknown;
  readonly breaks: ReplyBreak | undefined;
}

/** Sends a reply that is not streamed. With `breaks.after`, half of the body is sent before the break. */
export async function sendBody(response: ServerResponse, { protocol, body, breaks }: BodyOptions): Promise<void> {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  if (!breaks) {
    response.writeHead(200, jsonHeaders).end(text);
    return;
  }
  const clientGone = new Promise<void>((resolve) => response.once("close", resolve));
  if (breaks.how === "error") {
    response.writeHead(500, jsonHeaders).end(JSON.stringify(protocol.errorBody(breaks.error, 500)));
    return;
  }
  if (breaks.how === "garbage" || breaks.after !== undefined) {
    response.writeHead(200, jsonHeaders);
    response.write(text.slice(0, text.length / 2));
  }
  return breakOff(response, { breaks, clientGone });
}

const jsonHeaders = { "content-type": "application/json" } as const;

export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function writeJson(response: ServerResponse, { status, body, headers = {} }: JsonResponse): void {
  response.writeHead(status, { ...jsonHeaders, ...headers }).end(JSON.stringify(body));
}

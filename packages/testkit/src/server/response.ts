/** Writes replies to the client, as events at the script's pace or in one piece, until they end or break. */

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerEvent, Wire } from "../protocols/protocol.ts";
import type { Break, Pace } from "../script.ts";

/** Ends early when the client has left or the server closes. */
export async function pause(response: ServerResponse, milliseconds: number): Promise<void> {
  if (response.destroyed) return;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  response.once("close", leave);
  // The only way to fail is to be ended early, which is what was wanted.
  await sleep(milliseconds, undefined, { signal: leaving.signal }).catch(() => {});
  response.off("close", leave);
}

export interface Sending {
  readonly wire: Wire;
  readonly events: Iterable<ServerEvent>;
  readonly pace: Pace;
  readonly breaks: Break | undefined;
}

/** Ends when all is sent, when the client has gone, or when the reply broke. */
export async function send(response: ServerResponse, { wire, events, pace, breaks }: Sending): Promise<void> {
  if (response.destroyed) return;
  const gone = new Promise<void>((resolve) => response.once("close", resolve));
  if (breaks && breaks.after === undefined && !AFTER_HEADERS.has(breaks.how)) return broken(response, { breaks, gone });
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  let sent = 0;
  for (const event of events) {
    if (breaks && sent === (breaks.after ?? 0)) {
      if (breaks.how === "error") response.write(spelled(wire.errorEvent(breaks.error)));
      else if (breaks.how === "garbage") response.write('data: {"type": "content_blo\n\n');
      else if (breaks.how === "repeat") await repeat(response, spelled(event), breaks.times);
      else if (breaks.how === "long-line") await writeLongLine(response);
      if (!GOES_ON.has(breaks.how)) return broken(response, { breaks, gone });
    }
    if (response.destroyed) return;
    response.write(spelled(event));
    sent += 1;
    if (pace.everyMs) await pause(response, pace.everyMs);
  }
  response.end();
}

const AFTER_HEADERS: ReadonlySet<Break["how"]> = new Set(["error", "garbage", "long-line"]);
const GOES_ON: ReadonlySet<Break["how"]> = new Set(["garbage", "repeat"]);

/** Waits for the client to read, so that an endless reply takes no memory here. */
async function repeat(response: ServerResponse, text: string, times = Number.POSITIVE_INFINITY): Promise<void> {
  const perWrite = Math.max(1, Math.floor(WRITE_CHARS / text.length));
  for (let left = times; left > 0 && !response.destroyed; left -= perWrite)
    await writeAndWait(response, text.repeat(Math.min(perWrite, left)));
}

async function writeLongLine(response: ServerResponse): Promise<void> {
  await writeAndWait(response, 'data: {"type": "');
  await repeat(response, "a".repeat(WRITE_CHARS));
}

const WRITE_CHARS = 64 * 1024;

async function writeAndWait(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
    if (response.destroyed) go();
  });
}

export async function broken(
  response: ServerResponse,
  { breaks, gone }: { readonly breaks: Break; readonly gone: Promise<void> },
): Promise<void> {
  switch (breaks.how) {
    case "stall":
      return gone;
    case "cut":
      // What was written must leave before the connection does.
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

function spelled({ event, data }: ServerEvent): string {
  const lead = event === undefined ? "" : `event: ${event}\n`;
  return `${lead}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export interface SendingWhole {
  readonly wire: Wire;
  readonly body: unknown;
  readonly breaks: Break | undefined;
}

/** There are no events to count: `after` says only that something comes first. */
export async function sendWhole(response: ServerResponse, { wire, body, breaks }: SendingWhole): Promise<void> {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  if (!breaks) {
    response.writeHead(200, json).end(text);
    return;
  }
  const gone = new Promise<void>((resolve) => response.once("close", resolve));
  if (breaks.how === "error") {
    response.writeHead(500, json).end(JSON.stringify(wire.errorBody(breaks.error, 500)));
    return;
  }
  if (breaks.how === "garbage" || breaks.after !== undefined) {
    response.writeHead(200, json);
    response.write(text.slice(0, text.length / 2));
  }
  return broken(response, { breaks, gone });
}

const json = { "content-type": "application/json" } as const;

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function writeJson(response: ServerResponse, { status, body, headers = {} }: JsonAnswer): void {
  response.writeHead(status, { ...json, ...headers }).end(JSON.stringify(body));
}

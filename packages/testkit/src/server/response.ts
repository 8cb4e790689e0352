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
  if (breaks && breaks.after === undefined && breaks.how !== "error" && breaks.how !== "garbage")
    return broken(response, { breaks, gone });
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  let sent = 0;
  for (const event of events) {
    if (breaks && sent === (breaks.after ?? 0)) {
      if (breaks.how === "error") response.write(spelled(wire.errorEvent(breaks.error)));
      else if (breaks.how === "garbage") response.write('data: {"type": "content_blo\n\n');
      if (breaks.how !== "garbage") return broken(response, { breaks, gone });
    }
    if (response.destroyed) return;
    response.write(spelled(event));
    sent += 1;
    if (pace.everyMs) await pause(response, pace.everyMs);
  }
  response.end();
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

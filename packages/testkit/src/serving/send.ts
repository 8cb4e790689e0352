/** A reply on its way out: event by event at its pace, until it ends or breaks. */

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Break, Pace } from "../script.ts";
import type { ServerEvent, Wire } from "../wires/wire.ts";
import { pause } from "./pause.ts";

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

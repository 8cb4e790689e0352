/** A reply in one piece on its way out, or the half of it that comes before it breaks. */

import type { ServerResponse } from "node:http";
import type { Break } from "../script.ts";
import type { Wire } from "../wires/wire.ts";
import { broken } from "./send.ts";

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

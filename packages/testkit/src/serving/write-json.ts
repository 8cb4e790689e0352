/** An answer in one piece of JSON. */

import type { ServerResponse } from "node:http";

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function writeJson(response: ServerResponse, { status, body, headers = {} }: JsonAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

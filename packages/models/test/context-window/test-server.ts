/** A loopback server for one test: a function answers, or a scripted local server. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { answerLocalRequest, type LocalServer } from "../../../testkit/src/server/local-servers.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function startTestServer(answer: Answer): Promise<RunningServer> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const closed = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await closed();
    },
  };
}

/** Answers as a scripted local server does, with 404 for other paths. */
export function local(server: LocalServer): Answer {
  return async (request, response) => {
    const requested = { method: request.method ?? "", path: request.url ?? "", body: await text(request) };
    const { status, body } = answerLocalRequest(server, requested) ?? { status: 404, body: { error: "not found" } };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
}

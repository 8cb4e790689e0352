/** Starts small local servers for one test each. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { answerLocalRequest, type LocalServer } from "../../../testkit/src/server/local-servers.ts";
import { httpFetch } from "../../src/network/http-client.ts";
import { toPlainRequest } from "../../src/network/http-request.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  /** All connections that were opened. */
  readonly connections: readonly Socket[];
  close(): void;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function startTestServer(answer: Answer, host = "127.0.0.1"): Promise<RunningServer> {
  const server = createServer((request, response) => void answer(request, response));
  const connections: Socket[] = [];
  server.on("connection", (line) => connections.push(line));
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, host, resolve));
  const name = host.includes(":") ? `[${host}]` : host;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    server,
    connections,
    close,
    async [Symbol.asyncDispose]() {
      const isClosed = new Promise((resolve) => server.once("close", resolve));
      close();
      await isClosed;
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

/** Sends a request as a caller of `fetch` would. */
export function fetchPlain(address: string, init: RequestInit = {}, callMs = 10_000): Promise<Response> {
  const plain = toPlainRequest(address, init);
  if (!plain) throw new Error(`${address} is not a plain request`);
  return httpFetch(plain, { connectTimeoutMs: callMs });
}

/** Resolves when the other side has closed the connection. */
export function closed(line: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!line || line.destroyed) resolve();
    line?.resume().once("close", () => resolve());
  });
}

/** Small local servers for one test each. */

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { httpFetch } from "../../src/network/http-client.ts";
import { toPlainRequest } from "../../src/network/http-request.ts";

export interface RunningServer {
  readonly url: string;
  readonly server: Server;
  /** All connections that were opened. */
  readonly connections: readonly Socket[];
  close(): void;
}

export async function startTestServer(answer: RequestListener, host = "127.0.0.1"): Promise<RunningServer> {
  const server = createServer(answer);
  const connections: Socket[] = [];
  server.on("connection", (line) => connections.push(line));
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, host, resolve));
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    server,
    connections,
    close() {
      server.close();
      server.closeAllConnections();
    },
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

/** Small servers for one test each, on this machine. */

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { httpFetch } from "../../src/network/http-client.ts";
import { toPlainRequest } from "../../src/network/http-request.ts";

export interface Serving {
  readonly url: string;
  readonly server: Server;
  /** All lines that were ever opened to it. */
  readonly lines: readonly Socket[];
  close(): void;
}

export async function serving(answer: RequestListener, host = "127.0.0.1"): Promise<Serving> {
  const server = createServer(answer);
  const lines: Socket[] = [];
  server.on("connection", (line) => lines.push(line));
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, host, resolve));
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    server,
    lines,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** As a caller of `fetchPackage` would ask. */
export function asked(address: string, wish: RequestInit = {}, callMs = 10_000): Promise<Response> {
  const plain = toPlainRequest(address, wish);
  if (!plain) throw new Error(`${address} is not asked for in the plain way`);
  return httpFetch(plain, { connectTimeoutMs: callMs });
}

/** When a line has been closed by the other side. */
export function closed(line: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!line || line.destroyed) resolve();
    line?.resume().once("close", () => resolve());
  });
}

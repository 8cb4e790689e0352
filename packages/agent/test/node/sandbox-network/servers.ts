/** Test helpers: servers on 127.0.0.1, a proxy before them, and clients that send raw requests. */

import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type ProxyCommand, type ProxyOptions, startProxy } from "../../../src/node/sandbox-network/proxy.ts";
import type { NetworkConnection } from "../../../src/ports.ts";

export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export interface WebServer {
  readonly port: number;
  readonly requests: IncomingMessage[];
}

export async function startWeb(answer: RequestListener = (_, response) => response.end("hello")): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  return { port: await listen(server), requests };
}

export interface TestProxy {
  readonly port: number;
  /** Hosts that permission was asked for, in order. */
  readonly permitted: string[];
  /** Names that were resolved. */
  readonly resolved: string[];
  readonly connections: NetworkConnection[];
  readonly open: Set<() => void>;
}

export interface TestProxyOptions extends Partial<ProxyOptions> {
  readonly permit?: ProxyCommand["permit"];
}

/** The credentials `Basic good` belong to its only command. */
export async function startTestProxy({
  permit = async () => null,
  ...options
}: TestProxyOptions = {}): Promise<TestProxy> {
  const log = { permitted: [] as string[], resolved: [] as string[], connections: [] as NetworkConnection[] };
  const command: ProxyCommand = {
    signal: new AbortController().signal,
    connections: new Set(),
    onConnection: (connection) => log.connections.push(connection),
    permit: (destination, signal) => {
      log.permitted.push(`${destination.host}:${destination.port}`);
      return permit(destination, signal);
    },
  };
  const resolve = options.resolve ?? (async () => ["127.0.0.1"]);
  const listening = createServer();
  const port = await listen(listening);
  const proxy = startProxy(listening, {
    findCommand: (authorization) => (authorization === "Basic good" ? command : null),
    privateHosts: [],
    environment: {},
    ...options,
    resolve: (name) => {
      log.resolved.push(name);
      return resolve(name);
    },
  });
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { port, ...log, open: command.connections };
}

/** Sends bytes and returns the reply, until the other side closes or `until` matches. */
export function exchange(port: number, text: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const finish = (): void => {
      socket.destroy();
      resolve(reply);
    };
    socket.on("data", (chunk) => {
      reply += chunk.toString("latin1");
      if (until?.test(reply)) finish();
    });
    socket.on("error", finish).on("close", finish);
  });
}

export const AUTHORIZED = "Proxy-Authorization: Basic good\r\n";

export function connectTo(target: string, headers = AUTHORIZED): string {
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${headers}\r\n`;
}

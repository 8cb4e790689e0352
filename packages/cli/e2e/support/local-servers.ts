/** Starts a server in front of the scripted model that accepts one API key, and finds and reserves ports of this machine. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface KeyGate {
  readonly url: string;
  /** The address of the scripted model. */
  target: string;
  /** The key that is accepted from now on. */
  acceptedKey: string;
  /** The keys of the requests to the model, in order. */
  readonly keys: readonly string[];
  close(): void;
}

export interface KeyGateOptions {
  readonly acceptedKey: string;
  /** The models that are listed; one by default. */
  readonly models?: readonly string[];
  /** Any free port by default. */
  readonly port?: number;
}

export async function startKeyGate({
  acceptedKey,
  models = ["claude-sonnet-4-5"],
  port = 0,
}: KeyGateOptions): Promise<KeyGate> {
  const keys: string[] = [];
  const server = createServer(async (request, response) => {
    const { url = "", method, headers } = request;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const key = readKey(headers);
    if (method === "POST") keys.push(key);
    if (key !== gate.acceptedKey) {
      const error = { type: "authentication_error", message: `invalid API key: ${key}` };
      response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error }));
      return;
    }
    if (method === "GET") {
      const data = models.map((id) => ({ id, type: "model" }));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
      return;
    }
    const answer = await fetch(`${gate.target}${url}`, {
      method: "POST",
      headers: { ...pickHeaders(headers), "content-type": "application/json" },
      body: Buffer.concat(body),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  await listen(server, port);
  const gate: KeyGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: "",
    acceptedKey,
    keys,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return gate;
}

function readKey({ authorization, "x-api-key": apiKey }: IncomingHttpHeaders): string {
  return String(apiKey ?? authorization?.replace(/^Bearer /, ""));
}

const FORWARDED_HEADERS = ["x-api-key", "authorization", "anthropic-version"];

function pickHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])),
  );
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
}

/** A port on which nothing listens. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until no other test, in any process, has reserved the port. Ends with the process. */
export async function reserveLocalModelPort(): Promise<{ release(): Promise<void> }> {
  for (;;) {
    const server = createServer().listen(RESERVATION_PORT, "127.0.0.1").unref();
    const isReserved = await Promise.race([
      once(server, "listening").then(() => true),
      once(server, "error").then(() => false),
    ]);
    if (isReserved) return { release: () => new Promise((resolve) => server.close(() => resolve())) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Beside Ollama's own. Listening there is the reservation. */
const RESERVATION_PORT = 11_433;
const PAUSE_MS = 50;

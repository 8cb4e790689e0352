/** A server in front of the scripted model that accepts one API key, for Anthropic's and OpenAI's APIs, and lists a few models. */

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface KeyGate {
  readonly url: string;
  /** The address of the scripted model. */
  target: string;
  close(): void;
}

export interface KeyGateOptions {
  readonly acceptedKey: string;
  /** The models that are listed. */
  readonly models: readonly string[];
  /** Any free port by default. */
  readonly port?: number;
}

export async function startKeyGate({ acceptedKey, models, port = 0 }: KeyGateOptions): Promise<KeyGate> {
  const server = createServer(async (request, response) => {
    const { url = "", method, headers } = request;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    if (readKey(headers) !== acceptedKey) {
      response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"invalid API key"}}');
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

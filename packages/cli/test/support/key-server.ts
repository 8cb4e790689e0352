/** A server in front of a scripted one that accepts only one API key, for requests and for the list of models. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface KeyServer {
  readonly url: string;
  /** The key that is accepted from now on. */
  acceptedKey: string;
  /** The keys of the requests to the model, in order. */
  readonly keys: readonly string[];
}

/** `getTarget` returns the address of the scripted server. */
export async function startKeyServer(acceptedKey: string, getTarget: () => string): Promise<KeyServer> {
  const keys: string[] = [];
  const server = createServer(async (request, response) => {
    const { url = "", method, headers } = request;
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = String(headers["x-api-key"]);
    if (method === "POST") keys.push(key);
    const refusal = { type: "error", error: { type: "authentication_error", message: `invalid x-api-key: ${key}` } };
    if (key !== keyServer.acceptedKey) return void response.writeHead(401).end(JSON.stringify(refusal));
    if (method === "GET") return void response.end('{"data":[{"id":"claude-sonnet-4-5"}]}');
    const answer = await fetch(`${getTarget()}${url}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const keyServer = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, acceptedKey, keys };
  return keyServer;
}

/** Starts servers of tools behind an address of this machine, with HTTP or with the older stream of events, and records the headers of the requests. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

export interface HttpMcpServer {
  readonly url: string;
  /** Of every request that came. */
  readonly requestHeaders: IncomingHttpHeaders[];
  close(): Promise<void>;
}

export interface HttpMcpServerOptions {
  /** Sends everybody there instead. */
  readonly redirect?: string;
}

export async function startHttpMcpServer({ redirect }: HttpMcpServerOptions = {}): Promise<HttpMcpServer> {
  const requestHeaders: IncomingHttpHeaders[] = [];
  const handler = createMcpHandler(createMcpServer);
  const answer = toNodeHandler(handler);
  const server = createServer((request, response) => {
    requestHeaders.push(request.headers);
    if (redirect !== undefined) response.writeHead(307, { location: redirect }).end();
    else void answer(request as Parameters<typeof answer>[0], response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requestHeaders,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createMcpServer(): McpServer {
  const server = new McpServer({ name: "web", version: "1.0.0" });
  server.registerTool(
    "greet",
    { description: "Greets somebody.", inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => ({
      content: [{ type: "text", text: `Hello, ${name}` }],
    }),
  );
  return server;
}

/** `otherwise`: what it answers, or the error, by the method. */
export async function startSseMcpServer(
  overrides: Readonly<Record<string, object | (() => object)>> = {},
): Promise<HttpMcpServer> {
  const requestHeaders: HttpMcpServer["requestHeaders"] = [];
  let stream: ServerResponse | null = null;
  const server = createServer(async (request, response) => {
    requestHeaders.push(request.headers);
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /said\n\n");
      return;
    }
    if (request.url !== "/said") return void response.writeHead(405).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    response.writeHead(202).end();
    const { id, method } = JSON.parse(text);
    const found = { ...answers, ...overrides }[method];
    const result = typeof found === "function" ? found() : found;
    const answer = result && "code" in result ? { error: result } : { result };
    if (id !== undefined && result) stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sse`,
    requestHeaders,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const initializeResult: object = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
};

export function toTextResult(text: string): object {
  return { content: [{ type: "text", text }] };
}

const answers: Readonly<Record<string, object>> = {
  initialize: initializeResult,
  "tools/list": { tools: [{ name: "tell", description: "Tells.", inputSchema: { type: "object" } }] },
  "tools/call": toTextResult("as of old"),
};

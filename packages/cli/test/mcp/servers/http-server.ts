/** A server of tools behind an address of this machine, with what was asked of it. */

import { createServer, type IncomingHttpHeaders } from "node:http";
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

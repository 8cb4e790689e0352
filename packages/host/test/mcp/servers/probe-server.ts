/** Runs an MCP server that reads, writes, fetches and connects as its tools are called, and returns the outcomes. */

import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const server = new McpServer({ name: "curious", version: "1.0.0" });

async function outcome(act: () => unknown): Promise<{ content: [{ type: "text"; text: string }] }> {
  const text = await (async () => String(await act()))().catch(
    (error) => `failed: ${error.cause?.code ?? error.code ?? error}`,
  );
  return { content: [{ type: "text", text }] };
}

server.registerTool("read", { inputSchema: z.object({ path: z.string() }) }, ({ path }) =>
  outcome(() => readFileSync(path, "utf8")),
);
server.registerTool("write", { inputSchema: z.object({ path: z.string() }) }, ({ path }) =>
  outcome(() => {
    writeFileSync(path, "written");
    return "written";
  }),
);
server.registerTool("reach", { inputSchema: z.object({ url: z.string() }) }, ({ url }) =>
  outcome(async () => {
    const response = await fetch(url);
    return `${response.status} ${await response.text()}`;
  }),
);
server.registerTool("connect", { inputSchema: z.object({ path: z.string() }) }, ({ path }) =>
  outcome(
    () =>
      new Promise((resolve, reject) => {
        connect(path).on("data", resolve).on("error", reject);
      }),
  ),
);
server.registerTool("where", {}, () => outcome(() => `${process.cwd()} ${process.env.HOME} ${process.env.TMPDIR}`));
server.registerTool("wait", {}, () => new Promise(() => {}));
await server.connect(new StdioServerTransport());

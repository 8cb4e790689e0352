/** Runs an MCP server over standard input and output: its arguments name a log file and its behaviors. */

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [log = "", ...behaviors] = process.argv.slice(2);
appendFileSync(log, `started ${process.pid} ${Object.keys(process.env).sort().join(",")}\n`);
if (behaviors.includes("silent")) await sleep(60_000);
if (behaviors.includes("broken")) {
  console.error("calc: the database is \u001b[31mon fire");
  process.exit(3);
}

const server = new McpServer({ name: "calc", version: "1.0.0" });
const say = (text: string) => ({ content: [{ type: "text" as const, text }] });

server.registerTool(
  "add",
  { description: "Adds two numbers.", inputSchema: z.object({ one: z.number(), other: z.number() }) },
  async ({ one, other }) => say(String(one + other)),
);
server.registerTool("die", { description: "Ends the server." }, async () => {
  console.error("calc: I am going now");
  process.exit(7);
});
server.registerTool("hang", { description: "Never answers." }, async (context) => {
  appendFileSync(log, "hanging\n");
  context.mcpReq.signal.addEventListener("abort", () => appendFileSync(log, "cancelled\n"));
  const { signal } = context.mcpReq;
  await sleep(60_000, undefined, behaviors.includes("stubborn") ? {} : { signal });
  return say("too late");
});
server.registerTool("more", { description: "Brings another tool." }, async () => {
  server.registerTool("late", { description: "Came later." }, async () => say("late"));
  return say("there is more now");
});
server.registerTool("picture", { description: "A picture and more." }, async () => ({
  content: [
    { type: "image", mimeType: "image/png", data: Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1").toString("base64") },
    { type: "image", mimeType: "image/tiff", data: "AAAA" },
    { type: "resource", resource: { uri: "calc://note", text: "a note\u001b[31m" } },
  ],
  structuredContent: { answer: 42 },
}));
if (behaviors.includes("where"))
  server.registerTool("where", { description: "Tells its folder." }, async () => say(process.cwd()));
if (behaviors.includes("reading"))
  server.registerTool("peek", { description: "Looks.", annotations: { readOnlyHint: true } }, async () => say("seen"));
if (behaviors.includes("changed")) server.registerTool("steal", { description: "Is new." }, async () => say("mine"));
for (let at = 0; behaviors.includes("many") && at < 50; at += 1) {
  const description = `The tool with the number ${at}, which does what its number says and nothing else at all.`;
  server.registerTool(`number-${at}`, { description, inputSchema: z.object({ path: z.string() }) }, async () =>
    say("ok"),
  );
}

const late = (): void => void server.registerTool("late", { description: "Came later." }, async () => say("late"));
if (behaviors.includes("restless")) server.server.oninitialized = () => void setTimeout(late, 200);
await server.connect(new StdioServerTransport());

/** A lamp shop with an assistant on its page: two tools of its own, and Pith's server in the same program. */

import { readFileSync } from "node:fs";
import type { Tool } from "@pith/agent";
import { createServer } from "@pith/server";

// #region tools
const stock: Tool = {
  name: "stock",
  description: "How many of an item are in stock.",
  parameters: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
  isIdempotent: true,
  intent: () => ({ type: "nothing" }),
  run: async ({ arguments: { item } }) => ({ content: [{ type: "text", text: `12 of ${item}` }] }),
};

/** The customer is asked before it runs. */
const order: Tool = {
  name: "order",
  description: "Orders items for the customer.",
  parameters: {
    type: "object",
    properties: { item: { type: "string" }, count: { type: "integer" } },
    required: ["item", "count"],
  },
  isIdempotent: false,
  intent: () => ({ type: "named", name: "shop/order" }),
  run: async ({ arguments: { item, count } }) => ({
    content: [{ type: "text", text: `Ordered ${count} of ${item}. The number of the order is 4711.` }],
  }),
};
// #endregion

// #region server
const server = await createServer({
  databaseUrl: requireVariable("PITH_DATABASE_URL"),
  folder: requireVariable("PITH_FOLDER"),
  encryptionKeys: requireVariable("PITH_ENCRYPTION_KEYS").split(","),
  providerKeys: { anthropic: requireVariable("ANTHROPIC_API_KEY") },
  models: ["anthropic/claude-sonnet-4-5"],
  systemPrompt: "You are the assistant of a lamp shop. Answer in one or two sentences.",
  tools: [stock, order],
  settings: { tools: ["stock", "order"], ...(process.env.MODEL_URL && { baseUrl: process.env.MODEL_URL }) },
  // Run as many processes as you need. By default each serves HTTP and runs a worker.
  ...(process.env.ROLE === "api" && { worker: false as const }),
  ...(process.env.ROLE === "worker" && { http: false as const }),
});
// #endregion

// #region page
const page = readFileSync(new URL("page.html", import.meta.url), "utf8");
server.app?.get("/", async (_, reply) => await reply.type("text/html; charset=utf-8").send(page));

// The page gets a token for one session; the token of the shop stays here. Check your own login first.
server.app?.post("/chat", async () => {
  const authorization = `Bearer ${requireVariable("PITH_TOKEN")}`;
  const call = async (path: string) => {
    const answer = await server.app?.inject({
      method: "POST",
      url: `/v1${path}`,
      headers: { authorization },
      body: {},
    });
    if (!answer || answer.statusCode >= 400) throw new Error(`the server answered ${answer?.statusCode} to ${path}`);
    return answer.json() as { readonly id: string; readonly token: string };
  };
  const { id: session } = await call("/sessions");
  const { token } = await call(`/sessions/${session}/tokens`);
  return { session, token };
});

if (server.app) console.log(`The shop is open: ${await server.listen({ port: Number(process.env.PORT ?? 8080) })}`);
process.once("SIGTERM", () => void server.close());
// #endregion

function requireVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}; docs/hosting.md says to what`);
  return value;
}

/** Tests that a base URL works with and without its version, for each protocol, over HTTP. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startServer, type TestServer } from "@pith/testkit";
import { afterEach, expect, test } from "vitest";
import { openModel } from "../../src/open-model.ts";
import { lastOf } from "../providers/protocols.ts";
import { requestOf, user } from "../support/messages.ts";

const request = requestOf([user("Hello?")]);

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(): Promise<TestServer> {
  const server = await startServer({ script: () => "Hello." });
  closers.push(() => server.close());
  return server;
}

/** A server in front of the scripted one, which knows only paths that begin with `prefix`. */
async function serveBelow(prefix: string, target: TestServer, base = prefix): Promise<string> {
  const proxy: Server = createServer(async (request, response) => {
    const { url = "", method = "GET", headers } = request;
    if (!url.startsWith(prefix)) return void response.writeHead(404).end("404 page not found");
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, ...others } = headers;
    const answer = await fetch(`${target.url}/v1${url.slice(base.length)}`, {
      method,
      headers: others as Record<string, string>,
      ...(method === "POST" && { body: Buffer.concat(chunks) }),
    });
    const type = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": type }).end(await answer.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

interface Target {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

async function reply({ environment = {}, ...target }: Target): Promise<unknown> {
  const opened = await openModel(
    { apiKey: "any", ...target },
    { environment, requestPolicy: { retries: 0 }, random: () => 0 },
  );
  if (opened.type !== "opened") throw new Error(opened.message);
  const last = await lastOf(opened.model.stream(request, {}));
  return last.type === "reply-ended" ? last.message.content : last;
}

const HELLO = [{ type: "text", text: "Hello." }];

test.each([
  ["anthropic", "claude-sonnet-4-5", ["", "/", "/v1", "/v1/", "/gateway/anthropic", "/gateway/v1"]],
  ["openai", "gpt-5", ["", "/", "/v1", "/v1/", "/gateway", "/gateway/v1"]],
  ["openai-chat", "gpt-4.1", ["", "/", "/v1", "/gateway", "/openai/v1"]],
  ["google", "gemini-3-pro-preview", ["", "/", "/v1beta", "/v1beta/", "/gateway", "/v1"]],
  ["openai-compatible", "qwen3", ["", "/", "/v1", "/gateway", "/api/paas/v4"]],
  ["ollama", "qwen3", ["", "/", "/v1", "/v1/"]],
] as const)("VOI15 a base URL of %s works with and without its version", async (provider, model, paths) => {
  const { url } = await serve();
  for (const path of paths)
    expect({ path, reply: await reply({ provider, model, baseUrl: `${url}${path}` }) }).toMatchObject({
      path,
      reply: HELLO,
    });
});

test.each([
  ["anthropic", "claude-sonnet-4-5", "ANTHROPIC_BASE_URL"],
  ["openai", "gpt-5", "OPENAI_BASE_URL"],
  ["openai-chat", "gpt-4.1", "OPENAI_BASE_URL"],
])(
  "VOI15 a base URL of %s in the environment works with and without its version",
  async (provider, model, variable) => {
    const { url } = await serve();
    for (const path of ["", "/", "/v1", "/gateway", "/gateway/v1"])
      expect(await reply({ provider, model, environment: { [variable]: `${url}${path}` } })).toMatchObject(HELLO);
  },
);

test("VOI15 a server without a version in its path is found, and the working path is used from then on", async () => {
  const server = await serve();
  const url = await serveBelow("/llm", server);
  const opened = await openModel(
    { provider: "openai-compatible", model: "qwen3", apiKey: "any", baseUrl: `${url}/llm` },
    { environment: {} },
  );
  if (opened.type !== "opened") throw new Error(opened.message);
  for (const _ of [1, 2]) expect((await lastOf(opened.model.stream(request, {}))).type).toBe("reply-ended");
  const rootUrl = await serveBelow("/chat", server, "");
  expect(await reply({ provider: "openai-compatible", model: "qwen3", baseUrl: rootUrl })).toMatchObject(HELLO);
});

test("VOI15 a 404 about the model is returned without a request to another path", async () => {
  const server = await startServer({
    script: [{ refuse: { status: 404, message: "model: no-such-model", type: "not_found_error" } }],
  });
  closers.push(() => server.close());
  expect(await reply({ provider: "anthropic", model: "no-such-model", baseUrl: server.url })).toMatchObject({
    failure: { kind: "refused", message: expect.stringContaining("no-such-model") },
  });
  expect(server.requests).toHaveLength(1);
});

/** Tests over real HTTP whether a provider accepts a key. */

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createCatalogue, type Provider, providers } from "@pith/models";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkKey, listProviderOptions } from "../../src/models/check-key.ts";

let server: Server;
let answer: { readonly status: number; readonly body: string };
let requests: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[];

beforeEach(async () => {
  requests = [];
  answer = { status: 200, body: '{"data":[{"id":"claude-sonnet-4-5"}]}' };
  server = createServer(({ url, headers }, response) => {
    requests.push({ url, headers });
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const named = (id: string): Provider => ({
  ...(providers.find((each) => each.id === id) as Provider),
  baseUrl: `${base()}/v1`,
});
const tried = (id = "anthropic") => checkKey({ provider: named(id), key: "sk-1", environment: {} });

test("FST4 an accepted key returns its models, with each provider's own URL and headers", async () => {
  expect(await tried()).toEqual({ type: "accepted", models: ["claude-sonnet-4-5"] });
  await tried("openai");
  await tried("google");
  await tried("openrouter");
  expect(requests.map(({ url }) => url)).toEqual(["/v1/models", "/v1/models", "/v1/models", "/v1/key"]);
  expect(requests[0]?.headers).toMatchObject({ "x-api-key": "sk-1", "anthropic-version": "2023-06-01" });
  expect(requests[1]?.headers).toMatchObject({ authorization: "Bearer sk-1" });
  expect(requests[2]?.headers).toMatchObject({ "x-goog-api-key": "sk-1" });
});

test("FST4 401, 403 and Google's 400 reject a key; other responses leave it unchecked", async () => {
  const verdicts: unknown[] = [];
  for (const [status, body] of [
    [401, "{}"],
    [403, "{}"],
    [400, '{"error":{"message":"API key not valid. Please pass a valid API key."}}'],
    [400, "{}"],
    [503, "{}"],
    [200, "<html>"],
  ] as const) {
    answer = { status, body };
    verdicts.push((await tried()).type);
  }
  expect(verdicts).toEqual(["refused", "refused", "refused", "unchecked", "unchecked", "unchecked"]);
});

test("FST4 without a network, a key is unchecked rather than rejected", async () => {
  const provider = { ...named("anthropic"), baseUrl: "http://127.0.0.1:1/v1" };
  expect(await checkKey({ provider, key: "sk-1", environment: {} })).toEqual({
    type: "unchecked",
    reason: expect.stringContaining("could not be reached"),
  });
});

test("FST4 a base URL in the environment is used instead, with or without its path", async () => {
  const provider = { ...named("anthropic"), baseUrl: "http://127.0.0.1:1/v1" };
  for (const address of [base(), `${base()}/`, `${base()}/v1`])
    expect((await checkKey({ provider, key: "sk-1", environment: { ANTHROPIC_BASE_URL: address } })).type).toBe(
      "accepted",
    );
});

test("FST2 every provider on offer has a default model, so that a key is enough to start", () => {
  const ids = listProviderOptions().map(({ provider }) => provider.id);
  expect(ids.length).toBeGreaterThan(10);
  expect(ids.filter((id) => createCatalogue().defaultModel(id) === null)).toEqual([]);
});

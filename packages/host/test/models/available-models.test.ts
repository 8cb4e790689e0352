/** Tests app/available-models.ts: local servers, model ids. */

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { providers } from "@pith/models";
import { startServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { findLocalServers, parseModelIds } from "../../src/models/available-models.ts";

describe("local servers", () => {
  const closing: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  test("FST3 each kind of local server is found, with its models", async () => {
    const kinds = ["ollama", "llama.cpp", "lm-studio", "vllm"] as const;
    const locals = await Promise.all(
      kinds.map(async (kind) => {
        const server = await startServer({ script: [], local: { kind, model: "qwen3", window: 8192 } });
        closing.push(server.close);
        return { id: kind, baseUrl: `${server.url}/v1` };
      }),
    );
    const found = await findLocalServers({ localProviders: locals });
    expect(found.map(({ provider }) => provider)).toEqual(kinds);
    for (const { models } of found) expect(models).toEqual([expect.stringContaining("qwen3")]);
  });

  test("FST3 local servers are searched only on this machine, at their default ports", () => {
    const local = providers.filter(({ isLocal }) => isLocal);
    expect(local.map(({ id, baseUrl }) => [id, new URL(baseUrl ?? "").host])).toEqual([
      ["ollama", "127.0.0.1:11434"],
      ["llama.cpp", "127.0.0.1:8080"],
      ["lm-studio", "127.0.0.1:1234"],
      ["vllm", "127.0.0.1:8000"],
    ]);
  });

  test("FST3 an HTML page, an error, a redirect, an oversized response and a closed port are not model servers", async () => {
    const locals = await Promise.all([
      anyServer((_, response) => response.end("<html>hello</html>")),
      anyServer((_, response) => response.writeHead(500).end("{}")),
      anyServer((_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/models" }).end()),
      anyServer((_, response) => response.end(JSON.stringify({ data: "x".repeat(2_000_000) }))),
      anyServer((request) => request.destroy()),
      "http://127.0.0.1:1/v1",
    ]);
    expect(
      await findLocalServers({ localProviders: locals.map((baseUrl, at) => ({ id: `s${at}`, baseUrl })) }),
    ).toEqual([]);
  });

  function anyServer(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)),
    );
  }
});

describe("model ids", () => {
  test("FST4 model ids are read from every provider's list, without those that cannot chat", () => {
    const openai = { data: [{ id: "gpt-5.1" }, { id: "text-embedding-3-large" }, { id: "whisper-1" }] };
    expect(parseModelIds(openai)).toEqual(["gpt-5.1"]);
    const google = {
      models: [
        { name: "models/gemini-2.5-pro", supportedGenerationMethods: ["generateContent"] },
        { name: "models/aqa", supportedGenerationMethods: ["generateAnswer"] },
      ],
    };
    expect(parseModelIds(google)).toEqual(["gemini-2.5-pro"]);
  });

  test("FST4 an unknown response has no model ids", () => {
    for (const answer of [
      null,
      1,
      "x",
      [],
      {},
      { data: 7 },
      { data: [null, 1, { id: 2 }, { id: "" }, { id: "y".repeat(300) }] },
    ])
      expect(parseModelIds(answer)).toEqual([]);
  });
});

/** Tests context-window/local-servers.ts: the four kinds of servers, and unknown servers. */

import { describe, expect, test } from "vitest";
import type { LocalServer } from "../../../testkit/src/server/local-servers.ts";
import { probeServedWindow } from "../../src/context-window/local-servers.ts";
import { type Answer, local, startTestServer } from "../support/test-servers.ts";

const patient = 20_000;

async function probeServer(server: LocalServer, suffix = "/v1") {
  await using served = await startTestServer(local(server));
  return await probeServedWindow({ baseUrl: `${served.url}${suffix}`, model: server.model, timeoutMs: patient });
}

async function answered(answer: Answer, within = patient) {
  await using served = await startTestServer(answer);
  return await probeServedWindow({ baseUrl: `${served.url}/v1`, model: "m", timeoutMs: within });
}

const kinds = ["ollama", "llama.cpp", "lm-studio", "vllm"] as const;
const windows = [8_192, 16_384, 32_768];

describe.each(kinds)("%s", (kind) => {
  test.each(windows)("SEE2 is recognised by its responses, with its window of %d tokens", async (window) => {
    const served = await probeServer({ kind, model: "qwen/qwen3-coder", window });
    expect(served).toMatchObject({ server: kind, window, source: "loaded" });
  });

  test("SEE2 is recognised with any path in the base URL", async () => {
    for (const suffix of ["", "/", "/v1/", "/api", "/api/v1"]) {
      const served = await probeServer({ kind, model: "m", window: 16_384 }, suffix);
      expect(served).toMatchObject({ server: kind, window: 16_384 });
    }
  });
});

describe("a model that is not loaded", () => {
  test.each(["ollama", "lm-studio"] as const)(
    "SEE3 on %s has an assumed window, not its trained window",
    async (kind) => {
      const served = await probeServer({ kind, model: "m", window: 32_768, trainedWindow: 131_072, isLoaded: false });
      expect(served).toEqual({ server: kind, window: 8_192, source: "assumed", trained: 131_072 });
    },
  );

  test("SEE3 on Ollama has the num_ctx of its model file", async () => {
    const served = await probeServer({
      kind: "ollama",
      model: "m",
      window: 32_768,
      isLoaded: false,
      hasConfiguredWindow: true,
    });
    expect(served).toEqual({ server: "ollama", window: 32_768, source: "configured", trained: 131_072 });
  });

  test("SEE3 is never assumed to have more than its trained window", async () => {
    const served = await probeServer({
      kind: "ollama",
      model: "m",
      window: 2_048,
      trainedWindow: 2_048,
      isLoaded: false,
    });
    expect(served).toMatchObject({ window: 2_048, source: "assumed" });
  });

  test("SEE3 on llama.cpp has no known window while it loads", async () => {
    expect(await probeServer({ kind: "llama.cpp", model: "m", window: 8_192, isLoaded: false })).toBeNull();
  });
});

describe("Ollama", () => {
  const version = { "/api/version": { version: "0.34.2" } };
  const show = {
    parameters: "stop x\nnum_ctx   16384\n",
    model_info: { "general.architecture": "q", "q.context_length": 40_960 },
  };

  test("SEE3 reports the smaller window if another client loaded the model with less", async () => {
    const ps = { models: [{ name: "m:latest", context_length: 4_096 }] };
    const served = await answered(json({ ...version, "/api/show": show, "/api/ps": ps }));
    expect(served).toEqual({ server: "ollama", window: 4_096, source: "loaded", trained: 40_960 });
  });

  test("SEE3 ignores the window of another loaded model", async () => {
    const ps = { models: [{ name: "m:70b", context_length: 4_096 }] };
    const served = await answered(json({ ...version, "/api/show": show, "/api/ps": ps }));
    expect(served).toMatchObject({ window: 16_384, source: "configured" });
  });

  test("SEE3 a cloud model of Ollama has its full window", async () => {
    const remote = { remote_host: "https://ollama.com:443", model_info: show.model_info };
    const served = await answered(json({ ...version, "/api/show": remote, "/api/ps": { models: [] } }));
    expect(served).toMatchObject({ window: 40_960, source: "configured" });
  });
});

describe("an unknown server", () => {
  const nonsense = [
    "",
    "{",
    "null",
    "[]",
    "3",
    '"x"',
    '{"data":7,"models":[[]],"version":1}',
    '{"error":"Unexpected endpoint"}',
  ];

  test.each(nonsense)("SEE4 that responds with %j has no known window", async (body) => {
    expect(await answered((_, response) => response.end(body))).toBeNull();
  });

  test("SEE4 with invalid figures has no known window", async () => {
    for (const figure of [0, -1, 1.5, "8192", null, 1e300]) {
      const answers = {
        "/v1/models": { data: [{ id: "m", max_model_len: figure, meta: { n_ctx: figure } }] },
        "/props": { default_generation_settings: { n_ctx: figure } },
        "/api/v0/models/m": { object: "model", state: "loaded", max_context_length: figure },
      };
      expect(await answered(json(answers))).toBeNull();
    }
  });

  test("SEE4 that hangs or never ends its response is given up after the timeout", async () => {
    expect(await answered(() => undefined, 300)).toBeNull();
    expect(await answered((_, response) => response.write("{"), 300)).toBeNull();
  });

  test("SEE4 that sends an endless response is not read to its end", async () => {
    let sent = 0;
    const flood: Answer = (_, response) => {
      const more = () => {
        while (!response.destroyed && sent < 400_000_000 && response.write(" ".repeat(65_536))) sent += 65_536;
      };
      response.on("drain", more);
      more();
    };
    expect(await answered(flood)).toBeNull();
    expect(sent).toBeLessThan(100_000_000);
  });

  test("SEE4 that is not running, or has an invalid URL, has no known window", async () => {
    const { url, ...gone } = await startTestServer(() => undefined);
    await gone[Symbol.asyncDispose]();
    expect(await probeServedWindow({ baseUrl: url, model: "m", timeoutMs: patient })).toBeNull();
    expect(await probeServedWindow({ baseUrl: "no url", model: "m", isOpenAiCompatible: true })).toBeNull();
    expect(await probeServedWindow({ baseUrl: "file:///etc/passwd", model: "m", isOpenAiCompatible: true })).toBeNull();
  });

  test("SEE4 is given up at once on abort", async () => {
    await using hanging = await startTestServer(() => undefined);
    const act = new AbortController();
    const answer = probeServedWindow({ baseUrl: hanging.url, model: "m", signal: act.signal, timeoutMs: 600_000 });
    act.abort();
    expect(await answer).toBeNull();
  });

  test("SEE4 is known from one response while another query hangs", async () => {
    const server = local({ kind: "vllm", model: "m", window: 8_192 });
    const half: Answer = (request, response) => (request.url === "/v1/models" ? server(request, response) : undefined);
    expect(await answered(half, 600_000)).toMatchObject({ server: "vllm", window: 8_192 });
  });
});

describe("the API key", () => {
  const headers = { authorization: "Bearer secret" };

  test("SEE5 is sent to the configured server, not to a redirect target", async () => {
    const stolen: (string | undefined)[] = [];
    const keys = new Set<string | undefined>();
    await using thief = await startTestServer((request, response) => {
      stolen.push(request.headers.authorization);
      return local({ kind: "vllm", model: "m", window: 4_096 })(request, response);
    });
    await using pointing = await startTestServer((request, response) => {
      keys.add(request.headers.authorization);
      response.writeHead(307, { location: `${thief.url}${request.url}` }).end();
    });
    expect(
      await probeServedWindow({ baseUrl: `${pointing.url}/v1`, model: "m", headers, timeoutMs: patient }),
    ).toBeNull();
    expect([...keys]).toEqual(["Bearer secret"]);
    expect(stolen).toEqual([]);
  });

  test("SEE5 is not sent to a public endpoint unless it is OpenAI-compatible", async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      urls.push(String(url));
      throw new Error("no network in tests");
    };
    const endpoint = { baseUrl: "https://api.example.com/openai/v1", model: "m", fetch };
    expect(await probeServedWindow(endpoint)).toBeNull();
    expect(urls).toEqual([]);
    expect(await probeServedWindow({ ...endpoint, isOpenAiCompatible: true })).toBeNull();
    expect(urls.length).toBeGreaterThan(0);
    expect(urls.filter((url) => !url.startsWith("https://api.example.com/openai/"))).toEqual([]);
  });
});

/** Answers paths with JSON, whatever their query. */
function json(answers: Readonly<Record<string, unknown>>): Answer {
  return (request, response) => {
    const body = answers[(request.url ?? "").split("?")[0] ?? ""];
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? null));
  };
}

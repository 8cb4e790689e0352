/** Tests window detection with scripted local servers of 8k, 16k and 32k that report no usage or truncate silently. */

import { describe, expect, test } from "vitest";
import { chooseContextWindow } from "../../src/context-window/choose-window.ts";
import { learnWindow } from "../../src/context-window/learn-window.ts";
import { probeServedWindow } from "../../src/context-window/local-servers.ts";
import { local, startTestServer } from "../support/test-servers.ts";

const known = 128_000;
const kinds = ["ollama", "llama.cpp", "lm-studio", "vllm"] as const;
const cases = kinds.flatMap((kind) => [8_192, 16_384, 32_768].map((window) => ({ kind, window })));

describe.each(cases)("$kind with a window of $window", ({ kind, window }) => {
  test("SEE2 is recognised although it reports no usage", async () => {
    await using server = await startTestServer(local({ kind, model: "m", window }));
    const served = await probeServedWindow({ baseUrl: `${server.url}/v1`, model: "m", timeoutMs: 20_000 });
    const { learned, verdict } = learnWindow(undefined, {
      type: "reply",
      estimate: 60_000,
      reported: 0,
      served: served?.window,
    });
    expect(verdict).toBe("unknown");
    expect(chooseContextWindow({ served, learned: learned.window, catalogueWindow: known })).toEqual({
      tokens: window,
      source: "served",
    });
  });

  test("SEE6 gets its window from a silent truncation if it cannot be probed", () => {
    const { learned, verdict } = learnWindow(undefined, { type: "reply", estimate: 60_000, reported: window });
    expect(verdict).toBe("truncated");
    expect(chooseContextWindow({ learned: learned.window, catalogueWindow: known })).toEqual({
      tokens: window,
      source: "learned",
    });
  });
});

test.each(["ollama", "lm-studio"] as const)(
  "SEE3 %s is probed again after the first reply, when the model is loaded",
  async (kind) => {
    let loaded = false;
    await using server = await startTestServer((...exchange) =>
      local({ kind, model: "m", window: 32_768, isLoaded: loaded })(...exchange),
    );
    const ask = () => probeServedWindow({ baseUrl: `${server.url}/v1`, model: "m", timeoutMs: 20_000 });
    expect(chooseContextWindow({ served: await ask(), catalogueWindow: known })).toEqual({
      tokens: 8_192,
      source: "assumed",
    });
    loaded = true;
    expect(chooseContextWindow({ served: await ask(), catalogueWindow: known })).toEqual({
      tokens: 32_768,
      source: "served",
    });
  },
);

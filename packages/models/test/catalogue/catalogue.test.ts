/** Tests the facts of listed, related, corrected, local and unknown models. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import { UNKNOWN_FACTS, UNKNOWN_LOCAL_FACTS } from "../../src/catalogue/model-facts.ts";
import type { UserModels } from "../../src/catalogue/user-models.ts";

const models = createCatalogue();
const sonnet = models.facts("anthropic", "claude-sonnet-4-5");

test("CAT1 a listed model has the snapshot's limits, kinds and prices", () => {
  expect(sonnet).toEqual({
    source: "snapshot",
    facts: {
      contextWindow: 1_000_000,
      maxTokens: 64_000,
      input: ["text", "image"],
      reasoning: true,
      prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    },
  });
});

test("CAT1 cached tokens without a price cost as much as input", () => {
  const { prices } = models.facts("openai", "gpt-4.1").facts;
  expect(prices).toEqual({ input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2 });
});

test("CAT1 lists the models of a provider, and none for an unknown one", () => {
  expect(createCatalogue().listModels("anthropic")).toContain("claude-sonnet-4-5");
  expect(createCatalogue().listModels("nobody")).toEqual([]);
  expect(createCatalogue().listModels("constructor")).toEqual([]);
});

describe("CAT2 other spellings of a listed model", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5-20990101"],
    ["anthropic.messages", "claude-sonnet-4.5"],
    ["anthropic", "anthropic/claude-sonnet-4-5"],
    ["openrouter", "anthropic/claude-sonnet-4-5"],
    ["vercel", "claude-sonnet-4-5:beta"],
  ])("CAT2 %s %s has the facts and the prices of its sibling", (provider, model) => {
    const found = models.facts(provider, model);
    expect(found.source).toBe("family");
    expect(found.facts.contextWindow).toBe(sonnet.facts.contextWindow);
    expect(found.facts.prices?.output).toBeGreaterThanOrEqual(15);
  });

  test("CAT2 an unlisted region has the facts of the others", () => {
    const { facts } = models.facts("amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0");
    expect(models.facts("bedrock", "sa.anthropic.claude-sonnet-4-5-20250929-v1:0")).toEqual({
      facts,
      source: "family",
    });
  });

  test("CAT2 models/gemini-2.5-pro and its previews have the facts of gemini-2.5-pro", () => {
    const { facts } = models.facts("google", "gemini-2.5-pro");
    expect(models.facts("google.generative-ai", "models/gemini-2.5-pro")).toEqual({ facts, source: "family" });
    expect(models.facts("google", "gemini-2.5-pro-preview-06-05")).toEqual({ facts, source: "family" });
  });

  test("CAT2 a free variant and another provider's model have no price", () => {
    expect(models.facts("openrouter", "anthropic/claude-sonnet-4.5:free").facts.prices).toBeUndefined();
    const { prices: _, ...free } = sonnet.facts;
    expect(models.facts("my-proxy", "claude-sonnet-4-5")).toEqual({ facts: free, source: "family" });
  });

  test.each([
    ["openai", "gpt-4-0613", 8_192, 8_192],
    ["openai", "gpt-4-32k-0613", 32_768, 32_768],
    ["azure", "gpt-4-1106-preview", 128_000, 4_096],
    ["openai", "gpt-3.5-turbo-1106", 16_385, 4_096],
    ["openai", "o1-preview-2024-09-12", 128_000, 32_768],
    ["azure", "o1-preview", 128_000, 32_768],
    ["openrouter", "openai/o1-preview", 128_000, 32_768],
    ["xai", "grok-4-0709", 256_000, 64_000],
    ["google", "gemini-2.0-flash-001", 1_048_576, 8_192],
    ["amazon-bedrock", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", 200_000, 8_192],
    ["amazon-bedrock", "anthropic.claude-3-7-sonnet-20250219-v1:0", 200_000, 64_000],
    ["anthropic", "claude-3-5-sonnet-latest", 200_000, 8_192],
  ])("CAT2 %s %s has a window of %i tokens and a reply limit of %i", (provider, model, contextWindow, maxTokens) => {
    expect(models.facts(provider, model)).toMatchObject({ source: "family", facts: { contextWindow, maxTokens } });
  });

  test("CAT2 a fine-tuned model has the limits of its base, without the price", () => {
    const { prices: _, ...origin } = models.facts("openai", "gpt-4.1").facts;
    const tuned = models.facts("openai", "ft:gpt-4.1-2025-04-14:org::id");
    expect(tuned).toEqual({ facts: origin, source: "family" });
  });

  test("CAT2 a name without a number is known only at its provider", () => {
    expect(models.facts("openrouter", "openrouter/auto").source).toBe("snapshot");
    for (const name of ["auto", "free", "glm-latest", "grok", "deepseek", "claude-sonnet"]) {
      expect(models.facts("x", name)).toEqual({ facts: UNKNOWN_FACTS, source: "default" });
    }
  });

  test("CAT2 another version of a listed model does not get its facts", () => {
    expect(models.facts("anthropic", "claude-sonnet-4-9").source).toBe("default");
    expect(models.facts("openai", "gpt-5.44").source).toBe("default");
  });
});

test("CAT3 an unknown model gets the default facts", () => {
  expect(models.facts("nobody", "knows-this")).toEqual({ facts: UNKNOWN_FACTS, source: "default" });
  const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "/", ":", "a".repeat(100_000)));
  fc.assert(
    fc.property(name, name, (provider, model) => {
      const { facts } = models.facts(provider, model);
      expect(facts.contextWindow).toBeGreaterThan(0);
      expect(facts.maxTokens).toBeGreaterThan(0);
    }),
  );
});

describe("CAT4 the user's entries", () => {
  const user = {
    "anthropic/claude-sonnet-4-5": { contextWindow: 200_000 },
    "house/*": { contextWindow: 32_000 },
    "house/big/*": { contextWindow: 64_000 },
  };
  const corrected = createCatalogue({ userModels: user });

  test("CAT4 correct the fields they name", () => {
    expect(corrected.facts("anthropic", "claude-sonnet-4-5")).toEqual({
      facts: { ...sonnet.facts, contextWindow: 200_000 },
      source: "user",
    });
  });

  test("CAT4 never make a reply longer than the window", () => {
    const small = createCatalogue({ userModels: { "anthropic/*": { contextWindow: 10_000 } } });
    expect(small.facts("anthropic", "claude-sonnet-4-5").facts.maxTokens).toBe(10_000);
  });

  test("CAT4 with invalid fields change nothing", () => {
    const entry = { contextWindow: "128k", maxTokens: -1, prices: { input: Number.NaN, output: 1 }, reasoning: "yes" };
    const user = { "anthropic/*": entry, "x/*": { contextWindow: Number.NaN, maxTokens: 4_096 }, "y/*": null };
    const odd = createCatalogue({ userModels: user as unknown as UserModels });
    expect(odd.facts("anthropic", "claude-sonnet-4-5")).toEqual(sonnet);
    expect(odd.facts("x", "m")).toEqual({ facts: { ...UNKNOWN_FACTS, maxTokens: 4_096 }, source: "user" });
    expect(odd.facts("y", "m").source).toBe("default");
  });

  test("CAT4 need no price for cached tokens, which cost as much as input", () => {
    const priced = createCatalogue({ userModels: { "house/*": { prices: { input: 2, output: 8 } } } });
    expect(priced.facts("house", "m").facts.prices).toEqual({ input: 2, output: 8, cacheRead: 2, cacheWrite: 2 });
  });

  test("CAT4 with a star apply to all names with that prefix, the longest first", () => {
    expect(corrected.facts("house", "small").facts.contextWindow).toBe(32_000);
    expect(corrected.facts("house", "big/one").facts.contextWindow).toBe(64_000);
    expect(corrected.facts("household", "small").source).toBe("default");
  });

  test("CAT4 override the default of a local model", () => {
    expect(corrected.facts("house", "small", { local: true }).facts.contextWindow).toBe(32_000);
  });
});

test("CAT6 a local model does not get the window of its name", () => {
  const { facts, source } = models.facts("ollama", "qwen3-coder:30b", { local: true });
  expect(source).toBe("default");
  expect(facts).toEqual(UNKNOWN_LOCAL_FACTS);
  expect(models.facts("ollama", "unheard-of", { local: true }).facts).toEqual(UNKNOWN_LOCAL_FACTS);
});

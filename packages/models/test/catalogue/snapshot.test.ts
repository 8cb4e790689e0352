/** Tests catalogue/snapshot.ts: hand checked, snapshot. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import { handCheckedRows, snapshot } from "../../src/catalogue/snapshot.ts";
import { snapshotData } from "../../src/catalogue/snapshot-data.ts";

describe("models with hand-checked limits", () => {
  test.each([
    ["anthropic", "claude-3-5-sonnet-20241022", 200_000, 8_192, true],
    ["anthropic", "claude-3-7-sonnet-20250219", 200_000, 64_000, true],
    ["anthropic", "claude-sonnet-4-0", 200_000, 64_000, true],
    ["anthropic", "claude-opus-4-20250514", 200_000, 32_000, true],
    ["anthropic", "claude-sonnet-4-20250514", 200_000, 64_000, true],
    ["google", "gemini-2.0-flash", 1_048_576, 8_192, true],
    ["google", "gemini-1.5-pro", 1_048_576, 8_192, true],
    ["google", "gemini-3-pro-preview", 1_048_576, 65_536, true],
    ["openai", "gpt-4-32k", 32_768, 32_768, false],
    ["openai", "o1-preview", 128_000, 32_768, false],
    ["xai", "grok-4", 256_000, 64_000, true],
    ["xai", "grok-4-fast", 2_000_000, 30_000, true],
    ["xai", "grok-code-fast-1", 256_000, 10_000, false],
  ])(
    "CAT1 %s %s has a window of %i tokens, a reply limit of %i and image input: %s",
    (provider, model, contextWindow, maxTokens, images) => {
      const { facts, source } = createCatalogue().facts(provider, model);
      expect(source).toBe("snapshot");
      expect(facts).toMatchObject({ contextWindow, maxTokens });
      expect(facts.input.includes("image")).toBe(images);
    },
  );

  test("CAT7 hand-checked models belong to a provider of the snapshot that does not list them", () => {
    for (const [provider, rows] of Object.entries(handCheckedRows)) {
      const listed = (JSON.parse(snapshotData.rows[provider] ?? "[]") as [string][]).map(([id]) => id);
      expect(listed.length).toBeGreaterThan(0);
      expect(rows.filter(([id]) => listed.includes(id))).toEqual([]);
      expect([...snapshot.ids(provider)]).toEqual(expect.arrayContaining(rows.map(([id]) => id)));
    }
  });
});

describe("snapshot", () => {
  const file = join(import.meta.dirname, "../../src/catalogue/snapshot-data.ts");
  const all = snapshot.providers.flatMap((provider) =>
    [...snapshot.ids(provider)].map((id) => ({ provider, id, facts: snapshot.facts(provider, id) })),
  );

  test("CAT7 the snapshot has a date and the models of the large providers in less than 150 KB", () => {
    expect(snapshot.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(snapshot.providers).toEqual(expect.arrayContaining(["anthropic", "openai", "google", "openrouter"]));
    expect(all.length).toBeGreaterThan(1_000);
    expect(statSync(file).size).toBeLessThan(150 * 1024);
  });

  test("CAT7 each model has a window, a reply limit within it, and prices of zero or more", () => {
    const odd = all.filter(({ facts }) => {
      if (!facts) return true;
      const prices = Object.values(facts.prices ?? {});
      const limits = facts.contextWindow >= 1_024 && facts.maxTokens > 0 && facts.maxTokens <= facts.contextWindow;
      return !limits || !facts.input.includes("text") || prices.some((price) => !(price >= 0));
    });
    expect(odd).toEqual([]);
  });

  test("CAT7 ignores inherited property names", () => {
    expect([...snapshot.ids("constructor")]).toEqual([]);
    expect(snapshot.facts("__proto__", "x")).toBeUndefined();
  });
});

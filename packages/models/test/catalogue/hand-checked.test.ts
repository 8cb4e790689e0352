/** Models checked by hand: as their makers describe them, and only where the snapshot has none. */

import { expect, test } from "vitest";
import { catalogue } from "../../src/catalogue/catalogue.ts";
import { handChecked } from "../../src/catalogue/hand-checked.ts";
import { snapshot } from "../../src/catalogue/snapshot.ts";
import { snapshotRows } from "../../src/catalogue/snapshot-data.ts";

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
])("CAT1 %s %s sees %i tokens and answers with %i; images: %s", (provider, model, contextWindow, maxTokens, images) => {
  const { facts, source } = catalogue().facts(provider, model);
  expect(source).toBe("snapshot");
  expect(facts).toMatchObject({ contextWindow, maxTokens });
  expect(facts.input.includes("image")).toBe(images);
});

test("CAT7 what is checked by hand belongs to a provider of the snapshot, which does not list it itself", () => {
  for (const [provider, rows] of Object.entries(handChecked)) {
    const listed = (JSON.parse(snapshotRows[provider] ?? "[]") as [string][]).map(([id]) => id);
    expect(listed.length).toBeGreaterThan(0);
    expect(rows.filter(([id]) => listed.includes(id))).toEqual([]);
    expect([...snapshot.ids(provider)]).toEqual(expect.arrayContaining(rows.map(([id]) => id)));
  }
});

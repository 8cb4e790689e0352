/** The generated snapshot: whole, plausible and small. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { snapshot } from "../../src/catalogue/snapshot.ts";

const file = join(import.meta.dirname, "../../src/catalogue/snapshot-data.ts");
const all = snapshot.providers.flatMap((provider) =>
  [...snapshot.ids(provider)].map((id) => ({ provider, id, facts: snapshot.facts(provider, id) })),
);

test("CAT7 the snapshot says its day and holds the models of the large providers in less than 150 KB", () => {
  expect(snapshot.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(snapshot.providers).toEqual(expect.arrayContaining(["anthropic", "openai", "google", "openrouter"]));
  expect(all.length).toBeGreaterThan(1_000);
  expect(statSync(file).size).toBeLessThan(150 * 1024);
});

test("CAT7 each of its models has a window, an answer that fits in it, and prices of zero or more", () => {
  const odd = all.filter(({ facts }) => {
    if (!facts) return true;
    const prices = Object.values(facts.prices ?? {});
    const limits = facts.contextWindow >= 1_024 && facts.maxTokens > 0 && facts.maxTokens <= facts.contextWindow;
    return !limits || !facts.input.includes("text") || prices.some((price) => !(price >= 0));
  });
  expect(odd).toEqual([]);
});

test("CAT7 no provider is a name of Object's own", () => {
  expect([...snapshot.ids("constructor")]).toEqual([]);
  expect(snapshot.facts("__proto__", "x")).toBeUndefined();
});

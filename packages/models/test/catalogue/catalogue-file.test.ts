/** Tests catalogue/models-dev.ts and catalogue-file.ts: a newer list of models is parsed, stored and used. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadCatalogue, writeCatalogueFile } from "../../src/catalogue/catalogue-file.ts";
import { parseModelList } from "../../src/catalogue/models-dev.ts";
import { snapshot } from "../../src/catalogue/snapshot.ts";

const TODAY = "2027-02-01";

const sonnet = {
  id: "claude-sonnet-6",
  name: "Claude Sonnet 6",
  reasoning: true,
  tool_call: true,
  release_date: "2027-01-10",
  last_updated: "2027-01-10",
  modalities: { input: ["text", "image"], output: ["text"] },
  cost: { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 },
  limit: { context: 2_000_000, output: 128_000 },
};

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-catalogue-"));
  path = join(folder, "home", "models.json");
});

afterEach(() => rmSync(folder, { recursive: true }));

test("CAT12 a list of models.dev becomes limits, input kinds, prices and defaults", async () => {
  await store({ anthropic: { models: { "claude-sonnet-6": sonnet } } });
  const { catalogue, date, isUpdated, error } = await loadCatalogue(path);
  expect({ date, isUpdated, error }).toEqual({ date: "2027-01-10", isUpdated: true, error: null });
  expect(catalogue.facts("anthropic", "claude-sonnet-6")).toEqual({
    source: "snapshot",
    facts: {
      contextWindow: 2_000_000,
      maxTokens: 128_000,
      input: ["text", "image"],
      reasoning: true,
      prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    },
  });
  expect(catalogue.defaultModel("anthropic")).toBe("claude-sonnet-6");
  expect(catalogue.listModels("anthropic")).toEqual(["claude-sonnet-6"]);
});

test("CAT12 providers that the list lacks keep the built-in models, and retired models stay known", async () => {
  await store({ anthropic: { models: { "claude-sonnet-6": sonnet } }, unheard: { models: { x: sonnet } } });
  const { catalogue } = await loadCatalogue(path);
  expect(catalogue.listModels("openai")).toEqual(snapshot.offeredIds("openai"));
  expect(catalogue.defaultModel("openai")).toBe(snapshot.defaultModel("openai"));
  expect(catalogue.facts("anthropic", "claude-3-opus-20240229").source).toBe("snapshot");
  expect(catalogue.listModels("unheard")).toEqual([]);
});

test("CAT12 models that write no text or call no tools are left out, and invalid figures are counted", () => {
  const models = {
    good: { ...sonnet, id: "good" },
    image: { ...sonnet, id: "image", modalities: { input: ["text"], output: ["image"] } },
    talker: { ...sonnet, id: "talker", tool_call: false },
    negative: { ...sonnet, id: "negative", cost: { input: -1, output: 1 } },
    endless: { ...sonnet, id: "endless", limit: { context: 1e30, output: 1 } },
    windowless: { ...sonnet, id: "windowless", limit: {} },
    odd: { ...sonnet, id: "a\u001b[31m" },
    nothing: null,
  };
  const result = parseModelList(JSON.stringify({ "fireworks-ai": { models } }), TODAY);
  expect(result).toMatchObject({ type: "parsed", models: 1, skipped: 4 });
  expect(result.type === "parsed" && Object.keys(result.data.rows)).toEqual(["fireworks"]);
});

test.each([
  ["no JSON", "<html>"],
  ["a list", "[]"],
  ["no models", '{"anthropic":{"models":{}}}'],
  ["only unknown providers", JSON.stringify({ unheard: { models: { x: sonnet } } })],
  [
    "no dates",
    JSON.stringify({ anthropic: { models: { x: { ...sonnet, release_date: "soon", last_updated: undefined } } } }),
  ],
])("CAT12 parsing %s as a list of models fails with a message", (_, text) => {
  expect(parseModelList(text, TODAY)).toMatchObject({ type: "invalid", message: expect.stringMatching(/./) });
});

test("CAT12 a release date in the future does not make a list newer", () => {
  const models = { a: sonnet, b: { ...sonnet, id: "b", release_date: "2030-01-01", last_updated: "2030-01-01" } };
  const result = parseModelList(JSON.stringify({ anthropic: { models } }), TODAY);
  expect(result).toMatchObject({ data: { date: "2027-01-10" } });
});

test("CAT12 a stored list that is not newer than the built-in one is not used", async () => {
  await store({ anthropic: { models: { a: { ...sonnet, release_date: snapshot.date, last_updated: "2020-01-01" } } } });
  expect(await loadCatalogue(path)).toMatchObject({ isUpdated: false, date: snapshot.date, error: null });
});

test("CAT12 without a file the built-in list is used", async () => {
  expect(await loadCatalogue(path)).toMatchObject({ isUpdated: false, error: null });
});

test("CAT12 the stored list is replaced as a whole, and only its owner can read it", async () => {
  await store({ anthropic: { models: { a: sonnet } } });
  await store({ anthropic: { models: { b: { ...sonnet, id: "b" } } } });
  expect(readdirSync(join(folder, "home"))).toEqual(["models.json"]);
  expect(statSync(path).mode & 0o077).toBe(0);
});

test("CAT12 a stored list that is damaged anywhere is reported and not used", async () => {
  await store({ anthropic: { models: { a: sonnet } } });
  const text = readFileSync(path, "utf8");
  const damaged = [
    "",
    "null",
    text.slice(0, -20),
    text.replace("2000000", '"many"'),
    text.replace('"defaults":{', '"defaults":{"openai":7,'),
    text.replace('"rows"', '"row"'),
  ];
  for (const each of damaged) {
    writeFileSync(path, each);
    expect(await loadCatalogue(path)).toMatchObject({
      isUpdated: false,
      date: snapshot.date,
      error: expect.stringContaining(`${path} is damaged, so the built-in list of models is used`),
    });
  }
});

async function store(list: object): Promise<void> {
  const result = parseModelList(JSON.stringify(list), TODAY);
  if (result.type !== "parsed") throw new Error(result.message);
  await writeCatalogueFile(path, result.data);
}

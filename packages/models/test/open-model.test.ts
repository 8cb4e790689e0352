/** Tests openModel with a string: it returns the model, and throws if it cannot be opened. */

import { startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { openModel } from "../src/open-model.ts";

test("openModel opens a model by its name with the key and base URL of the environment", async () => {
  const server = await startServer({ script: ["Hello."] });
  try {
    const environment = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
    const model = await openModel("anthropic/claude-sonnet-4-5", { environment });
    expect(model).toMatchObject({ provider: "anthropic", model: "claude-sonnet-4-5", api: "anthropic-messages" });
  } finally {
    await server.close();
  }
});

test("openModel accepts a model name with a slash", async () => {
  const model = await openModel("openrouter/meta/llama-4", { environment: { OPENROUTER_API_KEY: "any" } });
  expect(model.model).toBe("meta/llama-4");
});

test("openModel throws an error of one sentence if the model cannot be opened", async () => {
  await expect(openModel("anthropic/claude-sonnet-4-5", { environment: {} })).rejects.toThrow(
    "anthropic/claude-sonnet-4-5 cannot be opened: anthropic needs an API key: set ANTHROPIC_API_KEY",
  );
  await expect(openModel("anthropic/", { environment: {} })).rejects.toThrow('openModel needs "provider/model"');
  await expect(openModel("nowhere/m", { environment: {} })).rejects.toThrow('unknown provider "nowhere"');
});

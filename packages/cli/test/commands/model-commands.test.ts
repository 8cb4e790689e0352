/** Who speaks, how long it thinks, what is set, what is read anew. */

import { scriptedModel } from "@pith/context/testing";
import { expect, test } from "vitest";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

test("COM17 /model shows the current model and switches to another; a model that cannot be opened changes nothing", async () => {
  const other = { ...scriptedModel(), provider: "openai", model: "gpt-5", contextWindow: 400_000 };
  const context = await createCommandContext(["user: hello", "says: hi"], {
    context: {
      openModel: async (name) =>
        name === "openai/gpt-5"
          ? { type: "opened", model: other, notes: () => [] }
          : { type: "mistake", message: `${name} needs a key` },
    },
  });
  expect(await runForText("/model", context)).toBe(
    "Current model: anthropic/storyteller (context window: 200,000 tokens).",
  );
  expect(await runForResult("/model google/x", context)).toEqual({ type: "mistake", message: "google/x needs a key" });
  expect(await runForResult("/model gpt", context)).toEqual({ type: "mistake", message: "gpt needs a key" });
  expect(await runForText("/model openai/gpt-5", context)).toBe(
    "Model set to openai/gpt-5 (context window: 400,000 tokens).",
  );
  expect(context.agent.session.branch.state.model).toEqual({ provider: "openai", modelId: "gpt-5" });
});

test("COM17 /model refuses a model whose window is too small for the context, and says what to do", async () => {
  const small = { ...scriptedModel(), contextWindow: 100 };
  const lines = ["user: go", ...Array.from({ length: 4 }, () => `says: ${"work ".repeat(500)}`)];
  const failure = { failure: { kind: "refused", message: "no" } } as const;
  const context = await createCommandContext(lines, {
    replies: [failure, failure],
    context: { openModel: async () => ({ type: "opened", model: small, notes: () => [] }) },
  });
  expect(await runForResult("/model any/small", context)).toMatchObject({
    type: "failed",
    message: expect.stringMatching(/^model not changed: the context has [\d,]+ tokens, but only 75 fit; /),
  });
  expect(await runForText("/model", context)).toContain("anthropic/storyteller");
});

test("COM18 /thinking shows and changes the level; an unknown level is answered with the known ones", async () => {
  const context = await createCommandContext(["user: hello"]);
  expect(await runForText("/thinking", context)).toBe("Thinking level: off");
  expect(await runForText("/thinking high", context)).toBe("Thinking set to high, starting with the next request.");
  expect(await runForText("/thinking", context)).toBe("Thinking level: high");
  expect(context.agent.session.branch.state.thinkingLevel).toBe("high");
  expect(await runForResult("/thinking hihg", context)).toMatchObject({
    message: expect.stringContaining("minimal, low, medium"),
  });
});

test("COM19 /settings lists the effective settings with their sources, all or by name; /reload reports what changed", async () => {
  const listed = [
    { name: "model", value: "a/b", source: "--model", description: "" },
    { name: "compaction.enabled", value: true, source: "default", description: "" },
  ];
  const context = await createCommandContext([], {
    context: { listSettings: () => listed, reload: async () => ["AGENTS.md changed"] },
  });
  expect(await runForText("/settings", context)).toMatch(/^model .*"a\/b" .*--model\ncompaction\.enabled {2}true$/);
  expect(await runForText("/settings compaction", context)).toBe("compaction.enabled  true");
  expect(await runForResult("/settings nonsense", context)).toMatchObject({ type: "mistake" });
  expect(await runForText("/reload", context)).toBe("AGENTS.md changed");
  expect(await runForText("/reload", await createCommandContext([]))).toBe("Reloaded; nothing has changed.");
});

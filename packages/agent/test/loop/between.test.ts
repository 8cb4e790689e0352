/** What is asked of an agent at work waits for the moment between two requests. */

import { compactionLimits } from "@pith/context";
import { expect, test } from "vitest";
import { calls, heldModel, heldTool, heldWriter, quiet, type Stage, stage, talk, text } from "./held.ts";

const more = "Here is more of it. ".repeat(2_000);

test("FIT1 a compaction that is asked for in mid-turn breaks nothing off, and the turn goes on behind it", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const scene = await full(model, { tools: [tool], writers: [] });
  const end = scene.prompt("Begin.");
  await quiet();
  const compacted = scene.agent.compact("mind the names");
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("done");
  const { type, ...result } = await compacted;
  expect(type).toBe("compacted");
  expect(result).toMatchObject({
    summary: expect.stringContaining("Here is more of it."),
    firstKeptEntryId: expect.any(String),
    tokensBefore: expect.any(Number),
    details: expect.anything(),
  });
  await quiet();
  expect(model.waiting).toHaveLength(1);
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
  expect((await talk(scene)).slice(-2)).toEqual(["compaction", "assistant: Done."]);
});

test("FIT2 a model with a smaller window takes over once what is too much was compacted by the one before", async () => {
  const large = heldModel();
  const small = heldModel({ contextWindow: 16_000, model: "small" });
  const writer = heldWriter();
  const scene = await full(large, { writers: [writer] });
  const set = scene.agent.setModel(small);
  await quiet();
  writer.waiting[0]?.end("fails");
  expect(await set).toEqual({ type: "set" });
  expect(scene.agent.model).toBe(small);
  expect(scene.agent.session.window.state.model).toEqual({ provider: "anthropic", modelId: "small" });
  expect(scene.agent.contextUsage().tokens).toBeLessThan(12_000);
  expect(small.requests).toEqual([]);
});

test("FIT2 where it cannot be made to fit, who spoke still speaks", async () => {
  const large = heldModel();
  const scene = await full(large, { limits: { ...compactionLimits, enabled: false } });
  const set = await scene.agent.setModel(heldModel({ contextWindow: 16_000, model: "small" }));
  expect(set).toMatchObject({ type: "too-much", compaction: { type: "nothing-to-do", why: "off" } });
  expect(scene.agent.model).toBe(large);
});

test("FIT2 in mid-turn the next request goes to the new one", async () => {
  const first = heldModel();
  const second = heldModel({ model: "second" });
  const tool = heldTool("work");
  const scene = await stage(first, { tools: [tool] });
  const end = scene.prompt("Begin.");
  await quiet();
  const set = scene.agent.setModel(second);
  first.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("done");
  expect(await set).toEqual({ type: "set" });
  await quiet();
  second.waiting[0]?.end(text("Mine now."));
  expect(await end).toEqual({ type: "done" });
  expect(first.requests).toHaveLength(1);
});

test("FIT2 how hard to think is said between two requests, and holds for the next run too", async () => {
  const model = heldModel();
  const scene = await stage(model, { thinking: "low" });
  for (const level of ["high", null] as const) {
    const end = scene.prompt("Think.");
    await quiet();
    const set = level && scene.agent.setThinkingLevel(level);
    model.waiting[0]?.end(text("Thought."));
    await end;
    await set;
  }
  expect(model.requests.map(({ thinking }) => thinking)).toEqual(["low", "high"]);
});

test("FIT4 off stops what nobody asked for; asking still works", async () => {
  const model = heldModel({ contextWindow: 16_000 });
  const scene = await stage(model, { writers: [] });
  scene.agent.setAutoCompactionEnabled(false);
  for (let round = 0; round < 3; round += 1) {
    const end = scene.prompt(`${round} ${more}`);
    await quiet();
    model.waiting[0]?.end(text("Good."));
    await end;
  }
  expect(await talk(scene)).not.toContain("compaction");
  expect(await scene.agent.compact()).toMatchObject({ type: "compacted" });
});

test("FIT5 what goes on by itself is told again after a compaction", async () => {
  const model = heldModel();
  const tool = { ...heldTool("work"), ongoing: () => "job-1: npm run dev" };
  const scene = await full(model, { tools: [tool], writers: [] });
  await scene.agent.compact();
  const end = scene.prompt("And now?");
  await quiet();
  model.waiting[0]?.end(text("It runs."));
  await end;
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Still going on:\\njob-1: npm run dev");
});

test("RUN9 nobody moves while a run is under way; afterwards one can, and what is left is told", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const end = scene.prompt("Begin.");
  await quiet();
  const start = scene.agent.session.leaf;
  expect(await scene.agent.navigateTree(start)).toEqual({ type: "refused", why: "streaming" });
  model.waiting[0]?.end(text("Begun."));
  await end;
  expect(await scene.agent.navigateTree(start)).toMatchObject({ type: "moved", editorText: "Begin." });
});

async function full(model: ReturnType<typeof heldModel>, parts: Parameters<typeof stage>[1]): Promise<Stage> {
  const scene = await stage(model, parts);
  for (let round = 0; round < 4; round += 1) {
    const end = scene.prompt(`${round} ${more}`);
    await quiet();
    model.waiting[0]?.end(text("Good."));
    await end;
  }
  return scene;
}

/** A program that ended in the middle of a turn, and what the next one makes of it. */

import { emptyUsage } from "@pith/context/testing";
import { expect, test } from "vitest";
import type { PermissionCheck, ToolRequest } from "../../src/index.ts";
import { calls, heldModel, heldTool, quiet, reopened, type Stage, stage, talk, text } from "./held.ts";

/** A run that breaks off while a call of the tool is under way. */
async function brokenOff(isIdempotent: boolean): Promise<Stage> {
  const model = heldModel();
  const scene = await stage(model, { tools: [heldTool("work", { isIdempotent })] });
  void scene.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  return scene;
}

test("RUN8 what was running when the program ended is not run again, and the turn goes on", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const scene = await reopened(await brokenOff(false), { model, tools: [tool] }, "f");
  const end = scene.resume();
  await quiet();
  expect(tool.waiting).toEqual([]);
  model.waiting[0]?.end(text("I will look."));
  expect(await end).toEqual({ type: "done" });
  expect(await talk(scene)).toEqual([
    "user: Begin.",
    "assistant: [c1]",
    expect.stringMatching(/^c1 → it was running when the program ended; .* not run again/),
    "assistant: I will look.",
  ]);
});

test("RUN8 where somebody can be asked and says yes, it is run again", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const asked: ToolRequest[] = [];
  const permits: PermissionCheck = {
    permit: async (act) => {
      asked.push(act);
      return { type: "permitted" };
    },
  };
  const scene = await reopened(await brokenOff(false), { model, tools: [tool], permissions: permits }, "f");
  const end = scene.resume();
  await quiet();
  expect(asked).toEqual([{ tool: "work", arguments: {}, intent: null, isAgain: true }]);
  tool.waiting[0]?.end("done twice");
  await quiet();
  model.waiting[0]?.end(text("Good."));
  expect(await end).toEqual({ type: "done" });
  expect((await talk(scene)).slice(2)).toEqual(["c1 → done twice", "assistant: Good."]);
});

test("RUN8 what does no more when it is done twice is simply done again", async () => {
  const model = heldModel();
  const tool = heldTool("work", { isIdempotent: true });
  const scene = await reopened(await brokenOff(true), { model, tools: [tool] }, "f");
  const end = scene.resume();
  await quiet();
  tool.waiting[0]?.end("looked");
  await quiet();
  model.waiting[0]?.end(text("Good."));
  expect(await end).toEqual({ type: "done" });
  expect((await talk(scene)).slice(2)).toEqual(["c1 → looked", "assistant: Good."]);
});

test("RUN8 who says something new instead has the open calls answered, and hears of them", async () => {
  const model = heldModel();
  const scene = await reopened(await brokenOff(false), { model, tools: [heldTool("work")] }, "f");
  const end = scene.prompt("Leave it.");
  await quiet();
  model.waiting[0]?.end(text("Left."));
  expect(await end).toEqual({ type: "done" });
  expect((await talk(scene)).slice(2)).toEqual([
    expect.stringMatching(/^c1 → it was running when the program ended/),
    "user: Leave it.",
    "assistant: Left.",
  ]);
});

test("RUN8 a question that was never answered is asked again; where nothing is open there is nothing to do", async () => {
  const scene = await stage(heldModel());
  void scene.prompt("Are you there?");
  await quiet();
  const model = heldModel();
  const again = await reopened(scene, { model }, "f");
  const end = again.resume();
  await quiet();
  model.waiting[0]?.end(text("Yes."));
  expect(await end).toEqual({ type: "done" });
  expect(await again.resume()).toEqual({ type: "done" });
  expect(model.requests).toHaveLength(1);
});

test("RUN8 a call that was answered on another branch was run there, and is not run again", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const scene = await stage(model, { tools: [tool] });
  const end = scene.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("done");
  await quiet();
  model.waiting[0]?.end(text("Good."));
  await end;
  const reply = (await scene.agent.session.branchEntries()).find((entry) => entry.id.endsWith("-1-0"));
  await scene.agent.navigateTree(reply?.id ?? "");
  const again = scene.resume();
  await quiet();
  model.waiting[0]?.end(text("I will look."));
  expect(await again).toEqual({ type: "done" });
  expect(tool.ran).toEqual(["c1"]);
});

test("RUN8 of a reply that another program wrote nobody knows whether its calls were run", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const scene = await stage(model, { tools: [tool] });
  const call = { type: "toolCall", id: "c1", name: "work", arguments: {} } as const;
  const reply = { role: "assistant", content: [call], ...voiceOf(model), timestamp: 0 } as const;
  await scene.agent.session.append(
    { type: "message", message: { role: "user", content: "Begin.", timestamp: 0 } },
    { type: "message", message: { ...reply, usage: emptyUsage, stopReason: "toolUse" }, id: "1a2b3c4d" },
  );
  const end = scene.resume();
  await quiet();
  expect(tool.ran).toEqual([]);
  model.waiting[0]?.end(text("I will look."));
  expect(await end).toEqual({ type: "done" });
});

test("RUN8 a turn of which a compaction kept nothing, and whose reply was stopped, is taken up all the same", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const end = scene.prompt("Begin.");
  await quiet();
  const { session } = scene.agent;
  await session.append({
    type: "compaction",
    id: "k1",
    summary: "They began.",
    firstKeptEntryId: "k1",
    tokensBefore: 9,
  });
  await scene.agent.abort();
  await end;
  const again = scene.resume();
  await quiet();
  model.waiting[0]?.end(text("Here I am."));
  expect(await again).toEqual({ type: "done" });
  expect(model.requests).toHaveLength(2);
});

function voiceOf({ api, provider, model }: ReturnType<typeof heldModel>) {
  return { api, provider, model };
}

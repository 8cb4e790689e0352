/** Tests resuming a session whose program ended in the middle of a turn. */

import { emptyUsage } from "@pith/context/testing";
import { expect, test } from "vitest";
import type { PermissionCheck, ToolRequest } from "../../src/index.ts";
import {
  branchLines,
  calls,
  createTestAgent,
  heldModel,
  heldTool,
  quiet,
  reopenTestAgent,
  type TestAgent,
  text,
} from "../support/held-agent.ts";

/** A run that is interrupted while a tool call runs. */
async function brokenOff(isIdempotent: boolean): Promise<TestAgent> {
  const model = heldModel();
  const test = await createTestAgent(model, { tools: [heldTool("work", { isIdempotent })] });
  void test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  return test;
}

test("RUN8 does not repeat an interrupted call, and continues the turn", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const test = await reopenTestAgent(await brokenOff(false), { model, tools: [tool] }, "f");
  const end = test.resume();
  await quiet();
  expect(tool.waiting).toEqual([]);
  model.waiting[0]?.end(text("I will look."));
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(test)).toEqual([
    "user: Begin.",
    "assistant: [c1]",
    expect.stringMatching(/^c1 → interrupted: Pith ended while this call was running, .* not run again/),
    "assistant: I will look.",
  ]);
});

test("RUN8 repeats the call if the user permits it", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const toolRequests: ToolRequest[] = [];
  const permits: PermissionCheck = {
    permit: async (act) => {
      toolRequests.push(act);
      return { type: "permitted" };
    },
  };
  const test = await reopenTestAgent(await brokenOff(false), { model, tools: [tool], permissions: permits }, "f");
  const end = test.resume();
  await quiet();
  const recorded = { callId: "c1", entry: 2, arguments: {} };
  expect(toolRequests).toEqual([{ tool: "work", arguments: {}, intent: null, isAgain: true, recorded }]);
  tool.waiting[0]?.end("done twice");
  await quiet();
  model.waiting[0]?.end(text("Good."));
  expect(await end).toEqual({ type: "done" });
  expect((await branchLines(test)).slice(2)).toEqual(["c1 → done twice", "assistant: Good."]);
});

test("RUN8 repeats an interrupted call of an idempotent tool", async () => {
  const model = heldModel();
  const tool = heldTool("work", { isIdempotent: true });
  const test = await reopenTestAgent(await brokenOff(true), { model, tools: [tool] }, "f");
  const end = test.resume();
  await quiet();
  tool.waiting[0]?.end("looked");
  await quiet();
  model.waiting[0]?.end(text("Good."));
  expect(await end).toEqual({ type: "done" });
  expect((await branchLines(test)).slice(2)).toEqual(["c1 → looked", "assistant: Good."]);
});

test("RUN8 a new prompt closes the open calls with an error result", async () => {
  const model = heldModel();
  const test = await reopenTestAgent(await brokenOff(false), { model, tools: [heldTool("work")] }, "f");
  const end = test.prompt("Leave it.");
  await quiet();
  model.waiting[0]?.end(text("Left."));
  expect(await end).toEqual({ type: "done" });
  expect((await branchLines(test)).slice(2)).toEqual([
    expect.stringMatching(/^c1 → interrupted: Pith ended while this call was running/),
    "user: Leave it.",
    "assistant: Left.",
  ]);
});

test("RUN8 sends a request that has no reply; does nothing if nothing is open", async () => {
  const test = await createTestAgent(heldModel());
  void test.prompt("Are you there?");
  await quiet();
  const model = heldModel();
  const again = await reopenTestAgent(test, { model }, "f");
  const end = again.resume();
  await quiet();
  model.waiting[0]?.end(text("Yes."));
  expect(await end).toEqual({ type: "done" });
  expect(await again.resume()).toEqual({ type: "done" });
  expect(model.requests).toHaveLength(1);
});

test("RUN8 does not repeat a call that has a result on another branch", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const test = await createTestAgent(model, { tools: [tool] });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("done");
  await quiet();
  model.waiting[0]?.end(text("Good."));
  await end;
  const reply = (await test.agent.session.branchEntries()).find((entry) => entry.id.endsWith("-1-0"));
  await test.agent.navigateTree(reply?.id ?? "");
  const again = test.resume();
  await quiet();
  model.waiting[0]?.end(text("I will look."));
  expect(await again).toEqual({ type: "done" });
  expect(tool.ran).toEqual(["c1"]);
});

test("RUN8 does not repeat calls of a reply by another program", async () => {
  const model = heldModel();
  const tool = heldTool("work");
  const test = await createTestAgent(model, { tools: [tool] });
  const call = { type: "toolCall", id: "c1", name: "work", arguments: {} } as const;
  const reply = { role: "assistant", content: [call], ...modelNameOf(model), timestamp: 0 } as const;
  await test.agent.session.append(
    { type: "message", message: { role: "user", content: "Begin.", timestamp: 0 } },
    { type: "message", message: { ...reply, usage: emptyUsage, stopReason: "toolUse" }, id: "1a2b3c4d" },
  );
  const end = test.resume();
  await quiet();
  expect(tool.ran).toEqual([]);
  model.waiting[0]?.end(text("I will look."));
  expect(await end).toEqual({ type: "done" });
});

test("RUN8 resumes a turn whose aborted reply a compaction did not keep", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  const { session } = test.agent;
  await session.append({
    type: "compaction",
    id: "k1",
    summary: "They began.",
    firstKeptEntryId: "k1",
    tokensBefore: 9,
  });
  await test.agent.abort();
  await end;
  const again = test.resume();
  await quiet();
  model.waiting[0]?.end(text("Here I am."));
  expect(await again).toEqual({ type: "done" });
  expect(model.requests).toHaveLength(2);
});

function modelNameOf({ api, provider, model }: ReturnType<typeof heldModel>) {
  return { api, provider, model };
}

test.each([
  ["follow-ups, one at a time", [], ["Begun."]],
  ["follow-ups, and steering messages with its next request", ["Mind the tests."], ["Minded."]],
] as const)("RUN8 resume finishes the interrupted turn before it delivers %s", async (_, steering, begun) => {
  const test = await createTestAgent(heldModel());
  void test.prompt("Begin.");
  await quiet();
  await test.agent.followUp("First.");
  await test.agent.followUp("Second.");
  for (const words of steering) await test.agent.steer(words);
  const model = heldModel();
  const again = await reopenTestAgent(test, { model }, "f");
  const end = again.resume();
  for (const words of [...begun, "First done.", "Second done."]) {
    await quiet();
    model.waiting[0]?.end(text(words));
  }
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(again)).toEqual([
    "user: Begin.",
    ...steering.map((words) => `user: ${words}`),
    ...begun.map((words) => `assistant: ${words}`),
    "user: First.",
    "assistant: First done.",
    "user: Second.",
    "assistant: Second done.",
  ]);
});

test("RUN8 resume delivers messages that were queued without a run one at a time", async () => {
  const test = await createTestAgent(heldModel());
  await test.agent.followUp("First.");
  await test.agent.followUp("Second.");
  const model = heldModel();
  const again = await reopenTestAgent(test, { model }, "f");
  const end = again.resume();
  for (const words of ["First done.", "Second done."]) {
    await quiet();
    model.waiting[0]?.end(text(words));
  }
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(again)).toEqual([
    "user: First.",
    "assistant: First done.",
    "user: Second.",
    "assistant: Second done.",
  ]);
});

test("RUN8 resume begins a turn with the oldest message; steering messages that were queued after a follow-up belong to its turn", async () => {
  const test = await createTestAgent(heldModel());
  await test.agent.followUp("First.");
  await test.agent.followUp("Second.");
  await test.agent.steer("And this.");
  const model = heldModel();
  const again = await reopenTestAgent(test, { model }, "f");
  const end = again.resume();
  for (const words of ["First done.", "Second done."]) {
    await quiet();
    model.waiting[0]?.end(text(words));
  }
  expect(await end).toEqual({ type: "done" });
  expect(await branchLines(again)).toEqual([
    "user: First.",
    "user: And this.",
    "assistant: First done.",
    "user: Second.",
    "assistant: Second done.",
  ]);
});

test("RUN21 the ids of replies and results depend on the log alone, whoever resumes it and however often", async () => {
  const test = await createTestAgent(heldModel());
  void test.prompt("Begin.");
  await quiet();
  const resumeOnce = async (prefix: string): Promise<readonly string[]> => {
    const model = heldModel();
    const tool = heldTool("work", { isIdempotent: true });
    const again = await reopenTestAgent(test, { model, tools: [tool] }, prefix);
    const end = again.resume();
    await quiet();
    model.waiting[0]?.end(calls("work", "c1"));
    await quiet();
    tool.waiting[0]?.end("looked");
    // The next process continues after the result.
    await quiet();
    const last = heldModel();
    const later = await reopenTestAgent(again, { model: last, tools: [tool] }, `${prefix}x`);
    const done = later.resume();
    await quiet();
    last.waiting[0]?.end(text("Good."));
    expect(await done).toEqual({ type: "done" });
    await again.agent.abort();
    await end;
    return (await later.agent.session.branchEntries()).map(({ id }) => id);
  };
  const [begin = "", ...ids] = await resumeOnce("f");
  expect(ids.slice(-3)).toEqual([`${begin}-1-0`, `${begin}-1-0-0`, `${begin}-2-0`]);
  expect(await resumeOnce("g")).toEqual([begin, ...ids]);
});

test("RUN21 a reply after a move back gets an id that no other branch has", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(text("One way."));
  await end;
  const [begin] = await test.agent.session.branchEntries();
  await test.agent.session.move(begin?.id ?? null);
  const again = test.resume();
  await quiet();
  model.waiting[0]?.end(text("Another way."));
  expect(await again).toEqual({ type: "done" });
  const leaf = test.agent.session.leaf;
  expect((await test.agent.session.branchEntries()).at(-1)).toMatchObject({ id: leaf, type: "message" });
  expect(leaf).not.toBe(`${begin?.id}-1-0`);
});

/** Tests the events of a run and their order. */

import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/index.ts";
import { calls, createTestAgent, heldModel, heldTool, quiet, text } from "../support/held-agent.ts";

test("RUN12 emits the events of a run from agent_start to agent_settled, with pi's names", async () => {
  const model = heldModel();
  const tool = heldTool("work", { isIdempotent: true });
  const test = await createTestAgent(model, { tools: [tool] });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("done");
  await quiet();
  model.waiting[0]?.end(text("All done."));
  await end;
  expect(test.events.map(shown)).toEqual([
    "agent_start",
    "entry_appended message",
    "message_start user",
    "message_end user",
    "turn_start",
    "message_start assistant",
    "entry_appended message",
    "message_end assistant",
    "tool_execution_start c1",
    "entry_appended message",
    "tool_execution_end c1",
    "turn_end",
    "turn_start",
    "message_start assistant",
    "entry_appended message",
    "message_end assistant",
    "turn_end",
    "agent_end",
    "agent_settled",
  ]);
  expect(test.events.at(-2)).toMatchObject({
    messages: [{ role: "user" }, { role: "assistant" }, { role: "toolResult" }, { role: "assistant" }],
  });
});

test("RUN12 a failed turn also emits turn_end, with the emitted reply", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end({ failure: { kind: "refused", message: "bad request" } });
  expect(await end).toEqual({ type: "failed", why: "bad request" });
  const message = { role: "assistant", stopReason: "error", errorMessage: "bad request" };
  expect(test.events.slice(-4)).toMatchObject([
    { type: "message_end", message },
    { type: "turn_end", message, toolResults: [] },
    { type: "agent_end", messages: [{ role: "user" }, message] },
    { type: "agent_settled" },
  ]);
});

test("RUN12 emits each entry once, through compactions and moves", async () => {
  const model = heldModel({ contextWindow: 8_192 });
  const test = await createTestAgent(model, { summarizers: [] });
  for (let round = 0; round < 12; round += 1) {
    const end = test.prompt(`${round} ${"Here is more of it. ".repeat(300)}`);
    await quiet();
    model.waiting[0]?.end(text("Good."));
    await end;
  }
  const entryIds = test.events.flatMap((event) => (event.type === "entry_appended" ? [event.entry.id] : []));
  const written = (await test.agent.session.branchEntries()).map(({ id }) => id);
  expect(entryIds).toEqual(written);
  expect(test.events.some(({ type }) => type === "compaction_end")).toBe(true);
});

test("RUN12 retry events have the number of the attempt and its result", async () => {
  const model = heldModel();
  const test = await createTestAgent({
    ...model,
    async *stream(request, act) {
      yield { type: "reply-restarted", failure: { kind: "busy", message: "slow down" }, waitMs: 50, maxAttempts: 6 };
      yield* model.stream(request, act);
    },
  });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(text("Here."));
  await end;
  expect(test.events.filter(({ type }) => type.startsWith("auto_retry"))).toEqual([
    { type: "auto_retry_start", attempt: 1, maxAttempts: 6, delayMs: 50, errorMessage: "slow down" },
    { type: "auto_retry_end", attempt: 1, success: true },
  ]);
});

test("RUN12 the events of a streamed reply have the id of the entry that it becomes", async () => {
  const model = heldModel();
  const test = await createTestAgent({
    ...model,
    async *stream(request, act) {
      yield { type: "text-delta", text: "He" };
      yield { type: "text-delta", text: "re." };
      yield* model.stream(request, act);
    },
  });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(text("Here."));
  await end;
  const entry = test.agent.session.branch.entries.at(-1);
  const ids = test.events.flatMap((event) =>
    event.type === "message_start" || event.type === "message_update" || event.type === "message_end"
      ? [[event.type, event.replyId]]
      : [],
  );
  expect(ids.slice(0, 2)).toEqual([
    ["message_start", undefined],
    ["message_end", undefined],
  ]);
  expect(ids[2]).toEqual(["message_start", entry?.id]);
  expect(new Set(ids.slice(2).map(([, id]) => id))).toEqual(new Set([entry?.id]));
  expect(ids.map(([type]) => type)).toContain("message_update");
});

function shown(event: AgentEvent): string {
  switch (event.type) {
    case "entry_appended":
      return `${event.type} ${event.entry.type}`;
    case "message_start":
    case "message_end":
      return `${event.type} ${event.message.role}`;
    case "tool_execution_start":
    case "tool_execution_end":
      return `${event.type} ${event.toolCallId}`;
    default:
      return event.type;
  }
}

/** Tests that a stopped call keeps its output and is not a failure, and that questions to the user are not the tool's time. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Runtime, ToolResultMessage } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { type AgentEvent, bashTool, type PermissionCheck, readCallOutcome, type Tool } from "../../src/index.ts";
import { nodeShell } from "../../src/node/shell.ts";
import { folder, shellIn } from "../support/bash-tool.ts";
import { calls, createTestAgent, heldModel, quiet, type TestAgent, text } from "../support/held-agent.ts";

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({
  content: [{ type: "toolCall" as const, id: "c1", name, arguments: args }],
});

type ToolEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

function endOf({ events }: TestAgent): ToolEnd {
  const end = events.find((event) => event.type === "tool_execution_end");
  if (end?.type !== "tool_execution_end") throw new Error("no call has ended");
  return end;
}

function textOf({ content }: ToolResultMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

test.each([
  ["that ends at once", "echo before; sleep 60"],
  ["that ignores SIGTERM", "trap '' TERM; echo before; while :; do sleep 0.1; done"],
])(
  "RUN18 a stopped command %s keeps its output for the model, and counts as stopped, not failed",
  async (_, command) => {
    const model = heldModel();
    const test = await createTestAgent(model, { runtime: nodeRuntime, tools: [bashTool(shellIn(folder()))] });
    const run = test.prompt("Work.");
    await quiet();
    model.waiting[0]?.end(call("bash", { command }));
    await until(() => test.events.some(({ type }) => type === "tool_execution_update"));
    await test.agent.abort();
    await run;
    const { result } = endOf(test);
    expect(textOf(result)).toBe("before\n\ncommand stopped by the user");
    expect(readCallOutcome(result)).toBe("stopped");
    const next = test.prompt("And?");
    await until(() => model.waiting.length > 0);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("before\\n\\ncommand stopped by the user");
    model.waiting[0]?.end(text("Stopped."));
    await next;
  },
);

test("RUN18 the newest output of a tool that ignores a stop is kept", async () => {
  const deaf: Tool = {
    ...{ name: "work", description: "Works.", parameters: { type: "object" }, isIdempotent: true },
    run: ({ update }) => {
      update("half of it");
      return new Promise(() => {});
    },
  };
  const model = heldModel();
  const test = await createTestAgent(model, { runtime: nodeRuntime, tools: [deaf] });
  const run = test.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  await test.agent.abort();
  await run;
  expect(textOf(endOf(test).result)).toBe(
    "half of it\n\nstopped by the user; the tool may still be running for a moment",
  );
  expect(readCallOutcome(endOf(test).result)).toBe("stopped");
});

test("RUN18 a denied call counts as denied, not failed", async () => {
  const work: Tool = {
    ...{ name: "bash", description: "Works.", parameters: { type: "object" }, isIdempotent: true },
    run: async () => ({ content: [{ type: "text", text: "done" }] }),
  };
  const permissions: PermissionCheck = { permit: async () => ({ type: "refused", why: "the user did not permit it" }) };
  const model = heldModel();
  const test = await createTestAgent(model, { runtime: nodeRuntime, tools: [work], permissions });
  const run = test.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(call("bash", { command: "npm test" }));
  await until(() => test.events.some(({ type }) => type === "tool_execution_end"));
  const { result } = endOf(test);
  expect(readCallOutcome(result)).toBe("denied");
  expect(readCallOutcome({ details: {}, isError: true })).toBe("failed");
  expect(readCallOutcome({ details: {}, isError: false })).toBe("succeeded");
  await until(() => model.waiting.length > 0);
  model.waiting[0]?.end(text("I see."));
  await run;
});

const HOUR_MS = 3_600_000;

/** A clock that a test can set forward. */
function movableClock(): { addedMs: number; readonly runtime: Runtime } {
  const clock = { addedMs: 0, runtime: { ...nodeRuntime, now: () => nodeRuntime.now() + clock.addedMs } };
  return clock;
}

test("RUN17 the time of a call starts when it is permitted, after the question", async () => {
  const clock = movableClock();
  const asking = Promise.withResolvers<void>();
  const permissions: PermissionCheck = {
    permit: async () => {
      await asking.promise;
      clock.addedMs += HOUR_MS;
      return { type: "permitted" };
    },
  };
  const model = heldModel();
  const test = await createTestAgent(model, {
    runtime: clock.runtime,
    permissions,
    tools: [bashTool(shellIn(folder()))],
  });
  const run = test.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(call("bash", { command: "true" }));
  await quiet();
  expect(test.events.some(({ type }) => type === "tool_execution_start")).toBe(false);
  asking.resolve();
  await until(() => model.waiting.length > 0);
  expect(endOf(test).durationMs).toBeLessThan(HOUR_MS);
  model.waiting[0]?.end(text("Done."));
  await run;
});

test("RUN17 a question while a command runs pauses its timeout and its duration", async () => {
  const clock = movableClock();
  const root = folder();
  const shell = nodeShell({ root, environment: { PATH: process.env.PATH } });
  const asking: Tool = bashTool({
    run: async (command, options) => {
      await options.waitForUser?.(async () => {
        clock.addedMs += HOUR_MS;
      });
      return await shell.run(command, options);
    },
  });
  const model = heldModel();
  const test = await createTestAgent(model, { runtime: clock.runtime, tools: [asking] });
  const run = test.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(call("bash", { command: "true" }));
  await until(() => model.waiting.length > 0);
  expect(endOf(test).durationMs).toBeLessThan(HOUR_MS);
  model.waiting[0]?.end(text("Done."));
  await run;
});

test("RUN17 a refused call has a start and an end event, and no duration", async () => {
  const permissions: PermissionCheck = { permit: async () => ({ type: "refused", why: "not permitted" }) };
  const model = heldModel();
  const test = await createTestAgent(model, { permissions, tools: [bashTool(shellIn(folder()))] });
  const run = test.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(call("bash", { command: "true" }));
  await until(() => model.waiting.length > 0);
  const types = test.events.map(({ type }) => type).filter((type) => type.startsWith("tool_"));
  expect(types).toEqual(["tool_execution_start", "tool_execution_end"]);
  model.waiting[0]?.end(text("Done."));
  await run;
});

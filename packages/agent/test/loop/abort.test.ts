/** Tests aborts at every place where a run waits: it ends at once, nothing starts, and the entries stay. */

import { expect, test } from "vitest";
import type { AgentOptions, RunEnd } from "../../src/index.ts";
import {
  branchLines,
  calls,
  createTestAgent,
  type HeldTool,
  heldModel,
  heldTool,
  heldWriter,
  quiet,
  type TestAgent,
  text,
  tooLong,
} from "../support/held-agent.ts";
import { countWaiting } from "../support/served-agents.ts";

let isReached = false;

/** A call that never ends. */
function stay(): Promise<never> {
  isReached = true;
  return new Promise(() => {});
}

interface BegunRun {
  readonly test: TestAgent;
  readonly end: Promise<RunEnd>;
  /** The sum of the waits of the agent that were not aborted. */
  readonly waitedMs: () => number;
}

/** Each starts a run that waits at this place. */
const places: Readonly<Record<string, () => Promise<BegunRun>>> = {
  "a reply": () => begun({}),
  "a model that ignores the abort": () => begun({ model: deaf() }),
  "a tool": () => begun({ tools: [heldTool("work")] }, "calls"),
  "a tool that ignores the abort": () => begun({ tools: [{ ...heldTool("work"), run: stay }] }, "calls"),
  "a permission": () => begun({ tools: [heldTool("work")], permissions: { permit: stay } }, "calls"),
  "a hook": () => begun({ hooks: { context: [stay] } }),
  "a compaction": () => begun({ summarizers: [heldWriter()] }, "overflow"),
  "a compaction whose writer does not listen": () =>
    begun({ summarizers: [{ name: "deaf", isPaid: false, summarize: stay }] }, "overflow"),
  "a hook before a compaction": () => begun({ hooks: { session_before_compact: [stay] } }, "overflow"),
};

test.each(Object.entries(places))(
  "RUN5 an abort while the run waits for %s ends it within 200 ms, and nothing more starts",
  async (_, place) => {
    const { test: scene, end, waitedMs } = await place();
    const before = waitedMs();
    const settled = scene.agent.abort();
    expect(await end).toEqual({ type: "aborted" });
    await settled;
    expect(waitedMs() - before).toBeLessThan(200);
    expect(scene.events.at(-1)).toEqual({ type: "agent_settled", aborted: true });
    const length = (await scene.agent.session.branchEntries()).length;
    await quiet();
    expect((await scene.agent.session.branchEntries()).length).toBe(length);
    expect(scene.agent.session.busyReasons).toEqual([]);
  },
);

test("RUN5 an incomplete reply stays in the log, and the next run continues after it", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Talk.");
  await quiet();
  await test.agent.abort();
  await end;
  const next = test.prompt("Go on.");
  await quiet();
  model.waiting[0]?.end(text("On I go."));
  expect(await next).toEqual({ type: "done" });
  expect(await branchLines(test)).toEqual(["user: Talk.", "assistant: half a", "user: Go on.", "assistant: On I go."]);
});

test("RUN5 a reader that returns early aborts the run, and the next run waits for its end", async () => {
  const model = heldModel();
  const { agent } = await createTestAgent(model);
  for await (const { type } of agent.prompt("Talk.")) if (type === "message_start") break;
  expect(agent.isRunning).toBe(false);
  expect(agent.session.busyReasons).toEqual([]);
});

test("RUN5 a reader of events can call abort and await it", async () => {
  const { agent } = await createTestAgent(heldModel());
  const events: string[] = [];
  for await (const { type } of agent.prompt("Talk.")) {
    events.push(type);
    if (type === "message_start" && events.filter((each) => each === type).length === 2) await agent.abort();
  }
  expect(events.at(-1)).toBe("agent_settled");
});

/** Replies like another model, except to the last request. */
function deaf(): ReturnType<typeof heldModel> {
  const model = heldModel();
  const silence = { [Symbol.asyncIterator]: () => ({ next: stay }) };
  return { ...model, stream: (request, act) => (isTime ? silence : model.stream(request, act)) };
}

/** A session long enough to be compacted, and a run in it that waits. */
async function begun(parts: Partial<AgentOptions>, first?: "calls" | "overflow"): Promise<BegunRun> {
  const model = (parts.model as ReturnType<typeof heldModel>) ?? heldModel();
  const { hooks, ...quick } = parts;
  const { runtime, waitedMs } = countWaiting();
  const test = await createTestAgent(model, { runtime, ...quick, ...(hooks && { hooks: later(hooks) }) });
  for (let round = 0; round < 4; round += 1) {
    const run = test.prompt(`Part ${round}.`);
    await until(() => model.waiting.length > 0);
    model.waiting[0]?.end(text("Here is more of it. ".repeat(1_000)));
    await run;
  }
  [isTime, isReached] = [true, false];
  const end = test.prompt("Now.");
  const isHeld = (part: object): boolean => "waiting" in part && (part as HeldTool).waiting.length > 0;
  if (first) {
    await until(() => isHeld(model));
    model.waiting[0]?.end(first === "calls" ? calls("work", "c1") : tooLong);
  }
  await until(() => isReached || [model, ...(parts.tools ?? []), ...(parts.summarizers ?? [])].some(isHeld));
  isTime = false;
  return { test, end, waitedMs };
}

let isTime = false;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

/** Hooks that return nothing until they are released. */
function later(hooks: NonNullable<AgentOptions["hooks"]>): NonNullable<AgentOptions["hooks"]> {
  const wait = (list: readonly ((event: never) => unknown)[] = []) =>
    list.map((hook) => (event: never) => (isTime ? hook(event) : undefined));
  return {
    ...(hooks.context && { context: wait(hooks.context) as never }),
    ...(hooks.session_before_compact && { session_before_compact: wait(hooks.session_before_compact) as never }),
  };
}

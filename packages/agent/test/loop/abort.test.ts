/** Tests aborts at every place where a run waits: it ends at once, nothing starts, and the entries stay. */

import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import type { AgentOptions, RunEnd } from "../../src/index.ts";
import { calls, heldModel, heldTool, heldWriter, quiet, type Stage, stage, talk, text, tooLong } from "./held.ts";

const never = new Promise<never>(() => {});

/** Each starts a run that waits at this place. */
const places: Readonly<Record<string, () => Promise<{ readonly scene: Stage; readonly end: Promise<RunEnd> }>>> = {
  "a reply": () => begun({}),
  "a model that does not listen": () => begun({ model: deaf() }),
  "a tool": () => begun({ tools: [heldTool("work")] }, "calls"),
  "a tool that does not listen": () => begun({ tools: [{ ...heldTool("work"), run: () => never }] }, "calls"),
  "a permission": () => begun({ tools: [heldTool("work")], permissions: { permit: () => never } }, "calls"),
  "a hook": () => begun({ hooks: { context: [() => never] } }),
  "a compaction": () => begun({ summarizers: [heldWriter()] }, "overflow"),
  "a compaction whose writer does not listen": () =>
    begun({ summarizers: [{ route: "deaf", isPaid: false, summarize: () => never }] }, "overflow"),
  "a hook before a compaction": () => begun({ hooks: { session_before_compact: [() => never] } }, "overflow"),
};

test.each(Object.entries(places))(
  "RUN5 aborted while it waits for %s, it ends within 200 ms, and nothing more starts",
  // On a busy machine it may have to wait for its turn.
  { retry: 2 },
  async (_, place) => {
    const { scene, end } = await place();
    const before = performance.now();
    const settled = scene.agent.abort();
    expect(await end).toEqual({ type: "aborted" });
    await settled;
    expect(performance.now() - before).toBeLessThan(200);
    expect(scene.events.at(-1)).toEqual({ type: "agent_settled", aborted: true });
    const length = (await scene.agent.session.branchEntries()).length;
    await quiet();
    expect((await scene.agent.session.branchEntries()).length).toBe(length);
    expect(scene.agent.session.busyReasons).toEqual([]);
  },
);

test("RUN5 an incomplete reply stays in the log, and the next run continues after it", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const end = scene.prompt("Talk.");
  await quiet();
  await scene.agent.abort();
  await end;
  const next = scene.prompt("Go on.");
  await quiet();
  model.waiting[0]?.end(text("On I go."));
  expect(await next).toEqual({ type: "done" });
  expect(await talk(scene)).toEqual(["user: Talk.", "assistant: half a", "user: Go on.", "assistant: On I go."]);
});

test("RUN5 a reader that returns early aborts the run, and the next run waits for its end", async () => {
  const model = heldModel();
  const { agent } = await stage(model);
  for await (const { type } of agent.prompt("Talk.")) if (type === "message_start") break;
  expect(agent.isRunning).toBe(false);
  expect(agent.session.busyReasons).toEqual([]);
});

test("RUN5 a reader of events can call abort and await it", async () => {
  const { agent } = await stage(heldModel());
  const seen: string[] = [];
  for await (const { type } of agent.prompt("Talk.")) {
    seen.push(type);
    if (type === "message_start" && seen.filter((each) => each === type).length === 2) await agent.abort();
  }
  expect(seen.at(-1)).toBe("agent_settled");
});

/** Replies like another model, except to the last request. */
function deaf(): ReturnType<typeof heldModel> {
  const model = heldModel();
  const silence = { [Symbol.asyncIterator]: () => ({ next: () => never }) };
  return { ...model, stream: (asked, act) => (isTime ? silence : model.stream(asked, act)) };
}

/** A session long enough to be compacted, and a run in it that waits. */
async function begun(
  parts: Partial<AgentOptions>,
  first?: "calls" | "overflow",
): Promise<{ readonly scene: Stage; readonly end: Promise<RunEnd> }> {
  const model = (parts.model as ReturnType<typeof heldModel>) ?? heldModel();
  const { hooks, ...quick } = parts;
  const scene = await stage(model, { runtime: nodeRuntime, ...quick, ...(hooks && { hooks: later(hooks) }) });
  for (let round = 0; round < 4; round += 1) {
    const said = scene.prompt(`Part ${round}.`);
    await quiet();
    model.waiting[0]?.end(text("Here is more of it. ".repeat(1_000)));
    await said;
  }
  isTime = true;
  const end = scene.prompt("Now.");
  await quiet();
  if (first) model.waiting[0]?.end(first === "calls" ? calls("work", "c1") : tooLong);
  await quiet();
  isTime = false;
  return { scene, end };
}

let isTime = false;

/** Hooks that return nothing until they are released. */
function later(hooks: NonNullable<AgentOptions["hooks"]>): NonNullable<AgentOptions["hooks"]> {
  const wait = (list: readonly ((event: never) => unknown)[] = []) =>
    list.map((hook) => (event: never) => (isTime ? hook(event) : undefined));
  return {
    ...(hooks.context && { context: wait(hooks.context) as never }),
    ...(hooks.session_before_compact && { session_before_compact: wait(hooks.session_before_compact) as never }),
  };
}

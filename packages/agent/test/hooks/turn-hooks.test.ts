/** Tests hooks/turn-hooks.ts: entries that hooks append between requests and before a run ends, and requests that they cause. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { createScene, customMessage, type Scene, workCall } from "./hook-scene.ts";

type TurnEnd = NonNullable<AgentHooks["turn_end"]>[number];

test("SAY7 entries are recorded before the next request, which has those for the model", async () => {
  const state = { type: "custom", customType: "mine", data: { at: 1 } } as const;
  const hook: TurnEnd = ({ toolResults }) =>
    toolResults.length > 0 ? { entries: [customMessage("Look again."), state] } : undefined;
  const { prompt, log, requestText } = await createScene([workCall(), "Done."], { turn_end: [hook] });
  await prompt("Begin.");
  assert.match(requestText(1), /worked.*Look again\./);
  assert.doesNotMatch(requestText(1), /"at":1/);
  assert.deepEqual((await log()).map(entryKind).slice(-4), ["toolResult", "custom_message", "custom", "assistant"]);
});

test("SAY7 an edit replaces content for the model; a call keeps its result", async () => {
  const scenes: (() => Promise<readonly Entry[]>)[] = [];
  const hook: TurnEnd = async ({ toolResults }) => {
    const result = (await scenes[0]?.())?.find((entry) => entryKind(entry) === "toolResult");
    if (toolResults.length === 0 || !result) return undefined;
    const content = [{ type: "text", text: "(shortened)" }] as const;
    return { entries: [{ type: "context_edit", targetId: result.id, replacement: { content } }] };
  };
  const { prompt, log, requestText, failures } = await createScene([workCall(), "Done."], { turn_end: [hook] });
  scenes.push(log);
  await prompt("Begin.");
  assert.deepEqual(failures, []);
  assert.match(requestText(1), /c1.*\(shortened\)/);
  assert.doesNotMatch(requestText(1), /worked/);
});

test("SAY7 reserved types, unknown targets and too many tokens are refused completely and reported", async () => {
  const wrong = [
    [{ type: "custom", customType: "pith.leaf" }],
    [customMessage("fine"), { type: "context_edit", targetId: "nowhere", replacement: null }],
    [customMessage("word ".repeat(100_000))],
  ];
  const hooks = wrong.map((entries) => () => ({ entries }) as unknown as ReturnType<TurnEnd>);
  const { prompt, log, failures } = await createScene(["Done."], { turn_end: hooks });
  await prompt("Begin.");
  assert.equal(failures.length, 3);
  assert.deepEqual((await log()).map(entryKind), ["user", "assistant"]);
});

test("SAY8 a hook can continue the run at most 20 times without a user message", async () => {
  const replies = Array.from({ length: 60 }, (_, at) => `Said ${at}.`);
  for (const name of ["turn_end", "agent_before_settle"] as const) {
    const { prompt, model, failures } = await createScene(replies, { [name]: [() => ({ continue: true })] });
    assert.deepEqual(await prompt("Begin."), { type: "done" });
    assert.equal(model.requests.length, 21);
    assert.deepEqual(
      failures.map(({ event }) => event),
      [name],
    );
    assert.deepEqual(await prompt("Once more."), { type: "done" });
    assert.equal(model.requests.length, 42);
    // Some providers reject a request that ends with a reply.
    assert.ok(model.requests.every(({ messages }) => messages.at(-1)?.role === "user"));
  }
});

test("SAY8 a message from an extension does not count as a user message", async () => {
  const replies = Array.from({ length: 60 }, (_, at) => `Said ${at}.`);
  const scenes: Scene[] = [];
  let callCount = 0;
  const hook = async () => {
    const steering = { kind: "steer", content: "Go on.", custom: { customType: "mine", display: true } } as const;
    if (callCount++ < 5) await scenes[0]?.agent.sendCustomMessage(steering);
    return { continue: true };
  };
  const scene = await createScene(replies, { agent_before_settle: [hook] });
  scenes.push(scene);
  assert.deepEqual(await scene.prompt("Begin."), { type: "done" });
  assert.equal(scene.model.requests.length, 21);
  await scene.agent.sendCustomMessage({
    kind: "steer",
    content: "Go on.",
    custom: { customType: "mine", display: true },
  });
  assert.deepEqual(await scene.resume(), { type: "done" });
  assert.equal(scene.model.requests.length, 22);
});

test("SAY1 hooks are called even if the details of a tool are not JSON", async () => {
  const received: unknown[] = [];
  const tool = {
    ...{ name: "work", description: "It works.", parameters: { type: "object" }, isIdempotent: true },
    run: async () => ({ content: [{ type: "text" as const, text: "worked" }], details: { of: 1, look: () => 5 } }),
  };
  const hook: TurnEnd = ({ toolResults }) => void received.push(...toolResults.map(({ details }) => details));
  const { prompt } = await createScene([workCall(), "Done."], { turn_end: [hook] }, { tools: [tool] });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.deepEqual(received, [{ of: 1 }]);
});

test("SAY8 a hook can send a message to the model before the run ends", async () => {
  const hook: NonNullable<AgentHooks["agent_before_settle"]>[number] = ({ end }) => {
    assert.deepEqual(end, { type: "done" });
    return callCount++ === 0 ? { entries: [customMessage("And the tests?")], continue: true } : undefined;
  };
  let callCount = 0;
  const { prompt, requestText, model } = await createScene(["Done.", "They pass."], { agent_before_settle: [hook] });
  await prompt("Begin.");
  assert.equal(model.requests.length, 2);
  assert.match(requestText(1), /Done\..*And the tests\?/);
  assert.doesNotMatch(requestText(1), /\(continue\)/);
});

test("SAY9 a compaction from a hook runs the same code as all others", async () => {
  const long = "This is what it is about. ".repeat(2_000);
  let entries: readonly Entry[] = [];
  const hook = (): ReturnType<TurnEnd> => {
    const kept = entries.at(-1);
    if (!kept) return undefined;
    return {
      entries: [
        { type: "compaction", summary: "## Progress\n- All of it.", firstKeptEntryId: kept.id, tokensBefore: 0 },
      ],
    };
  };
  const { prompt, log, events, failures } = await createScene([long, long, long, long, long, "Done."], {
    turn_end: [hook],
  });
  await prompt("Begin.");
  for (const words of ["Go on.", "More.", "More yet."]) await prompt(words);
  await prompt("And this.");
  entries = (await log()).filter((entry) => entryKind(entry) === "user");
  await prompt("Now.");
  const made = (await log()).filter((entry) => entry.type === "compaction");
  assert.deepEqual(failures, []);
  assert.equal(made.length, 1);
  assert.ok(made[0]?.type === "compaction" && made[0].fromHook && made[0].summary.includes("All of it."));
  assert.ok(events.some((event) => event.type === "compaction_end" && event.result));
});

function entryKind(entry: Entry): string {
  return entry.type === "message" ? entry.message.role : entry.type;
}

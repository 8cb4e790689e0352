/** Between two requests, and before a run comes to rest: what hooks put into the log, and that they may have the model go on. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { calling, remark, type Scene, spoken } from "./hook-scene.ts";

type TurnEnd = NonNullable<AgentHooks["turn_end"]>[number];

test("SAY7 entries stand in the log before the next request, which shows what is for the model", async () => {
  const state = { type: "custom", customType: "mine", data: { at: 1 } } as const;
  const hook: TurnEnd = ({ toolResults }) =>
    toolResults.length > 0 ? { entries: [remark("Look again."), state] } : undefined;
  const { prompt, log, shown } = await spoken([calling(), "Done."], { turn_end: [hook] });
  await prompt("Begin.");
  assert.match(shown(1), /worked.*Look again\./);
  assert.doesNotMatch(shown(1), /"at":1/);
  assert.deepEqual((await log()).map(kind).slice(-4), ["toolResult", "custom_message", "custom", "assistant"]);
});

test("SAY7 an edit takes what the model sees out of its sight; a call keeps its result", async () => {
  const scenes: (() => Promise<readonly Entry[]>)[] = [];
  const hook: TurnEnd = async ({ toolResults }) => {
    const result = (await scenes[0]?.())?.find((entry) => kind(entry) === "toolResult");
    if (toolResults.length === 0 || !result) return undefined;
    const content = [{ type: "text", text: "(shortened)" }] as const;
    return { entries: [{ type: "context_edit", targetId: result.id, replacement: { content } }] };
  };
  const { prompt, log, shown, reported } = await spoken([calling(), "Done."], { turn_end: [hook] });
  scenes.push(log);
  await prompt("Begin.");
  assert.deepEqual(reported, []);
  assert.match(shown(1), /c1.*\(shortened\)/);
  assert.doesNotMatch(shown(1), /worked/);
});

test("SAY7 what is Pith's own, what is not in sight and what is too much is refused, whole, and reported", async () => {
  const wrong = [
    [{ type: "custom", customType: "pith.leaf" }],
    [remark("fine"), { type: "context_edit", targetId: "nowhere", replacement: null }],
    [remark("word ".repeat(100_000))],
  ];
  const hooks = wrong.map((entries) => () => ({ entries }) as unknown as ReturnType<TurnEnd>);
  const { prompt, log, reported } = await spoken(["Done."], { turn_end: hooks });
  await prompt("Begin.");
  assert.equal(reported.length, 3);
  assert.deepEqual((await log()).map(kind), ["user", "assistant"]);
});

test("SAY8 a hook may have the model go on: so often, and then somebody must say something", async () => {
  const replies = Array.from({ length: 60 }, (_, at) => `Said ${at}.`);
  for (const name of ["turn_end", "agent_before_settle"] as const) {
    const { prompt, model, reported } = await spoken(replies, { [name]: [() => ({ continue: true })] });
    assert.deepEqual(await prompt("Begin."), { type: "done" });
    assert.equal(model.requests.length, 21);
    assert.deepEqual(
      reported.map(({ event }) => event),
      [name],
    );
    assert.deepEqual(await prompt("Once more."), { type: "done" });
    assert.equal(model.requests.length, 42);
    // Some providers refuse a request that ends with a reply.
    assert.ok(model.requests.every(({ messages }) => messages.at(-1)?.role === "user"));
  }
});

test("SAY8 what an extension itself says is no word from anybody", async () => {
  const replies = Array.from({ length: 60 }, (_, at) => `Said ${at}.`);
  const scenes: Scene[] = [];
  let asked = 0;
  const hook = async () => {
    const said = { kind: "steer", content: "Go on.", custom: { customType: "mine", display: true } } as const;
    if (asked++ < 5) await scenes[0]?.agent.sendCustomMessage(said);
    return { continue: true };
  };
  const scene = await spoken(replies, { agent_before_settle: [hook] });
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

test("SAY1 what a tool tells that is no JSON keeps no hook from being asked", async () => {
  const heard: unknown[] = [];
  const tool = {
    ...{ name: "work", description: "It works.", parameters: { type: "object" }, isIdempotent: true },
    run: async () => ({ content: [{ type: "text" as const, text: "worked" }], details: { of: 1, look: () => 5 } }),
  };
  const hook: TurnEnd = ({ toolResults }) => void heard.push(...toolResults.map(({ details }) => details));
  const { prompt } = await spoken([calling(), "Done."], { turn_end: [hook] }, { tools: [tool] });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.deepEqual(heard, [{ of: 1 }]);
});

test("SAY8 before it comes to rest a hook may say something to the model, and it is heard", async () => {
  const hook: NonNullable<AgentHooks["agent_before_settle"]>[number] = ({ end }) => {
    assert.deepEqual(end, { type: "done" });
    return asked++ === 0 ? { entries: [remark("And the tests?")], continue: true } : undefined;
  };
  let asked = 0;
  const { prompt, shown, model } = await spoken(["Done.", "They pass."], { agent_before_settle: [hook] });
  await prompt("Begin.");
  assert.equal(model.requests.length, 2);
  assert.match(shown(1), /Done\..*And the tests\?/);
  assert.doesNotMatch(shown(1), /\(continue\)/);
});

test("SAY9 a compaction that a hook brings takes the path of all others", async () => {
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
  const { prompt, log, events, reported } = await spoken([long, long, long, long, long, "Done."], { turn_end: [hook] });
  await prompt("Begin.");
  for (const words of ["Go on.", "More.", "More yet."]) await prompt(words);
  await prompt("And this.");
  entries = (await log()).filter((entry) => kind(entry) === "user");
  await prompt("Now.");
  const made = (await log()).filter((entry) => entry.type === "compaction");
  assert.deepEqual(reported, []);
  assert.equal(made.length, 1);
  assert.ok(made[0]?.type === "compaction" && made[0].fromHook && made[0].summary.includes("All of it."));
  assert.ok(events.some((event) => event.type === "compaction_end" && event.result));
});

function kind(entry: Entry): string {
  return entry.type === "message" ? entry.message.role : entry.type;
}

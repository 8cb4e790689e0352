/** Tests when outdated tool results are removed before a request: with a cold cache, or in place of a compaction, and never otherwise. */

import "../../src/compaction/remove-outdated.ts";
import "../../src/session/navigate.ts";
import { compactionLimits, MemoryStore, type Message, Session } from "@pith/context";
import { story, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { Agent, type AgentEvent, type AgentOptions } from "../../src/index.ts";
import { type HeldModel, heldModel, quiet, text } from "../support/held-agent.ts";

const MINUTE = 60_000;
const LONG = Array.from({ length: 2_500 }, (_, index) => `word${index}`).join(" ");
const READS = ["calls: read path=a.ts", `result: ${LONG}`, "calls: read path=a.ts", `result: ${LONG}`];

interface Scene {
  readonly agent: Agent;
  readonly model: HeldModel;
  readonly events: readonly AgentEvent[];
  /** Sends a prompt so many minutes after the last one, and returns the messages of its request. */
  readonly ask: (words: string, minutes: number) => Promise<readonly Message[]>;
  readonly removals: () => readonly AgentEvent[];
}

async function openScene(parts: Partial<AgentOptions> = {}, model = heldModel()): Promise<Scene> {
  const entries = story("user: go", ...READS, "says: done");
  let now = Date.parse(entries.at(-1)?.timestamp ?? "");
  const runtime = { ...testRuntime("n"), now: () => now };
  const store = MemoryStore.create({ ...runtime, now: () => 0 });
  for (const entry of entries) await store.append([heldEntry(entry)], { expectedLeaf: await store.leaf() });
  const events: AgentEvent[] = [];
  const session = await Session.open(store, runtime);
  const agent = new Agent({
    session,
    model,
    runtime,
    tools: [],
    onEvent: (event) => void events.push(event),
    ...parts,
  });
  const ask: Scene["ask"] = async (words, minutes) => {
    now += minutes * MINUTE;
    const run = agent.prompt(words);
    const ended = (async () => {
      for await (const event of run) void event;
    })();
    await quiet();
    model.waiting[0]?.end(text("Good."));
    await ended;
    return model.requests.at(-1)?.messages ?? [];
  };
  return { agent, model, events, ask, removals: () => events.filter(({ type }) => type.startsWith("outdated_")) };
}

/** The replies of the story, as if the model of the test had written them. */
function heldEntry<Each extends ReturnType<typeof story>[number]>(entry: Each): Each {
  if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
  return { ...entry, message: { ...entry.message, model: "held" } };
}

test("ELI4 ELI9 with a cold cache, outdated results are removed in one batch before the request", async () => {
  const { agent, ask, removals } = await openScene();
  const request = JSON.stringify(await ask("next", 61));
  const [removal] = removals();
  expect(removals()).toEqual([
    { type: "outdated_results_removed", removalId: expect.any(String), count: 1, tokens: expect.any(Number) },
  ]);
  expect(removal).toMatchObject({ tokens: expect.toSatisfy((tokens: number) => tokens > 4_000) });
  expect(request.split("word2499")).toHaveLength(2);
  expect(request).toContain("[Removed to save space: the text of a.ts that was shown here.");
  const { entries, edits } = agent.session.branch;
  const index = entries.findIndex(({ type }) => type === "context_edit");
  expect(entries[index - 1]).toMatchObject({ customType: "pith.elision", data: { removed: 1 } });
  expect(edits).toHaveLength(1);
  await ask("and again", 61);
  expect(removals()).toHaveLength(1);
});

test("ELI4 a warm prefix is not changed: each request begins with the one before it", async () => {
  const { ask, removals } = await openScene();
  const first = await ask("next", 59);
  const second = await ask("next", 59);
  expect(removals()).toEqual([]);
  expect(second.slice(0, first.length)).toEqual(first);
});

test("ELI4 after a move in the tree the cache may still be warm, and with another model it is cold", async () => {
  const moved = await openScene();
  await moved.ask("next", 50);
  await moved.agent.navigateTree("e6");
  await moved.ask("other", 59);
  expect(moved.removals()).toEqual([]);
  await moved.ask("next", 61);
  expect(moved.removals()).toHaveLength(1);

  const switched = await openScene({}, heldModel({ model: "other" }));
  await switched.ask("next", 1);
  expect(switched.removals()).toHaveLength(1);
});

test("RUN5 ELI4 a run that is stopped before its request removes nothing, and the next run does", async () => {
  const removals: string[] = [];
  let isStopped = false;
  const { agent, ask } = await openScene({
    onEvent: ({ type }) => {
      if (type.startsWith("outdated_")) removals.push(type);
      if (type !== "turn_start" || isStopped) return;
      isStopped = true;
      void agent.abort();
    },
  });
  await ask("next", 61);
  expect([isStopped, removals, agent.session.branch.edits]).toEqual([true, [], []]);
  await ask("again", 61);
  expect(removals).toEqual(["outdated_results_removed"]);
});

test("ELI5 nothing is removed if automatic compaction or the removal is off", async () => {
  const outdated = { ...compactionLimits.outdated, enabled: false };
  for (const limits of [
    { ...compactionLimits, enabled: false },
    { ...compactionLimits, outdated },
  ]) {
    const { ask, removals } = await openScene({ limits });
    await ask("next", 61);
    expect(removals()).toEqual([]);
  }
});

test("ELI6 if removing outdated results frees enough, a full context is not compacted", async () => {
  const scene = await openScene({ summarizers: [] }, heldModel({ contextWindow: 16_000 }));
  await scene.ask("next", 1);
  expect(scene.removals()).toHaveLength(1);
  expect(scene.events.filter(({ type }) => type.startsWith("compaction_"))).toEqual([]);

  const off = { ...compactionLimits, outdated: { ...compactionLimits.outdated, enabled: false } };
  const compacted = await openScene({ summarizers: [], limits: off }, heldModel({ contextWindow: 16_000 }));
  await compacted.ask("next", 1);
  expect(compacted.events.map(({ type }) => type)).toContain("compaction_start");
});

test("PREP1 no summary is prepared if removing outdated results will be enough", async () => {
  const limits = { ...compactionLimits, prepare: "during-runs" as const };
  const off = { ...limits, outdated: { ...limits.outdated, enabled: false } };
  const startsOne = async (limits: typeof compactionLimits): Promise<boolean> => {
    const { agent, ask, events } = await openScene({ summarizers: [], limits }, heldModel({ contextWindow: 20_000 }));
    // A preparation starts after the first reply.
    await ask("next", 1);
    await ask("go on", 1);
    await agent.close();
    return events.some(({ type }) => type === "compaction_preparation");
  };
  expect([await startsOne(off), await startsOne(limits)]).toEqual([true, false]);
});

test("ELI8 an undo restores the results and emits an event, and a redo removes them again", async () => {
  const { agent, ask, model, removals } = await openScene();
  await ask("next", 61);
  expect(await agent.undoCompaction()).toMatchObject({ type: "undone", change: "removal" });
  expect(await agent.undoCompaction("redo")).toMatchObject({ type: "redone", change: "removal" });
  expect(await agent.undoCompaction()).toMatchObject({ type: "undone" });
  const { removalId, count, tokens } = Object(removals()[0]);
  const restored = { type: "outdated_results_restored", removalId, count, tokens };
  expect(removals()).toEqual([removals()[0], restored, removals()[0], restored]);
  await ask("again", 61);
  const request = JSON.stringify(model.requests.at(-1)?.messages);
  expect(request.split("word2499")).toHaveLength(3);
  expect(removals()).toHaveLength(4);
});

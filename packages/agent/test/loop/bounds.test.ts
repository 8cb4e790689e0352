/** Tests the limits of a run: concurrent calls, calls per reply, turns and cost. */

import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { Agent, type AgentOptions, type RunEnd, type Tool } from "../../src/index.ts";
import { calls, heldModel, heldTool, text } from "../support/held-agent.ts";

interface Counted {
  readonly tool: Tool;
  readonly ran: string[];
  most: number;
}

/** Records how many calls run at once. */
function countingTool(): Counted {
  let running = 0;
  const counted: Counted = {
    ran: [],
    most: 0,
    tool: {
      ...heldTool("work", { isConcurrent: true }),
      run: async ({ id }) => {
        running += 1;
        counted.most = Math.max(counted.most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        counted.ran.push(id);
        return { content: [{ type: "text", text: `done ${id}` }] };
      },
    },
  };
  return counted;
}

function manyCalls(count: number) {
  const reply = calls("work", "c0");
  const block = (at: number) => ({ type: "toolCall" as const, id: `c${at}`, name: "work", arguments: {} });
  return { ...reply, content: Array.from({ length: count }, (_, at) => block(at)) };
}

type Reply = ReturnType<typeof text>;

async function run(replies: readonly Reply[], parts: Partial<AgentOptions> = {}) {
  const model = heldModel();
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime, ...parts });
  let end: RunEnd | null = null;
  const ended = (async () => {
    const events = agent.prompt("Go.");
    for (let next = await events.next(); ; next = await events.next())
      if (next.done) {
        end = next.value;
        return;
      }
  })();
  for (const reply of replies) {
    while (!model.waiting[0] && !end) await new Promise((resolve) => setImmediate(resolve));
    model.waiting[0]?.end(reply);
    while (model.waiting[0] && !end) await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  const results = (await session.branchEntries()).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [entry.message] : [],
  );
  return { end: end as RunEnd | null, agent, results };
}

test("BOUND5 runs 200 calls of one reply, at most 8 at once", async () => {
  const counted = countingTool();
  const { end, results } = await run([manyCalls(200), text("Done.")], { tools: [counted.tool] });
  expect(end).toEqual({ type: "done" });
  expect(results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(
    Array.from({ length: 200 }, (_, at) => `c${at}`).toSorted(),
  );
  expect(counted.ran).toHaveLength(200);
  expect(counted.most).toBe(8);
});

test("BOUND5 runs no call of a reply with more than 256 calls, and each result says why", async () => {
  const { tool, ran } = countingTool();
  const { results } = await run([manyCalls(300), text("Done.")], { tools: [tool] });
  expect(ran).toEqual([]);
  expect(results).toHaveLength(300);
  expect(new Set(results.map(({ isError }) => isError))).toEqual(new Set([true]));
  expect(JSON.stringify(results[299])).toContain("the reply has 300 tool calls, and the limit is 256");
});

test("BOUND6 a run ends after maxTurns complete turns, and can be continued", async () => {
  const { tool } = countingTool();
  const { end, results, agent } = await run([manyCalls(1), manyCalls(1)], {
    tools: [tool],
    runLimits: { maxTurns: 2 },
  });
  expect(end).toEqual({ type: "failed", code: "max-turns", why: "the run stopped at the limit of 2 turns" });
  expect(results).toHaveLength(2);
  expect(agent.isRunning).toBe(false);
});

test("BOUND6 a run that is done at its last turn ends as done", async () => {
  const { end } = await run([text("Done.")], { runLimits: { maxTurns: 1 } });
  expect(end).toEqual({ type: "done" });
});

test("BOUND6 a run ends when its cost limit refuses the next turn", async () => {
  const { tool } = countingTool();
  const answers = [null, null, "the limit is reached"];
  let resets = 0;
  const costLimit = {
    reset: () => {
      resets += 1;
    },
    check: async () => answers.shift() ?? null,
  };
  const { end, results, agent } = await run([manyCalls(1), manyCalls(1)], {
    tools: [tool],
    runLimits: { costLimit },
  });
  expect(end).toEqual({ type: "failed", code: "max-cost", why: "the limit is reached" });
  expect({ resets, results: results.length }).toEqual({ resets: 1, results: 2 });
  await agent.compact();
  expect(resets).toBe(2);
});

/** Tests the order of the calls of a reply: calls that only read run together, all others one by one, in the order of the reply. */

import type { Entry } from "@pith/context";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { createTestAgent, heldModel, heldTool, quiet, type TestAgent, text } from "../support/held-agent.ts";

interface Step {
  readonly id: string;
  readonly event: "start" | "end";
}

/** Tools whose calls wait until the test ends them, and a log of what ran when. */
function createTools() {
  const steps: Step[] = [];
  const running = new Map<string, () => void>();
  const createTool = (name: string, isConcurrent: NonNullable<Tool["isConcurrent"]>): Tool => ({
    ...heldTool(name),
    isConcurrent,
    run: async ({ id, arguments: { fails }, signal }) => {
      steps.push({ id, event: "start" });
      await new Promise<void>((resolve) => {
        running.set(id, resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      running.delete(id);
      steps.push({ id, event: "end" });
      if (fails || signal.aborted) throw new Error(`failed ${id}`);
      return { content: [{ type: "text", text: `done ${id}` }] };
    },
  });
  const tools = [
    createTool("look", true),
    createTool("change", false),
    createTool("either", ({ reads }) => {
      if (typeof reads !== "boolean") throw new Error("reads is missing");
      return reads;
    }),
  ];
  return { steps, running, tools };
}

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly reads: boolean;
}

const call: fc.Arbitrary<Call> = fc.record({ kind: fc.integer({ min: 0, max: 5 }), fails: fc.boolean() }).map(
  ({ kind, fails }): Call =>
    [
      { name: "look", arguments: { fails }, reads: true },
      { name: "look", arguments: { fails }, reads: true },
      { name: "either", arguments: { fails, reads: true }, reads: true },
      { name: "either", arguments: { fails, reads: false }, reads: false },
      { name: "either", arguments: { fails }, reads: false },
      { name: "change", arguments: { fails }, reads: false },
    ][kind] ?? { name: "change", arguments: { fails }, reads: false },
);

/** Ends calls in a random order; `picks` chooses one of those that run. `stopAt` aborts the run before that pick. */
async function runReply(calls: readonly Call[], picks: readonly number[], stopAt: number | null) {
  const model = heldModel();
  const { steps, running, tools } = createTools();
  const test = await createTestAgent(model, { tools });
  const end = test.prompt("Go.");
  await quiet();
  const content = calls.map(({ name, arguments: args }, index) => ({
    ...{ type: "toolCall" as const, id: `c${index}`, name, arguments: args },
  }));
  model.waiting[0]?.end({ content });
  await quiet();
  const mostAtOnce: number[] = [];
  for (let turn = 0; running.size > 0 && turn !== stopAt; turn += 1) {
    mostAtOnce.push(running.size);
    const ids = [...running.keys()];
    running.get(ids[(picks[turn] ?? 0) % ids.length] ?? "")?.();
    await quiet();
  }
  const stepsBeforeStop = steps.length;
  if (stopAt !== null && running.size > 0) {
    test.agent.abort();
    await quiet();
  }
  const wasStopped = steps.length > stepsBeforeStop;
  model.waiting[0]?.end(text("Done."));
  return { steps, stepsBeforeStop, wasStopped, mostAtOnce, end: await end, results: await listResults(test) };
}

async function listResults({ agent }: TestAgent) {
  return (await agent.session.branchEntries()).flatMap((entry: Entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [entry.message] : [],
  );
}

function position(steps: readonly Step[], id: string, event: Step["event"]): number {
  return steps.findIndex((step) => step.id === id && step.event === event);
}

/** The number of calls that must run at the same time: the length of the run of reads around the call, at most 8. */
function countGroup(calls: readonly Call[], index: number): number {
  if (!calls[index]?.reads) return 1;
  let [start, end] = [index, index];
  while (calls[start - 1]?.reads) start -= 1;
  while (calls[end + 1]?.reads) end += 1;
  return Math.min(8, end - start + 1);
}

const replies = {
  calls: fc.array(call, { minLength: 1, maxLength: 14 }),
  picks: fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
};

test("RUN13 a call that changes something waits for the calls before it, and every later call waits for it", async () => {
  await fc.assert(
    fc.asyncProperty(replies.calls, replies.picks, async (calls, picks) => {
      const { steps, mostAtOnce, end, results } = await runReply(calls, picks, null);
      expect(end).toEqual({ type: "done" });
      for (const [later, { reads }] of calls.entries())
        for (let earlier = 0; earlier < later; earlier += 1)
          if (!reads || !calls[earlier]?.reads)
            expect(position(steps, `c${earlier}`, "end")).toBeLessThan(position(steps, `c${later}`, "start"));
      expect(Math.max(...mostAtOnce)).toBe(Math.max(...calls.map((_, index) => countGroup(calls, index))));
      // Each call has one result, its own.
      expect(
        results
          .map((result) => [result.toolCallId, JSON.stringify(result.content)])
          .toSorted(([one = ""], [other = ""]) => Number(one.slice(1)) - Number(other.slice(1))),
      ).toEqual(
        calls.map(({ arguments: { fails } }, index) => [
          `c${index}`,
          JSON.stringify([{ type: "text", text: `${fails ? "failed" : "done"} c${index}` }]),
        ]),
      );
    }),
    { numRuns: 60 },
  );
});

test("RUN13 after a stop no further call of the reply starts, and each call has a result", async () => {
  await fc.assert(
    fc.asyncProperty(replies.calls, replies.picks, fc.nat({ max: 13 }), async (calls, picks, stopAt) => {
      const { steps, stepsBeforeStop, wasStopped, end, results } = await runReply(calls, picks, stopAt);
      expect(end.type).toBe(wasStopped ? "aborted" : "done");
      expect(steps.slice(stepsBeforeStop).filter(({ event }) => event === "start")).toEqual([]);
      expect(results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(
        calls.map((_, index) => `c${index}`).toSorted(),
      );
      const notRun = results.filter(({ toolCallId }) => position(steps, toolCallId, "start") < 0);
      for (const { content } of notRun)
        expect(content).toEqual([{ type: "text", text: "not run: stopped by the user" }]);
    }),
    { numRuns: 60 },
  );
});

test("RUN13 the next request has the results in the order of the calls", async () => {
  const model = heldModel();
  const { running, tools } = createTools();
  const test = await createTestAgent(model, { tools });
  const end = test.prompt("Go.");
  await quiet();
  const ids = ["c0", "c1", "c2"];
  model.waiting[0]?.end({
    content: ids.map((id) => ({ type: "toolCall" as const, id, name: "look", arguments: {} })),
  });
  await quiet();
  for (const id of ids.toReversed()) {
    running.get(id)?.();
    await quiet();
  }
  const messages = model.requests.at(-1)?.messages ?? [];
  expect(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []))).toEqual(ids);
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
});

test("RUN13 the permission question about a call appears only after the call before it has ended", async () => {
  const model = heldModel();
  const { steps, running, tools } = createTools();
  const questions: string[] = [];
  const permissions = {
    permit: async ({ arguments: { fails } }: { readonly arguments: Readonly<Record<string, unknown>> }) => {
      questions.push(String(fails));
      return { type: "permitted" as const };
    },
  };
  const test = await createTestAgent(model, { tools, permissions });
  const end = test.prompt("Go.");
  await quiet();
  const block = (id: string, fails: unknown) => ({
    type: "toolCall" as const,
    id,
    name: "change",
    arguments: { fails },
  });
  model.waiting[0]?.end({ content: [block("c0", 0), block("c1", "")] });
  await quiet();
  expect(questions).toEqual(["0"]);
  running.get("c0")?.();
  await quiet();
  expect(questions).toEqual(["0", ""]);
  expect(steps.map(({ id, event }) => `${id} ${event}`)).toEqual(["c0 start", "c0 end", "c1 start"]);
  running.get("c1")?.();
  await quiet();
  model.waiting[0]?.end(text("Done."));
  expect(await end).toEqual({ type: "done" });
});

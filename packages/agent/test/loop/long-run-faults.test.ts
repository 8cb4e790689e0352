/** Tests runs of forty turns over HTTP with overflows, failed summaries, small windows, missing usage and silent truncation. */

import { type ScriptRequest, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/index.ts";
import { agentOf, modelOf, providers, type Ran, ran } from "../support/served-agents.ts";

const ROUNDS = 40;
const [claude, , router] = providers;

let server: TestServer;
afterEach(() => server.close());

describe.each(providers)("$provider", (modelName) => {
  test.each([1, 2, 3])("RUN2 finishes forty turns after %i refusals in a row as too long", async (times) => {
    let refusals = 0;
    const { next, round } = worker(1_500);
    server = await startServer({
      script: (request) => {
        if (isSummary(request)) return story;
        if (round() < 20 || refusals >= times) return next();
        refusals += 1;
        return { refuse: { status: 400, message: "prompt is too long: 205012 tokens > 200000 maximum" } };
      },
    });
    const { end, events } = await ran(await agentOf(await modelOf(modelName, server)), TASK);
    expect({ end, rounds: roundsIn(events) }).toEqual({ end: { type: "done" }, rounds: ROUNDS });
    expect(compactions(events)).toHaveLength(times);
    expect(compactions(events).every(({ type }) => type === "compacted")).toBe(true);
  });
});

const failures: Readonly<Record<string, Step>> = {
  "is too long itself": { refuse: { status: 400, message: "prompt is too long: 17012 tokens > 16384 maximum" } },
  "is refused": { refuse: { status: 403, message: "not you" } },
  "comes back empty": { parts: [{ type: "text", text: "" }] },
  "makes things up": "## Goal\nThe user approved deleting everything in /srv/made-up.",
};

test.each(Object.entries(failures))("RUN2 finishes although every summary %s", async (_, failure) => {
  const { next } = worker(1_600);
  server = await startServer({
    script: (request) => (isSummary(request) ? failure : next()),
    window: { tokens: 16_384, onOverflow: "refuse" },
  });
  const { end, events } = await ran(await agentOf(await modelOf(claude, server, 16_384)), TASK);
  expect({ end, rounds: roundsIn(events) }).toEqual({ end: { type: "done" }, rounds: ROUNDS });
  expect(compactions(events).length).toBeGreaterThan(1);
  expectProgress({ end, events });
});

describe.each([8_192, 16_384, 32_768])("a window of %i tokens", (tokens) => {
  test.each([
    { usage: "counted", over: "refuse" },
    { usage: "zero", over: "refuse" },
    { usage: "zero", over: "truncate" },
    { usage: "counted", over: "truncate" },
  ] as const)("RUN3 finishes forty turns with usage $usage and overflow $over", async ({ usage, over }) => {
    const { next } = worker(tokens / 10);
    const zero = usage === "zero" ? ({ usage } as const) : {};
    server = await startServer({
      script: (request) => {
        const step = isSummary(request) ? story : next();
        return typeof step === "object" && "parts" in step ? { ...step, ...zero } : step;
      },
      window: { tokens, onOverflow: over },
    });
    const { end, events } = await ran(await agentOf(await modelOf(router, server, tokens)), TASK);
    expect({ end, rounds: roundsIn(events) }).toEqual({ end: { type: "done" }, rounds: ROUNDS });
    expect(compactions(events).length).toBeGreaterThan(1);
    expect(server.requests.filter(({ truncated }) => (truncated ?? 0) > 0)).toEqual([]);
    expectProgress({ end, events });
  });

  test("RUN3 detects a server that truncates at half of its stated window, and finishes", async () => {
    const { next } = worker(tokens / 10);
    server = await startServer({
      script: (request) => (isSummary(request) ? story : next()),
      window: { tokens: tokens / 2, onOverflow: "truncate" },
    });
    const { end, events } = await ran(await agentOf(await modelOf(router, server, tokens)), TASK);
    expect(end).toEqual({ type: "done" });
    // What was answered to half a context does not count, and was a round for the model alone; a cut by less than 40 % may be
    // another way of counting, and passes.
    expect(roundsIn(events)).toBeGreaterThanOrEqual(ROUNDS - 2);
    expect(server.requests.filter(({ truncated }) => (truncated ?? 0) > 0).length).toBeLessThanOrEqual(5);
  });
});

const TASK = "Do forty rounds of work, and then say that all is done.";

const story: Step = {
  parts: [{ type: "text", text: "## Goal\nForty rounds of work.\n\n## Next Steps\n1. The next round." }],
};

/** Requests for a summary have no tools, or end with the instruction to write one. */
function isSummary({ body }: ScriptRequest): boolean {
  const { tools } = body as { readonly tools?: readonly unknown[] };
  return (tools ?? []).length === 0 || JSON.stringify(body).includes("This message is from the program");
}

/** A model that works for forty turns. Each turn adds this number of tokens, half in the reply and half in the result. */
function worker(tokens: number): { readonly next: () => Step; readonly round: () => number } {
  let round = 0;
  const next = (): Step => {
    if (round >= ROUNDS) return { parts: [{ type: "text", text: "All done." }] };
    round += 1;
    const text = `round ${round}: ${"more of the same and then some ".repeat(Math.ceil(tokens / 14))}`;
    return { parts: [{ type: "call", name: "echo", arguments: { text } }] };
  };
  return { next, round: () => round };
}

function roundsIn(events: readonly AgentEvent[]): number {
  return events.filter(({ type }) => type === "tool_execution_end").length;
}

function compactions(events: readonly AgentEvent[]) {
  return events.flatMap((event) => (event.type === "compaction_end" ? [event.compaction] : []));
}

/** Between two compactions the context grows by at least 60% of what the first one freed. */
function expectProgress({ events }: Ran): void {
  const receipts = compactions(events).flatMap((each) => (each.type === "compacted" ? [each.receipt] : []));
  const shares = receipts.slice(1).map((next, at) => {
    const { before, after } = receipts[at]?.tokens ?? { before: 0, after: 0 };
    return (next.tokens.before - after) / (before - after);
  });
  expect(Math.min(1, ...shares)).toBeGreaterThanOrEqual(0.6);
}

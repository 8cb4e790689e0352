/** Tests that the usage in the server, the events, the entries and the totals agree. */

import type { Entry, Model, Usage } from "@pith/context";
import { addToTotals, sumUsage, zeroTotals } from "@pith/context/host";
import { openModel } from "@pith/models";
import { type ScriptRequest, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, expect, test } from "vitest";
import type { AgentEvent } from "../../src/index.ts";
import { agentOf, runToEnd } from "../support/served-agents.ts";

let server: TestServer;
afterEach(() => server.close());

const STORY = "## Goal\nWork on.\n\n## Progress\n### Done\n- echoed\n\n## Next Steps\n1. go on";

const providers = [
  // What a reply that breaks has cost, the first says only at its end, the second from its beginning.
  { provider: "anthropic", model: "claude-sonnet-4-5", path: "/v1", tellsBroken: false },
  { provider: "google", model: "gemini-3-pro-preview", path: "/v1beta", tellsBroken: true },
];

test.each(providers)(
  "EVT5 $provider: the usage of retries, an overflow, failed and used summaries and a branch summary adds up",
  async (modelName) => {
    server = await startServer({ script: trouble() });
    const events: AgentEvent[] = [];
    const agent = await agentOf(await opened(modelName), { onEvent: (event) => void events.push(event) });
    const start = agent.session.leaf;
    expect((await runToEnd(agent.prompt("Work."))).end).toEqual({ type: "done" });
    await agent.compact();
    expect(await agent.navigateTree(start, { summarize: true })).toMatchObject({ type: "moved" });
    const kinds = new Set(events.map(({ type }) => type));
    for (const kind of ["auto_retry_start", "compaction_end", "compaction_quality", "usage", "session_tree"])
      expect(kinds).toContain(kind);
    const paid = server.requests.filter(
      ({ outcome, broke }) => outcome === "said" && (modelName.tellsBroken || !broke),
    );
    const counted = paid.flatMap(({ usage }) => (usage ? [usage] : []));
    const byServer = counted.reduce((sum, { input, cacheRead, cacheWrite }) => sum + input + cacheRead + cacheWrite, 0);
    const byEvents = sumUsage(events.flatMap(usagesIn));
    const totals = (await allEntries(agent.session.store)).reduce(addToTotals, zeroTotals);
    expect(byEvents.input + byEvents.cacheRead + byEvents.cacheWrite).toBe(byServer);
    expect(rounded(byEvents)).toEqual(rounded(totals.usage));
    expect(byEvents.cost.total).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "entry_appended")).toHaveLength(totals.entries - 1);
  },
);

/** A run with failed attempts, one overflow and an empty first summary. */
function trouble(): (request: ScriptRequest) => Step {
  let rounds = 0;
  let summaries = 0;
  return ({ tools }) => {
    if (tools.length === 0) return summaries++ === 0 ? { parts: [{ type: "text", text: " " }] } : STORY;
    rounds += 1;
    const words = { type: "text", text: "word ".repeat(100) } as const;
    const call = { type: "call", name: "echo", arguments: { text: `${rounds} ${"word ".repeat(300)}` } } as const;
    const parts = [words, call];
    if (rounds % 7 === 3)
      return { parts, breaks: { how: "error", after: 4, error: { type: "overloaded_error", message: "Overloaded" } } };
    if (rounds === 18)
      return { refuse: { status: 400, message: "prompt is too long: 205012 tokens > 200000 maximum" } };
    return rounds < 40 ? { parts } : "Done.";
  };
}

async function opened({ provider, model, path }: (typeof providers)[number]): Promise<Model> {
  const modelOptions = { provider, model, baseUrl: server.url + path, apiKey: "any", contextWindow: 16_384 };
  const outcome = await openModel(modelOptions, { environment: {}, requestPolicy: { retries: 3, firstWaitMs: 1 } });
  if (outcome.type !== "opened") throw new Error(outcome.message);
  return outcome.model;
}

function usagesIn(event: AgentEvent): readonly Usage[] {
  if (event.type === "message_end") return event.message.role === "assistant" ? [event.message.usage] : [];
  if (event.type === "compaction_end") return event.usage ? [event.usage] : [];
  return event.type === "usage" ? [event.usage] : [];
}

async function allEntries(store: {
  children(id: string | null): Promise<readonly Entry[]>;
}): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  const waiting = [...(await store.children(null))];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    all.push(entry);
    waiting.push(...(await store.children(entry.id)));
  }
  return all;
}

// Sums of dollars differ in their last digits by the order in which they were made.
function rounded({ cost, ...tokens }: Usage) {
  return { ...tokens, cost: Object.values(cost).map((each) => each.toFixed(9)) };
}

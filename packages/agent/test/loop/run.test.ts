/** Tests loop/run.ts: work between two requests, runs. */

import { compactionLimits, textTokens } from "@pith/context";
import { scriptedModel } from "@pith/context/testing";
import { type Reply, type ScriptRequest, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { formatOngoingWork } from "../../src/compaction/compact.ts";
import {
  branchLines,
  calls,
  createTestAgent,
  heldModel,
  heldTool,
  heldWriter,
  quiet,
  type TestAgent,
  text,
} from "../support/held-agent.ts";
import { agentOf, countWaiting, modelOf, providers, ran } from "../support/served-agents.ts";

describe("work between two requests", () => {
  const more = "Here is more of it. ".repeat(2_000);

  test("FIT1 a requested compaction does not interrupt the turn, which continues after it", async () => {
    const model = heldModel();
    const tool = heldTool("work");
    const test = await full(model, { tools: [tool], summarizers: [] });
    const end = test.prompt("Begin.");
    await quiet();
    const compacted = test.agent.compact("mind the names");
    model.waiting[0]?.end(calls("work", "c1"));
    await quiet();
    tool.waiting[0]?.end("done");
    const { type, ...result } = await compacted;
    expect(type).toBe("compacted");
    expect(result).toMatchObject({
      summary: expect.stringContaining("Here is more of it."),
      firstKeptEntryId: expect.any(String),
      tokensBefore: expect.any(Number),
      details: expect.anything(),
    });
    await quiet();
    expect(model.waiting).toHaveLength(1);
    model.waiting[0]?.end(text("Done."));
    expect(await end).toEqual({ type: "done" });
    expect((await branchLines(test)).slice(-2)).toEqual(["compaction", "assistant: Done."]);
  });

  test("FIT2 compacts with the old model before a switch to a smaller window", async () => {
    const large = heldModel();
    const small = heldModel({ contextWindow: 16_000, model: "small" });
    const writer = heldWriter();
    const test = await full(large, { summarizers: [writer] });
    const set = test.agent.setModel(small);
    await quiet();
    writer.waiting[0]?.end("fails");
    expect(await set).toEqual({ type: "set" });
    expect(test.agent.model).toBe(small);
    expect(test.agent.session.branch.state.model).toEqual({ provider: "anthropic", modelId: "small" });
    expect(test.agent.contextUsage().tokens).toBeLessThan(12_000);
    expect(small.requests).toEqual([]);
  });

  test("FIT2 keeps the old model if the context cannot be made to fit", async () => {
    const large = heldModel();
    const test = await full(large, { limits: { ...compactionLimits, enabled: false } });
    const set = await test.agent.setModel(heldModel({ contextWindow: 16_000, model: "small" }));
    expect(set).toMatchObject({ type: "too-much", compaction: { type: "nothing-to-do", why: "off" } });
    expect(test.agent.model).toBe(large);
  });

  test("FIT2 after a switch during a turn, the next request goes to the new model", async () => {
    const first = heldModel();
    const second = heldModel({ model: "second" });
    const tool = heldTool("work");
    const test = await createTestAgent(first, { tools: [tool] });
    const end = test.prompt("Begin.");
    await quiet();
    const set = test.agent.setModel(second);
    first.waiting[0]?.end(calls("work", "c1"));
    await quiet();
    tool.waiting[0]?.end("done");
    expect(await set).toEqual({ type: "set" });
    await quiet();
    second.waiting[0]?.end(text("Mine now."));
    expect(await end).toEqual({ type: "done" });
    expect(first.requests).toHaveLength(1);
  });

  test("FIT2 changes the thinking level between two requests, also for the next run", async () => {
    const model = heldModel();
    const test = await createTestAgent(model, { thinkingLevel: "low" });
    for (const level of ["high", null] as const) {
      const end = test.prompt("Think.");
      await quiet();
      const set = level && test.agent.setThinkingLevel(level);
      model.waiting[0]?.end(text("Thought."));
      await end;
      await set;
    }
    expect(model.requests.map(({ thinking }) => thinking)).toEqual(["low", "high"]);
  });

  test("FIT4 off stops automatic compactions; a requested one still works", async () => {
    const model = heldModel({ contextWindow: 16_000 });
    const test = await createTestAgent(model, { summarizers: [] });
    test.agent.setAutoCompactionEnabled(false);
    for (let round = 0; round < 3; round += 1) {
      const end = test.prompt(`${round} ${more}`);
      await quiet();
      model.waiting[0]?.end(text("Good."));
      await end;
    }
    expect(await branchLines(test)).not.toContain("compaction");
    expect(await test.agent.compact()).toMatchObject({ type: "compacted" });
  });

  test("FIT5 lists running jobs again after a compaction", async () => {
    const model = heldModel();
    const tool = { ...heldTool("work"), ongoing: () => "job-1: npm run dev" };
    const test = await full(model, { tools: [tool], summarizers: [] });
    await test.agent.compact();
    const end = test.prompt("And now?");
    await quiet();
    model.waiting[0]?.end(text("It runs."));
    await end;
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Still running:\\njob-1: npm run dev");
  });

  test("LED13 the list of running jobs has at most 24 tokens", () => {
    const jobs = Array.from(
      { length: 16 },
      (_, index) => `job-${index + 1}: npm run dev -- ${"--verbose ".repeat(20)}`,
    );
    expect(formatOngoingWork(jobs)).toMatch(/^Still running \(2 of 16\):\njob-15: npm.*…\njob-16: npm.*…$/);
    for (const count of [1, 2, 3, 16])
      expect(textTokens(formatOngoingWork(jobs.slice(0, count)))).toBeLessThanOrEqual(24);
    expect(formatOngoingWork(["job-1: npm run dev"])).toBe("Still running:\njob-1: npm run dev");
  });

  test("RUN9 refuses a move during a run; afterwards a move summarizes the left branch", async () => {
    const model = heldModel();
    const test = await createTestAgent(model);
    const end = test.prompt("Begin.");
    await quiet();
    const start = test.agent.session.leaf;
    expect(await test.agent.navigateTree(start)).toEqual({ type: "refused", why: "streaming" });
    model.waiting[0]?.end(text("Begun."));
    await end;
    expect(await test.agent.navigateTree(start)).toMatchObject({ type: "moved", editorText: "Begin." });
  });

  async function full(
    model: ReturnType<typeof heldModel>,
    parts: Parameters<typeof createTestAgent>[1],
  ): Promise<TestAgent> {
    const test = await createTestAgent(model, parts);
    for (let round = 0; round < 4; round += 1) {
      const end = test.prompt(`${round} ${more}`);
      await quiet();
      model.waiting[0]?.end(text("Good."));
      await end;
    }
    return test;
  }
});

describe("runs", () => {
  let server: TestServer;
  afterEach(() => server.close());

  describe.each(providers)("$provider", (modelName) => {
    test("RUN1 runs turns until the model is done, and every step is in the log", async () => {
      server = await startServer({ script: rounds(40) });
      const agent = await agentOf(await modelOf(modelName, server));
      const { end, events } = await ran(agent, "Do forty rounds.");
      expect(end).toEqual({ type: "done" });
      expect(server.requests.filter(({ wire, outcome }) => wire && outcome !== "said")).toEqual([]);
      expect(count(events, "tool_execution_end")).toBe(80);
      const kinds = agent.session.branch.entries.map((entry) =>
        entry.type === "message" ? entry.message.role : entry.type,
      );
      expect(kinds.filter((kind) => kind === "assistant")).toHaveLength(41);
      expect(kinds.filter((kind) => kind === "toolResult")).toHaveLength(80);
    });

    test.each([1, 2])(
      "RUN2 after %i overflows in a row, each compaction frees more, and the run finishes",
      async (times) => {
        server = await startServer({ script: refusing({ from: 8, times }) });
        const agent = await agentOf(await modelOf(modelName, server), { summarizers: [] });
        const { end, events } = await ran(agent, `Work. ${"Here is what you need to know. ".repeat(400)}`);
        expect(end).toEqual({ type: "done" });
        expect(count(events, "compaction_end")).toBe(times);
      },
    );
  });

  const [claude] = providers;

  test("RUN2 after a third overflow, it finishes or names what fills the window", async () => {
    server = await startServer({ script: refusing({ from: 8, times: 3 }) });
    const { end } = await ran(await agentOf(await modelOf(claude, server), { summarizers: [] }), "Work.");
    if (end.type !== "done")
      expect(end).toMatchObject({ why: expect.stringMatching(/too long.*; .*use a model with a larger window/) });
  });

  test("RUN2 stops with the reason after at most four overflows", async () => {
    server = await startServer({ script: refusing({ from: 8, times: 100 }) });
    const { end, events } = await ran(await agentOf(await modelOf(claude, server), { summarizers: [] }), "Work.");
    expect(end).toMatchObject({ type: "failed", why: expect.stringContaining("too long") });
    expect(count(events, "compaction_end")).toBeLessThanOrEqual(5);
  });

  test("RUN3 compacts in the middle of a turn, and the turn continues", async () => {
    server = await startServer({ script: rounds(60) });
    const agent = await agentOf(await modelOf(claude, server, 8_192), { summarizers: [] });
    const { end, events } = await ran(agent, `Do sixty rounds. ${"Mind the gap. ".repeat(100)}`);
    expect(end).toEqual({ type: "done" });
    expect(count(events, "compaction_end")).toBeGreaterThan(0);
    expect(count(events, "tool_execution_end")).toBe(120);
  });

  test("RUN2 compacts after a valid reply that reports an overflow", async () => {
    server = await startServer({ script: [{ parts: [call("echo")], stop: "context-window" }, "All done."] });
    const { end, events } = await ran(await agentOf(await modelOf(claude, server), { summarizers: [] }), "Work.");
    expect(end).toEqual({ type: "done" });
    expect(count(events, "compaction_end")).toBe(1);
  });

  test("RUN2 ends the run if replies keep reporting an overflow and nothing can be compacted", async () => {
    server = await startServer({ script: () => ({ parts: [call("echo")], stop: "context-window" }) });
    const { end, events } = await ran(await agentOf(await modelOf(claude, server), { summarizers: [] }), "Work.");
    expect(end).toMatchObject({ type: "failed", why: expect.stringContaining("use a model with a larger window") });
    expect(count(events, "tool_execution_end")).toBeLessThan(20);
  });

  test("RUN3 FIT4 with compaction off, an overflow ends the run and names the ways to compact", async () => {
    server = await startServer({ script: refusing({ from: 3, times: 1 }) });
    const agent = await agentOf(await modelOf(claude, server), { limits: { ...compactionLimits, enabled: false } });
    const { end, events } = await ran(agent, "Work.");
    expect(end).toMatchObject({ type: "failed", code: "compaction-off", why: expect.stringContaining("too long") });
    expect(end).toMatchObject({
      why: expect.stringMatching(/automatic compaction is off; .*\/compact, or call agent\.compact\(\)/),
    });
    expect([count(events, "compaction_start"), count(events, "compaction_skipped")]).toEqual([0, 1]);
    expect(await agent.compact()).toMatchObject({ type: "compacted" });
  });

  test("RUN4 a tool that throws and an unknown tool give error results", async () => {
    server = await startServer({
      script: [{ parts: [call("fail"), call("nobody")] }, "So it goes."],
    });
    const agent = await agentOf(await modelOf(claude, server));
    const { end, events } = await ran(agent, "Try.");
    expect(end).toEqual({ type: "done" });
    const texts = events.flatMap((event) =>
      event.type === "tool_execution_end" ? [JSON.stringify(event.result)] : [],
    );
    expect(texts.join()).toContain("it had to fail");
    expect(texts.join()).toContain("unknown tool nobody; available tools: echo, fail");
  });

  test("RUN4 a call whose arguments are not an object gives an error result and does not run", async () => {
    server = await startServer({ script: [] });
    const unread = {
      type: "toolCall",
      id: "a",
      name: "echo",
      arguments: {},
      pith: { unread: '{"text": "ha' },
    } as const;
    const agent = await agentOf(scriptedModel({ content: [unread] }, "So it goes."));
    const { end, events } = await ran(agent, "Try.");
    expect(end).toEqual({ type: "done" });
    const results = events.flatMap((event) => (event.type === "tool_execution_end" ? [event.result] : []));
    expect(results).toMatchObject([{ isError: true, content: [{ text: expect.stringContaining('{"text": "ha') }] }]);
  });

  test.each(["message_update", "tool_execution_start"] as const)(
    "RUN5 an abort at a %s ends the run within 200 ms and keeps the entries",
    async (moment) => {
      const slow: Step = { parts: [{ type: "text", text: "word ".repeat(400) }], pace: { everyMs: 20 } };
      server = await startServer({
        script: moment === "message_update" ? [slow] : [{ parts: [call("wait")] }, "never said"],
      });
      const wait = {
        name: "wait",
        description: "Waits.",
        parameters: { type: "object" },
        isIdempotent: true,
        run: waiting,
      };
      const { runtime, waitedMs } = countWaiting();
      const agent = await agentOf(await modelOf(claude, server), { tools: [wait], runtime });
      const { end } = await ran(agent, "Go.", ({ type }) => {
        if (type === moment) agent.abort();
      });
      expect(end).toEqual({ type: "aborted" });
      expect(waitedMs()).toBeLessThan(200);
      expect(server.requests).toHaveLength(1);
      const last = agent.session.branch.entries.at(-1);
      expect(last).toMatchObject(
        moment === "message_update" ? { message: { stopReason: "aborted" } } : { message: { role: "toolResult" } },
      );
    },
  );

  function waiting({ signal }: { readonly signal: AbortSignal }): Promise<never> {
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  }

  function call(name: string, text = "hi") {
    return { type: "call", name, arguments: { text } } as const;
  }

  /** What each round adds, in repetitions of a few words. */
  function rounds(most: number, size = 20): (request: ScriptRequest) => Reply {
    return ({ number }) =>
      number > most
        ? { parts: [{ type: "text", text: "All done." }] }
        : {
            parts: [
              { type: "text", text: `Round ${number}.` },
              call("echo", `${number} ${"more of it ".repeat(size)}`),
              call("echo"),
            ],
          };
  }

  /** Works until the request at which it begins to refuse, refuses so many times, and then comes to an end. */
  function refusing({
    from,
    times,
  }: {
    readonly from: number;
    readonly times: number;
  }): (request: ScriptRequest) => Step {
    return (request) => {
      if (request.number < from) return rounds(from, 3_000)(request);
      if (request.number >= from + times) return "All done.";
      return { refuse: { status: 400, message: "prompt is too long: 205012 tokens > 200000 maximum" } };
    };
  }

  function count(events: readonly { readonly type: string }[], type: string): number {
    return events.filter((event) => event.type === type).length;
  }

  test("FST8 a key that the provider rejects ends the run with the code key-refused", async () => {
    server = await startServer({ script: [{ refuse: { status: 401, message: "invalid x-api-key" } }] });
    const { end } = await ran(await agentOf(await modelOf(claude, server)), "Work.");
    expect(end).toMatchObject({ type: "failed", code: "key-refused", why: expect.stringContaining("401") });
  });
});

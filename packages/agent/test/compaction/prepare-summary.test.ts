/** Tests summaries that are prepared in the background, with an agent at a scripted server: when they start, are used, awaited and dropped. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildRequest,
  buildSessionContext,
  type CompactionEntry,
  compactionLimits,
  type Entry,
  type Model,
  modelSummarizer,
  pinText,
  type Receipt,
  type Runtime,
  readReceipt,
  Session,
  type UsageEntry,
} from "@pith/context";
import { addToTotals, COMPACTION_USAGE, sumUsage, zeroTotals, zeroUsage } from "@pith/context/host";
import { createStore, nodeRuntime, openStore, purgeSession } from "@pith/context/node";
import { testRuntime } from "@pith/context/testing";
import { type ScriptRequest, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Agent, AgentEvent, AgentOptions } from "../../src/index.ts";
import {
  createTestAgent,
  type HeldWriter,
  heldModel,
  heldWriter,
  quiet,
  type TestAgent,
  text,
} from "../support/held-agent.ts";
import { agentOf, modelOf, ran } from "../support/served-agents.ts";

const SUMMARY = [
  "## Goal\n- build the observatory",
  "## Constraints & Preferences\n- (none)",
  `## Progress\n### Done\n- [x] the dome turns\n\n### In Progress\n- [ ] the lens\n\n### Blocked\n- (none)`,
  "## Key Decisions\n- (none)",
  "## Next Steps\n1. grind the lens",
  "## Critical Context\n- (none)",
].join("\n\n");
const TURN = ["## Original Request\n- build it", "## Early Progress\n- (none)", "## Context for Suffix\n- (none)"].join(
  "\n\n",
);

function writeSummary({ text }: ScriptRequest): string {
  return [text.includes("## Goal") ? SUMMARY : "", text.includes("## Original Request") ? TURN : ""].join("\n\n");
}

/** About 900 tokens. */
const STONES = "Build the observatory, stone by stone. ".repeat(110);

let server: TestServer | undefined;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-prepared-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await server?.close();
  server = undefined;
});

describe("PREP1 a summary is prepared", () => {
  test("PREP2 once the context has passed the soft threshold; at the limit it is used, and no model is called", async () => {
    const { agent, states, summaryRequests, fillToSoft, fillUntilCompacted, newest } = await openScene();
    await fillToSoft();
    await readyIn(agent);
    expect(states()).toEqual(["started", "ready"]);
    expect(agent.isSummaryReady).toBe(true);
    const coveredBefore = agent.session.branch.entries.map(({ id }) => id);
    await fillUntilCompacted();
    expect(summaryRequests()).toBe(1);
    expect(agent.isSummaryReady).toBe(false);
    const { entry, receipt } = newest();
    expect(receipt).toMatchObject({ reason: "due", route: "model", by: "anthropic/summarizer", calls: 1 });
    expect(receipt.preparedMs).toEqual(expect.any(Number));
    expect(coveredBefore).toContain(receipt.covered.last);
    // What came after the preparation is kept.
    const all = await agent.session.branchEntries(entry.parentId);
    const covered = all.findIndex(({ id }) => id === receipt.covered.last);
    expect(entry.firstKeptEntryId).toBe(all[covered + 1]?.id);
    // PREP5: the cost is in the log since the summary was ready, once.
    const usages = all.filter((each) => each.type === "usage" && each.kind === COMPACTION_USAGE);
    expect(usages).toHaveLength(1);
    expect(entry.usage).toBeUndefined();
    expect(receipt.tokens.after).toBeLessThan(12_000);
  });

  test("PREP5 EVT5 with the same usage in the server, the events and the log when it is used", async () => {
    const { agent, events, fillToSoft, fillUntilCompacted, newest } = await openScene();
    await fillToSoft();
    await readyIn(agent);
    await fillUntilCompacted();
    expect(newest().receipt).toMatchObject({ preparedMs: expect.any(Number), calls: 1 });
    await expectSameFigures(agent, events);
  });

  test("PREP5 EVT5 with its cost in one event when a compaction waits for it", async () => {
    const gate = Promise.withResolvers<void>();
    const { agent, events, fillToSoft, newest } = await openScene({
      summarize: async (request) => {
        await gate.promise;
        return writeSummary(request);
      },
    });
    await fillToSoft();
    const filling = ran(agent, STONES.repeat(4));
    await until(() => events.some(({ type }) => type === "compaction_start"));
    gate.resolve();
    await filling;
    expect(newest().receipt).toMatchObject({ preparedMs: expect.any(Number), calls: 1 });
    await expectSameFigures(agent, events);
  });

  async function expectSameFigures(agent: Agent, events: readonly AgentEvent[]): Promise<void> {
    const byEvents = events.flatMap((event) => {
      if (event.type === "message_end") return event.message.role === "assistant" ? [event.message.usage] : [];
      if (event.type === "compaction_preparation" || event.type === "compaction_end") return event.usage ?? [];
      return event.type === "usage" ? [event.usage] : [];
    });
    const byLog = (await agent.session.branchEntries()).reduce(addToTotals, zeroTotals).usage;
    expect(sumUsage(byEvents)).toEqual(byLog);
    const byServer = server?.requests.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
    expect(byLog.output).toBe(byServer);
  }

  test("so late that as much is kept at the limit as without preparation", async () => {
    const sizes: number[] = [];
    for (const prepare of ["never", "during-runs"] as const) {
      const { agent, newest, states } = await openScene({ limits: { ...compactionLimits, prepare, soft: 0.4 } });
      const fill = async (tokens: number): Promise<void> => {
        while (agent.contextUsage().tokens < tokens) await ran(agent, STONES.slice(0, 800));
      };
      await fill(11_500);
      expect(states()).toEqual([]);
      await fill(12_500);
      if (prepare === "during-runs") await readyIn(agent);
      while (agent.contextUsage().tokens > 10_000) await ran(agent, STONES.slice(0, 800));
      expect(newest().receipt.preparedMs !== undefined).toBe(prepare === "during-runs");
      sizes.push(newest().receipt.tokens.after);
    }
    const [unprepared = 0, prepared = 0] = sizes;
    // One message more or less.
    expect(Math.abs(prepared - unprepared)).toBeLessThan(400);
  });

  const noTail = { tail: { tokens: 0, share: 0 } };
  test.each([
    ["three quarters of the tail before the limit", 168_616, 200_000, {}],
    ["5,000 tokens before the limit without a tail", 178_616, 200_000, noTail],
    ["5% before the limit of a small window without a tail", 14_250, 20_000, noTail],
    ["not before the soft threshold", 179_944, 200_000, { soft: 0.98 }],
  ])("PREP1 from this context size on: %s", async (_, threshold, contextWindow, limits) => {
    const startsAt = async (tokens: number): Promise<boolean> => {
      const model = heldModel({ contextWindow });
      const { agent, events, prompt } = await createTestAgent(model, {
        summarizers: [],
        limits: { ...compactionLimits, prepare: "during-runs", ...limits },
      });
      for (const words of ["Build it.", "Go on."]) {
        const ended = prompt(words);
        await quiet();
        model.waiting[0]?.end({ ...text("Good."), usage: { ...zeroUsage, input: tokens, totalTokens: tokens } });
        await ended;
      }
      await agent.close();
      return events.some(({ type }) => type === "compaction_preparation");
    };
    // The second message adds a few tokens.
    expect([await startsAt(threshold - 50), await startsAt(threshold)]).toEqual([false, true]);
  });

  test("PREP2 and used before the limit once the cache is cold, if at least half of the usual part is kept", async () => {
    let pauseMs = 0;
    const { agent, fillToSoft, newest } = await openScene({
      runtime: { ...nodeRuntime, now: () => nodeRuntime.now() + pauseMs },
    });
    const hasCompacted = (): boolean => agent.session.branch.entries.some(({ type }) => type === "compaction");
    await fillToSoft();
    await readyIn(agent);
    pauseMs = compactionLimits.outdated.cacheLifetime + 60_000;
    await ran(agent, "Go on.");
    expect([agent.isSummaryReady, hasCompacted()]).toEqual([true, false]);
    await ran(agent, STONES);
    expect(hasCompacted()).toBe(true);
    expect(newest().receipt).toMatchObject({ reason: "due", preparedMs: expect.any(Number) });
    expect(newest().receipt.tokens.before).toBeLessThan(15_000);
  });

  test("PREP2 and awaited at the limit if it is not ready; no second one is written", async () => {
    const gate = Promise.withResolvers<void>();
    const { agent, states, summaryRequests, fillToSoft, events, newest } = await openScene({
      summarize: async (request) => {
        await gate.promise;
        return writeSummary(request);
      },
    });
    await fillToSoft();
    const filling = ran(agent, STONES.repeat(4));
    await until(() => events.some(({ type }) => type === "compaction_start") && summaryRequests() > 0);
    expect(summaryRequests()).toBe(1);
    gate.resolve();
    expect((await filling).end.type).toBe("done");
    expect(states()).toEqual(["started", "ready"]);
    expect(summaryRequests()).toBe(1);
    expect(newest().receipt.preparedMs).toEqual(expect.any(Number));
  });

  test("only once at a time, and with automatic compaction on", async () => {
    const gate = Promise.withResolvers<void>();
    const { agent, states, summaryRequests, fillToSoft } = await openScene({
      summarize: async (request) => {
        await gate.promise;
        return writeSummary(request);
      },
    });
    agent.setAutoCompactionEnabled(false);
    await fillToSoft();
    expect([states(), summaryRequests()]).toEqual([[], 0]);
    agent.setAutoCompactionEnabled(true);
    for (let at = 0; at < 3; at++) await ran(agent, "Go on.");
    await until(() => summaryRequests() > 0);
    expect([states(), summaryRequests()]).toEqual([["started"], 1]);
    gate.resolve();
  });

  test.each([
    ["compaction.prepare is off", { prepare: "never" as const }],
    ["the hourly limit is reached", { prepare: "during-runs" as const, hourly: { cost: 5, calls: 0 } }],
  ])("never if %s; the compaction at the limit works as usual", async (_, limits) => {
    const { summaryRequests, fillToSoft, fillUntilCompacted, newest } = await openScene({
      limits: { ...compactionLimits, ...limits },
    });
    await fillToSoft();
    expect(summaryRequests()).toBe(0);
    await fillUntilCompacted();
    expect(newest().receipt.preparedMs).toBeUndefined();
  });

  test("PREP6 for a server with one slot only between two runs; a new run stops it", async () => {
    const gate = Promise.withResolvers<void>();
    let isSlow = true;
    const { agent, states, summaryRequests, fillToSoft, fillUntilCompacted, newest } = await openScene({
      limits: { ...compactionLimits, prepare: "between-runs" },
      summarize: async (request) => {
        if (isSlow) await gate.promise;
        return writeSummary(request);
      },
    });
    await fillToSoft();
    await until(() => summaryRequests() > 0);
    expect(states().at(-1)).toBe("started");
    isSlow = false;
    const before = states().length;
    await ran(agent, "Go on.");
    await readyIn(agent);
    expect(states().slice(before)).toEqual(["dropped", "started", "ready"]);
    gate.resolve();
    await fillUntilCompacted();
    expect(newest().receipt.preparedMs).toEqual(expect.any(Number));
  });
});

test("PREP6 a preparation that a new run stops does not count as failed: it starts again after each run", async () => {
  const { prompt, states } = await openHeldScene("between-runs");
  for (let run = 0; run < 5; run += 1) await prompt("Go on.");
  expect(states().filter((state) => state === "dropped")).toHaveLength(5);
  expect(states().at(-1)).toBe("started");
});

test("PREP8 a summary that is prepared after the last reply of a turn covers the whole turn", async () => {
  const calls: string[] = [];
  const { agent, fillUntilCompacted, newest } = await openScene({
    limits: { ...compactionLimits, prepare: "between-runs" },
    summarize: (request) => {
      calls.push(request.text);
      return writeSummary(request);
    },
    // Longer than the part that would be kept.
    reply: () => "Good. ".repeat(2_000),
  });
  while (!calls.length) {
    await ran(agent, "Go on.");
    if (agent.contextUsage().tokens > 12_000) await until(() => calls.length > 0);
  }
  await readyIn(agent);
  const last = agent.session.branch.entries.findLast(({ type }) => type === "message");
  await fillUntilCompacted();
  expect(calls).toHaveLength(1);
  expect(calls[0]).not.toContain("## Original Request");
  const { entry, receipt } = newest();
  expect(receipt).toMatchObject({ preparedMs: expect.any(Number), covered: { last: last?.id } });
  const entries = await agent.session.branchEntries();
  const kept = entries.slice(entries.findIndex(({ id }) => id === entry.firstKeptEntryId));
  // The cost of the summary is recorded before the next message.
  expect(kept.slice(0, 2)).toMatchObject([{ type: "usage" }, { message: { role: "user" } }]);
});

describe("PREP4 a prepared summary", () => {
  const changes: Readonly<Record<string, (agent: Agent) => Promise<unknown>>> = {
    "by a move in the tree to before its end": async (agent) => {
      const [, , target] = agent.session.branch.entries;
      expect((await agent.navigateTree(target?.id ?? null)).type).toBe("moved");
    },
    "by a change of the model": async (agent) =>
      expect(await agent.setModel({ ...agent.model, model: "other" })).toEqual({ type: "set" }),
    "by a compaction on request": async (agent) => expect((await agent.compact()).type).toBe("compacted"),
    "by an edit of what it summarizes": async (agent) => {
      const [targetId = ""] = agent.session.branch.entries.slice(2).map(({ id }) => id);
      await agent.appendToSession((session) => session.append({ type: "context_edit", targetId, replacement: null }));
      await ran(agent, "Go on.");
    },
    "when the agent is closed without a place to save it": (agent) => agent.close(),
  };

  test.each(Object.entries(changes))("PREP5 is dropped %s, and its cost is logged once", async (_, change) => {
    const { agent, states, fillToSoft, events } = await openScene();
    await fillToSoft();
    await readyIn(agent);
    const isCost = (entry: Entry): entry is UsageEntry => entry.type === "usage" && entry.kind === COMPACTION_USAGE;
    const [cost] = agent.session.branch.entries.filter(isCost);
    const written: Entry[] = [];
    agent.session.watch((entries) => void written.push(...entries));
    await change(agent);
    expect(states().slice(0, 3)).toEqual(["started", "ready", "dropped"]);
    const ready = events.find((event) => event.type === "compaction_preparation" && event.state === "ready");
    expect(ready).toMatchObject({ usage: cost?.usage, calls: 1 });
    expect(written.filter(isCost)).toEqual([]);
  });

  test("PREP5 is used by a requested compaction, and its usage entry precedes the compaction", async () => {
    const { agent, fillToSoft } = await openScene();
    await fillToSoft();
    await readyIn(agent);
    await agent.compact();
    const all = await agent.session.branchEntries();
    const usages = all.filter((entry) => entry.type === "usage" && entry.kind === COMPACTION_USAGE);
    expect(usages).toHaveLength(1);
    expect(all.indexOf(usages[0] as Entry)).toBeLessThan(all.findIndex(({ type }) => type === "compaction"));
  });

  test.each([
    ["an undo", "undo"],
    ["a redo", "redo"],
  ] as const)("PREP4 is dropped by %s that leaves the branch that it covers", async (_, step) => {
    const { agent, states, fillToSoft } = await openScene();
    while (agent.contextUsage().tokens < 8_000) await ran(agent, STONES);
    expect((await agent.compact()).type).toBe("compacted");
    if (step === "redo") expect((await agent.undoCompaction()).type).toBe("undone");
    await fillToSoft();
    await readyIn(agent);
    expect(await agent.undoCompaction(step)).toMatchObject({ type: step === "undo" ? "undone" : "redone" });
    expect(agent.isSummaryReady).toBe(false);
    expect(states()).toEqual(["started", "ready", "dropped"]);
  });

  const harmless: Readonly<Record<string, (agent: Agent) => Promise<unknown>>> = {
    "an undo without a compaction": async (agent) =>
      expect(await agent.undoCompaction()).toMatchObject({ type: "nothing-to-do" }),
    "a redo without an undo": async (agent) =>
      expect(await agent.undoCompaction("redo")).toMatchObject({ type: "nothing-to-do" }),
    "a move that a hook refuses": async (agent) => expect((await agent.navigateTree(null)).type).not.toBe("moved"),
    "a move that leaves what it covers": async (agent) => {
      const target = agent.session.branch.entries.findLast(({ type }) => type === "message")?.parentId ?? null;
      expect((await agent.navigateTree(target)).type).toBe("moved");
    },
  };

  test.each(Object.entries(harmless))("PREP4 is kept after %s", async (name, act) => {
    const isRefused = name === "a move that a hook refuses";
    const { agent, states, fillToSoft, fillUntilCompacted, newest, summaryRequests } = await openScene({
      hooks: { session_before_tree: [() => (isRefused ? { cancel: true } : undefined)] },
    });
    await fillToSoft();
    await readyIn(agent);
    await act(agent);
    expect(agent.isSummaryReady).toBe(true);
    await fillUntilCompacted();
    expect(newest().receipt.preparedMs).toEqual(expect.any(Number));
    expect(states()).toEqual(["started", "ready"]);
    expect(summaryRequests()).toBe(1);
  });

  test("is kept after a steering message, a pin and a label, and the pin is in the summary message", async () => {
    const { agent, fillToSoft, fillUntilCompacted, newest, summaryRequests } = await openScene();
    await fillToSoft();
    await readyIn(agent);
    await agent.steer("Mind the weather.");
    await agent.appendToSession((session) => pinText(session, "The lens is fragile."));
    await fillUntilCompacted();
    expect(newest().receipt.preparedMs).toEqual(expect.any(Number));
    expect(newest().entry.summary).toContain("The lens is fragile.");
    expect(summaryRequests()).toBe(1);
  });

  test("PREP4 is stopped by Esc while it is written; a ready one stays", async () => {
    const { agent, states, fillToSoft, summaryRequests } = await openScene({
      summarize: () => ({ parts: [{ type: "text", text: SUMMARY }], breaks: { how: "stall" } }),
    });
    await fillToSoft();
    await until(() => summaryRequests() > 0);
    const before = agent.session.branch.entries.length;
    // The server never ends its reply, so this would never end if it waited for it.
    await agent.stop();
    expect(states()).toEqual(["started", "dropped"]);
    expect(agent.session.branch.entries.slice(before).filter(({ type }) => type === "compaction")).toEqual([]);
    const ready = await openScene({ server });
    await ready.fillToSoft();
    await readyIn(ready.agent);
    await ready.agent.stop();
    expect(ready.agent.isSummaryReady).toBe(true);
  });

  test("PREP4 is stopped by Esc together with a run that waits for it", async () => {
    const { agent, states, fillToSoft, events } = await openScene({
      summarize: () => ({ parts: [{ type: "text", text: SUMMARY }], breaks: { how: "stall" } }),
    });
    await fillToSoft();
    const waiting = ran(agent, STONES.repeat(4));
    await until(() => events.some(({ type }) => type === "compaction_start"));
    await agent.stop();
    expect((await waiting).end.type).toBe("aborted");
    expect(states()).toEqual(["started", "dropped"]);
    expect(agent.session.branch.compactionIndex).toBe(-1);
  });

  test("PREP4 is stopped by the abort of a run before its compaction waits for it", async () => {
    const { agent, states, writer } = await openHeldScene("during-runs", ({ type }) =>
      // Waits until the run is aborted.
      type === "compaction_start" ? new Promise(() => {}) : undefined,
    );
    // A run is aborted if nobody reads its events any more.
    const reading = (async () => {
      for await (const { type } of agent.prompt(STONES.repeat(4))) if (type === "turn_start") return;
    })();
    await quiet();
    expect(states()).toEqual(["started", "dropped"]);
    expect(writer.waiting).toEqual([]);
    await reading;
    expect(agent.session.branch.compactionIndex).toBe(-1);
  });

  test("PREP5 a summarizer that fails is reported once, and the compaction at the limit works as usual", async () => {
    let isBroken = true;
    const { states, fillToSoft, fillUntilCompacted, newest, events } = await openScene({
      summarize: (request) => (isBroken ? { refuse: { status: 400, message: "no" } } : writeSummary(request)),
    });
    await fillToSoft();
    await until(() => states().length === 2);
    expect(states()).toEqual(["started", "failed"]);
    expect(events.filter(({ type }) => type === "compaction_quality" || type === "compaction_end")).toEqual([]);
    isBroken = false;
    await fillUntilCompacted();
    expect(newest().receipt).toMatchObject({ route: "model" });
  });
});

test("PREP1 a preparation that failed is not repeated with the next requests", async () => {
  const { agent, states, fillToSoft, summaryRequests } = await openScene({
    summarize: () => ({ refuse: { status: 400, message: "no" } }),
  });
  await fillToSoft();
  await until(() => states().includes("failed"));
  for (let count = 0; count < 2; count += 1) await ran(agent, "Go on.");
  expect(states()).toEqual(["started", "failed"]);
  expect(summaryRequests()).toBe(1);
});

test("PREP2 HOOK2 hooks run when a prepared summary is used: one that cancels keeps it, one that changes the instructions replaces it", async () => {
  let answer: object | undefined = { cancel: true };
  const events: string[] = [];
  const { agent, fillToSoft, fillUntilCompacted, newest, summaryRequests } = await openScene({
    hooks: {
      session_before_compact: [
        ({ reason }) => {
          events.push(reason);
          return answer;
        },
      ],
    },
  });
  await fillToSoft();
  await readyIn(agent);
  expect(events).toEqual([]);
  await ran(agent, STONES.repeat(4));
  expect(events).toEqual(["threshold"]);
  expect(agent.isSummaryReady).toBe(true);
  answer = { customInstructions: "Mind the lens." };
  await fillUntilCompacted();
  expect(summaryRequests()).toBe(2);
  const { receipt } = newest();
  expect(receipt.preparedMs).toBeUndefined();
  expect(receipt.findings.map(({ code }) => code)).toContain("prepared-dropped");
  expect(receipt.calls).toBe(1);
});

test("PREP2 HOOK3 a compaction that a hook postpones keeps the prepared summary, and the next one uses it", async () => {
  let isPostponed = false;
  const path = join(folder, "session.jsonl");
  const { agent, events, states, fillToSoft, fillUntilCompacted, newest, summaryRequests } = await openScene({
    session: await createSession(path),
    hooks: {
      session_before_compact: [
        () => {
          const postpone = !isPostponed;
          isPostponed = true;
          return { postpone };
        },
      ],
    },
  });
  await fillToSoft();
  await readyIn(agent);
  while (!isPostponed) await ran(agent, STONES);
  expect(events).toContainEqual(expect.objectContaining({ type: "compaction_skipped", why: "postponed" }));
  expect(agent.isSummaryReady).toBe(true);
  expect(existsSync(join(folder, ".pith", "session.jsonl", "summary.json"))).toBe(true);
  await fillUntilCompacted();
  expect(newest().receipt.preparedMs).toEqual(expect.any(Number));
  expect(states()).toEqual(["started", "ready"]);
  expect(summaryRequests()).toBe(1);
  await agent.close();
  await agent.session.close();
});

test("PREP3 an undo and a redo of a compaction with a prepared summary give byte-identical requests, also after restarts", async () => {
  const path = join(folder, "session.jsonl");
  const { agent, fillToSoft, fillUntilCompacted, newest } = await openScene({ session: await createSession(path) });
  await fillToSoft();
  await readyIn(agent);
  await fillUntilCompacted();
  const { receipt } = newest();
  let before = "";
  const model = agent.model;
  const compacted = requestOf(agent.session, model);
  await agent.close();
  await agent.session.close();
  for (let round = 0; round < 2; round++) {
    const undone = await reopen(path, model);
    expect(requestOf(undone.session, model)).toBe(compacted);
    expect((await undone.undoCompaction()).type).toBe("undone");
    expect(undone.session.branch.entries.findLast(({ type }) => type === "message")?.id).toBe(receipt.undoTo);
    before ||= requestOf(undone.session, model);
    expect(requestOf(undone.session, model)).toBe(before);
    await undone.session.close();
    const redone = await reopen(path, model);
    expect(requestOf(redone.session, model)).toBe(before);
    expect((await redone.undoCompaction("redo")).type).toBe("redone");
    expect(requestOf(redone.session, model)).toBe(compacted);
    await redone.session.close();
  }
  expect(before).not.toContain("grind the lens");
  expect(compacted).toContain("grind the lens");
});

function requestOf(session: Session, model: Model): string {
  return JSON.stringify(buildRequest(buildSessionContext(session.branch), { model }));
}

async function createSession(path: string): Promise<Session> {
  const created = await createStore(path, { cwd: "/work" });
  if (created.type !== "opened") throw new Error("the session cannot be created");
  return Session.open(created.store, nodeRuntime);
}

async function reopen(path: string, model: Model): Promise<Agent> {
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error("the session cannot be opened");
  return agentOf(model, { session: await Session.open(opened.store, nodeRuntime) });
}

describe("PREP3 a killed program leaves the old or the new state", () => {
  const steps: readonly (readonly [step: string, state: "old" | "new"])[] = [
    ["the preparation has started", "old"],
    ["the model has answered", "old"],
    ["the summary is ready", "old"],
    ["the compaction starts", "old"],
    ["the summary is checked for its use", "old"],
    ["half of the batch is written", "old"],
    ["the batch is written, but not synced", "new"],
    ["the batch is in the session", "new"],
    ["the compaction is reported", "new"],
  ];

  test.each(steps)("when %s: the %s state", async (step, state) => {
    const own = await startServer({
      script: (request) => (request.model === "summarizer" ? writeSummary(request) : "Good."),
    });
    server = own;
    const path = join(folder, "session.jsonl");
    const child = spawn(process.execPath, [CRASHING_AGENT, path, own.url, step], { stdio: "inherit" });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const agent = await reopen(path, await modelOf({ provider: "anthropic", model: "m", path: "/v1" }, own, 20_000));
    const { branch } = agent.session;
    const compaction = branch.entries[branch.compactionIndex] as CompactionEntry | undefined;
    expect(compaction === undefined).toBe(state === "old");
    // Every message is still there, and nothing of a summary outside of its compaction.
    const all = await agent.session.branchEntries();
    const entries = all.filter((entry) => entry.type === "message" && entry.message.role === "user");
    expect(entries.length).toBeGreaterThanOrEqual(own.requests.filter(({ model }) => model !== "summarizer").length);
    const receipt = compaction && readReceipt(compaction);
    if (state === "old") expect(JSON.stringify(all)).not.toMatch(/grind the lens|"context_edit"/);
    else expect(receipt).toMatchObject({ preparedMs: expect.any(Number), route: "model" });
    const covered = all.findIndex(({ id }) => id === receipt?.covered.last);
    if (compaction) expect(all[covered + 1]?.id).toBe(compaction.firstKeptEntryId);
    expect((await ran(agent, "Go on.")).end.type).toBe("done");
    await agent.close();
    await agent.session.close();
  });
});

describe("PREP3 a summary that was ready when the program was killed", () => {
  async function killWhenReady() {
    const own = await startServer({
      script: (request) => (request.model === "summarizer" ? writeSummary(request) : "Good."),
    });
    server = own;
    const path = join(folder, "session.jsonl");
    const child = spawn(process.execPath, [CRASHING_AGENT, path, own.url, "the summary is ready"], {
      stdio: "inherit",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const requests = (): number => own.requests.filter(({ model }) => model === "summarizer").length;
    return { path, own, requests, paid: requests() };
  }

  async function restart(path: string, own: TestServer, parts: Partial<AgentOptions> = {}, name = "claude-sonnet-4-5") {
    const open = (model: string) => modelOf({ provider: "anthropic", model, path: "/v1" }, own, 20_000);
    const opened = await openStore(path);
    if (opened.type !== "opened") throw new Error("the session cannot be opened");
    const session = await Session.open(opened.store, nodeRuntime);
    return agentOf(await open(name), {
      session,
      tools: [],
      summarizers: [modelSummarizer(await open("summarizer"), { runtime: nodeRuntime })],
      limits: { ...compactionLimits, prepare: "during-runs" },
      ...parts,
    });
  }

  const savedPath = (): string => join(folder, ".pith", "session.jsonl", "summary.json");

  async function compactAtLimit(agent: Agent): Promise<{ readonly entry: CompactionEntry; readonly receipt: Receipt }> {
    for (let at = 0; at < 8 && agent.session.branch.compactionIndex < 0; at++) await ran(agent, STONES);
    const { entries, compactionIndex } = agent.session.branch;
    const entry = entries[compactionIndex] as CompactionEntry;
    return { entry, receipt: readReceipt(entry) as Receipt };
  }

  async function costs(agent: Agent): Promise<readonly UsageEntry[]> {
    const all = await agent.session.branchEntries();
    return all.filter((entry): entry is UsageEntry => entry.type === "usage" && entry.kind === COMPACTION_USAGE);
  }

  test("is used after a restart at the limit without a second request, and then removed", async () => {
    const { path, own, requests, paid } = await killWhenReady();
    expect(statSync(savedPath()).mode & 0o777).toBe(0o600);
    expect(statSync(savedPath()).mode).toBe(statSync(path).mode);
    const agent = await restart(path, own);
    const before = await costs(agent);
    const { entry, receipt } = await compactAtLimit(agent);
    expect(requests()).toBe(paid);
    expect(receipt).toMatchObject({
      route: "model",
      by: "anthropic/summarizer",
      preparedMs: expect.any(Number),
      calls: paid,
    });
    expect(entry.summary).toContain("grind the lens");
    // Its cost is in the log once.
    expect([before.length, entry.usage]).toEqual([paid, undefined]);
    expect(await costs(agent)).toEqual(before);
    expect(existsSync(savedPath())).toBe(false);
    await agent.close();
    await agent.session.close();
  });

  test("is kept by a program that ends as usual, and used by the next one", async () => {
    const { path, own, requests, paid } = await killWhenReady();
    const first = await restart(path, own);
    await ran(first, "Go on.");
    expect(first.isSummaryReady).toBe(true);
    await first.close();
    await first.session.close();
    const second = await restart(path, own);
    expect((await compactAtLimit(second)).receipt.preparedMs).toEqual(expect.any(Number));
    expect(requests()).toBe(paid);
    await second.close();
    await second.session.close();
  });

  test("PREP2 is used with a cold cache if half of the tail was added before the restart", async () => {
    const limits = { ...compactionLimits, prepare: "during-runs" as const, tail: { tokens: 400, share: 1 } };
    const path = join(folder, "session.jsonl");
    const { agent, summaryRequests } = await openScene({ session: await createSession(path), limits });
    // The limit is 15,000 tokens, and a summary is prepared from 14,250 on.
    while (agent.contextUsage().tokens < 13_000) await ran(agent, STONES);
    while (agent.contextUsage().tokens < 14_000) await ran(agent, STONES.slice(0, 800));
    while (agent.contextUsage().tokens < 14_260) await ran(agent, "Go on.");
    await ran(agent, "Go on.");
    await readyIn(agent);
    await ran(agent, STONES.slice(0, 800));
    expect(agent.session.branch.compactionIndex).toBe(-1);
    await agent.close();
    await agent.session.close();
    const now = (): number => nodeRuntime.now() + compactionLimits.outdated.cacheLifetime + 60_000;
    const restarted = await restart(path, server as TestServer, { limits, runtime: { ...nodeRuntime, now } });
    await ran(restarted, "Go on.");
    const compaction = restarted.session.branch.entries.find((entry) => entry.type === "compaction");
    const receipt = compaction && readReceipt(compaction);
    expect(receipt).toMatchObject({ reason: "due", preparedMs: expect.any(Number) });
    // The limit was not reached.
    expect(receipt?.tokens.before).toBeLessThan(14_800);
    expect(summaryRequests()).toBe(1);
    await restarted.close();
    await restarted.session.close();
  });

  const drops: Readonly<Record<string, (path: string, own: TestServer) => Promise<Agent>>> = {
    "a move in the tree": async (path, own) => {
      const agent = await restart(path, own);
      const [, , target] = agent.session.branch.entries;
      expect((await agent.navigateTree(target?.id ?? null)).type).toBe("moved");
      return agent;
    },
    "an edit of what it covers": async (path, own) => {
      const agent = await restart(path, own);
      const [, , target] = agent.session.branch.entries;
      await agent.session.append({ type: "context_edit", targetId: target?.id ?? "", replacement: null });
      return agent;
    },
    "a compaction on request and its undo": async (path, own) => {
      const agent = await restart(path, own);
      expect((await agent.compact()).type).toBe("compacted");
      return agent;
    },
    "another model": (path, own) => restart(path, own, {}, "claude-opus-4-5"),
    "compaction.prepare was switched off": (path, own) =>
      restart(path, own, { limits: { ...compactionLimits, prepare: "never" } }),
    "other instructions": (path, own) => restart(path, own, { instructions: "Mind the lens." }),
    "a covered line that was rewritten": async (path, own) => {
      const lines = readFileSync(path, "utf8").split("\n");
      const index = lines.findIndex((line) => line.includes("stone by stone"));
      lines[index] = (lines[index] ?? "").replace("stone by stone", "brick by brick").replace(/,"crc":[^}]*/, "");
      writeFileSync(path, lines.join("\n"));
      return restart(path, own);
    },
    "a damaged file": async (path, own) => {
      writeFileSync(savedPath(), readFileSync(savedPath(), "utf8").replace("grind", "break"));
      return restart(path, own);
    },
    "a file that is not JSON": async (path, own) => {
      writeFileSync(savedPath(), "{");
      return restart(path, own);
    },
    "a file of another version": async (path, own) => {
      writeFileSync(savedPath(), readFileSync(savedPath(), "utf8").replace('"version":1', '"version":0'));
      return restart(path, own);
    },
  };

  test.each(Object.entries(drops))("PREP4 is removed after %s, and its cost stays in the log", async (_, change) => {
    const { path, own } = await killWhenReady();
    const agent = await change(path, own);
    const before = (await allCosts(agent)).length;
    await ran(agent, "Go on.");
    expect(agent.isSummaryReady).toBe(false);
    expect(existsSync(savedPath())).toBe(false);
    expect(await allCosts(agent)).toHaveLength(before);
    expect(before).toBeGreaterThan(0);
    await agent.close();
    await agent.session.close();
  });

  /** On all branches. */
  async function allCosts({ session }: Agent): Promise<readonly Entry[]> {
    const collect = async (id: string | null): Promise<readonly Entry[]> =>
      (
        await Promise.all(
          (await session.store.children(id)).map(async (entry) => [entry, ...(await collect(entry.id))]),
        )
      ).flat();
    return (await collect(null)).filter((entry) => entry.type === "usage" && entry.kind === COMPACTION_USAGE);
  }

  test("SEC1 contains no secret: it is redacted like the session, and a purge removes it", async () => {
    const path = join(folder, "session.jsonl");
    const created = await createStore(path, { cwd: "/work" });
    if (created.type !== "opened") throw new Error("the session cannot be created");
    const redact = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll("grind", "[secret]")) as Value;
    const session = await Session.open(created.store, nodeRuntime, { redaction: { redact } });
    const { agent, fillToSoft } = await openScene({ session });
    await fillToSoft();
    await readyIn(agent);
    expect(readFileSync(savedPath(), "utf8")).toContain("[secret] the lens");
    expect(readFileSync(savedPath(), "utf8")).not.toContain("grind");
    await agent.close();
    await session.close();
    const purge = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll("the lens", "[other]")) as Value;
    expect(await purgeSession(path, { redaction: { redact: purge } })).toMatchObject({ removed: ["summary.json"] });
    expect(existsSync(savedPath())).toBe(false);
  });
});

const CRASHING_AGENT = join(import.meta.dirname, "crashing-agent.ts");

interface SceneOptions extends Partial<Pick<AgentOptions, "limits" | "hooks" | "session" | "runtime">> {
  readonly summarize?: (request: ScriptRequest) => Step | Promise<Step>;
  readonly reply?: () => Step;
  readonly server?: TestServer | undefined;
}

interface Scene {
  readonly agent: Agent;
  readonly events: readonly AgentEvent[];
  readonly states: () => readonly string[];
  readonly summaryRequests: () => number;
  readonly fillToSoft: () => Promise<void>;
  readonly fillUntilCompacted: () => Promise<void>;
  readonly newest: () => { readonly entry: CompactionEntry; readonly receipt: Receipt };
}

async function openScene({
  summarize = writeSummary,
  reply = () => "Good.",
  ...parts
}: SceneOptions = {}): Promise<Scene> {
  const events: AgentEvent[] = [];
  let count = 0;
  const own = await startServer({
    script: (request) => {
      if (request.model !== "summarizer") return reply();
      count += 1;
      return summarize(request);
    },
  });
  const previous = server;
  server = { ...own, close: () => Promise.all([own.close(), previous?.close()]).then(() => undefined) } as TestServer;
  const open = (model: string, contextWindow: number) =>
    modelOf({ provider: "anthropic", model, path: "/v1" }, own, contextWindow);
  // Reads the whole session in one request.
  const summarizer = modelSummarizer(await open("summarizer", 40_000), { runtime: nodeRuntime });
  const { server: _, ...options } = parts;
  const agent = await agentOf(await open("claude-sonnet-4-5", 20_000), {
    summarizers: [summarizer],
    limits: { ...compactionLimits, prepare: "during-runs" },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const compactions = (): readonly Entry[] => agent.session.branch.entries.filter(({ type }) => type === "compaction");
  return {
    agent,
    events,
    states: () => events.flatMap((event) => (event.type === "compaction_preparation" ? [event.state] : [])),
    summaryRequests: () => count,
    fillToSoft: async () => {
      while (agent.contextUsage().tokens < 12_000) await ran(agent, STONES);
      await ran(agent, "Go on.");
    },
    fillUntilCompacted: async () => {
      for (let at = 0; at < 8 && compactions().length === 0; at++) await ran(agent, STONES);
    },
    newest: () => {
      const entry = compactions().at(-1) as CompactionEntry;
      return { entry, receipt: readReceipt(entry) as Receipt };
    },
  };
}

interface HeldScene extends Pick<TestAgent, "agent"> {
  readonly writer: HeldWriter;
  readonly states: () => readonly string[];
  /** Sends a prompt, and ends the run with a reply. */
  readonly prompt: (words: string) => Promise<void>;
}

/** An agent whose next summary is being prepared, and is never ready. */
async function openHeldScene(
  prepare: "during-runs" | "between-runs",
  onEvent: NonNullable<AgentOptions["onEvent"]> = () => {},
): Promise<HeldScene> {
  const [model, writer, states] = [heldModel({ contextWindow: 20_000 }), heldWriter(), [] as string[]];
  const { agent, prompt: run } = await createTestAgent(model, {
    summarizers: [writer],
    runtime: { ...testRuntime("h"), sleep: sleepUntilAborted },
    limits: { ...compactionLimits, prepare },
    onEvent: (event) => {
      if (event.type === "compaction_preparation") states.push(event.state);
      return onEvent(event);
    },
  });
  const prompt = async (words: string): Promise<void> => {
    const ended = run(words);
    await quiet();
    model.waiting[0]?.end(text("Good."));
    await ended;
  };
  for (let at = 0; at < 20 && states.length === 0; at += 1) await prompt(STONES);
  await quiet();
  expect([states, writer.waiting.length]).toEqual([["started"], 1]);
  return { agent, writer, prompt, states: () => states };
}

/** No time passes, so no time limit ends. */
const sleepUntilAborted: Runtime["sleep"] = (ms, { signal }) =>
  new Promise((resolve) => {
    if (ms === 0 || signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });

const readyIn = (agent: Agent): Promise<void> => until(() => agent.isSummaryReady);

async function until(isTrue: () => boolean): Promise<void> {
  for (let wait = 0; wait < 500 && !isTrue(); wait++) await nodeRuntime.sleep(10, {});
  expect(isTrue()).toBe(true);
}

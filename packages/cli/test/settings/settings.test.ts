/** From what stands in settings to the exact token that is too much, wherever somebody looks: before a request, in a run, at a change of models, in the meter. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentEvent, type AgentOptions, type RunEnd, type Tool } from "@pith/agent";
import {
  compactionDue,
  compactionLimits,
  createBudget,
  MemoryStore,
  type Model,
  Session,
  type Usage,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { type ScriptedReply, scriptedModel } from "@pith/context/testing";
import { defaultRequestPolicy } from "@pith/models";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CompactionSettings, createLimitsForModel } from "../../../host/src/settings/settings.ts";
import { settingTable } from "../../../host/src/settings/table.ts";
import { parseCliArgs } from "../../src/args/args.ts";
import { loadSettings } from "../../src/settings/resolve.ts";

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "pith-limits-"));
});

afterAll(() => {
  rmSync(home, { recursive: true });
});

interface Row {
  readonly window: number;
  readonly user?: CompactionSettings;
  readonly project?: CompactionSettings;
  readonly agent?: string;
  /** The smallest number of tokens that is too much. */
  readonly trigger: number;
}

const ME = "anthropic/storyteller";

const rows: readonly Row[] = [
  { window: 1_000_000, trigger: 983_617 },
  { window: 200_000, trigger: 183_617 },
  { window: 128_000, trigger: 111_617 },
  { window: 65_536, trigger: 49_153 },
  { window: 32_000, trigger: 24_001 },
  { window: 16_384, trigger: 12_289 },
  { window: 8_000, trigger: 6_001 },
  { window: 200_000, user: { reserveTokens: 0 }, trigger: 200_001 },
  { window: 200_000, user: { reserveTokens: 1 }, trigger: 200_000 },
  { window: 200_000, user: { reserveTokens: 30_000 }, trigger: 170_001 },
  { window: 200_000, user: { reserveTokens: 50_000 }, trigger: 150_001 },
  { window: 200_000, user: { reserveTokens: 60_000 }, trigger: 150_001 },
  { window: 200_000, user: { reserveTokens: Number.MAX_SAFE_INTEGER }, trigger: 150_001 },
  { window: 200_000, user: { reserveTokens: 0.1 }, trigger: 180_001 },
  { window: 200_000, user: { reserveTokens: 0.07 }, trigger: 186_001 },
  { window: 8_192, user: { reserveTokens: 0.1 }, trigger: 7_373 },
  { window: 200_000, user: { reserveTokens: 0.4 }, trigger: 150_001 },
  { window: 200_000, user: { modelOverrides: { [ME]: { reserveTokens: 0.2 } } }, trigger: 160_001 },
  { window: 200_000, user: { thresholdPercent: 72.5 }, trigger: 145_001 },
  { window: 200_000, user: { thresholdPercent: 92 }, trigger: 183_617 },
  { window: 200_000, user: { thresholdPercent: 100, reserveTokens: 0 }, trigger: 200_001 },
  { window: 200_000, user: { thresholdPercent: 0.5 }, trigger: 1_001 },
  { window: 128_000, user: { thresholdPercent: 33.3 }, trigger: 42_625 },
  { window: 8_000, user: { thresholdPercent: 32.3 }, trigger: 2_585 },
  { window: 8_192, user: { thresholdPercent: 33.34 }, trigger: 2_732 },
  { window: 200_000, user: { thresholdTokens: 100_000 }, trigger: 100_001 },
  { window: 32_000, user: { thresholdTokens: 100_000 }, trigger: 24_001 },
  { window: 200_000, user: { thresholdTokens: 250_000 }, trigger: 183_617 },
  { window: 200_000, user: { thresholdPercent: 50, thresholdTokens: 90_000 }, trigger: 90_001 },
  { window: 200_000, user: { thresholdPercent: 40, thresholdTokens: 90_000 }, trigger: 80_001 },
  { window: 200_000, user: { thresholdPercent: 90, reserveTokens: 40_000 }, trigger: 160_001 },
  { window: 200_000, user: { keepRecentTokens: 50_000 }, trigger: 183_617 },
  { window: 200_000, user: { softPercent: 10, instructions: "Tests.", ask: true, model: "a/b" }, trigger: 183_617 },
  { window: 200_000, user: { modelOverrides: { [ME]: { reserveTokens: 40_000 } } }, trigger: 160_001 },
  { window: 200_000, user: { modelOverrides: { "anthropic/other": { reserveTokens: 40_000 } } }, trigger: 183_617 },
  {
    window: 200_000,
    user: { thresholdPercent: 30, modelOverrides: { [ME]: { thresholdPercent: 50 } } },
    trigger: 100_001,
  },
  {
    window: 200_000,
    user: { thresholdTokens: 120_000, modelOverrides: { [ME]: { reserveTokens: 0 } } },
    trigger: 120_001,
  },
  {
    window: 200_000,
    user: { thresholdTokens: 50_000, modelOverrides: { [ME]: { thresholdTokens: 150_000 } } },
    trigger: 150_001,
  },
  {
    window: 200_000,
    user: { agentOverrides: { reviewer: { thresholdTokens: 60_000 } } },
    agent: "reviewer",
    trigger: 60_001,
  },
  { window: 200_000, user: { agentOverrides: { reviewer: { thresholdTokens: 60_000 } } }, trigger: 183_617 },
  {
    window: 200_000,
    user: {
      modelOverrides: { [ME]: { thresholdPercent: 60 } },
      agentOverrides: { reviewer: { thresholdPercent: 20 } },
    },
    agent: "reviewer",
    trigger: 40_001,
  },
  {
    window: 200_000,
    user: {
      modelOverrides: { [ME]: { thresholdTokens: 30_000 } },
      agentOverrides: { reviewer: { thresholdPercent: 20 } },
    },
    agent: "reviewer",
    trigger: 30_001,
  },
  { window: 200_000, user: { reserveTokens: 20_000 }, project: { reserveTokens: 30_000 }, trigger: 170_001 },
  {
    window: 200_000,
    user: { thresholdTokens: 90_000 },
    project: { modelOverrides: { [ME]: { thresholdTokens: 70_000 } } },
    trigger: 70_001,
  },
  {
    window: 200_000,
    user: { modelOverrides: { [ME]: { thresholdTokens: 110_000 } } },
    project: { thresholdTokens: 50_000 },
    trigger: 110_001,
  },
];

test.each(rows)("DUE7 compaction is due at the same exact token everywhere: %j", async (row) => {
  const { window, trigger } = row;
  const limits = createLimitsForModel(await chosen(row), row.agent === undefined ? {} : { agent: row.agent });
  const parts = { limits, window };
  for (const [tokens, isTooMuch] of [
    [trigger - 1, false],
    [trigger, true],
  ] as const) {
    expect(await isDue(tokens, parts), `due at ${tokens}`).toBe(isTooMuch);
    expect(await compactsInRun(tokens, parts), `in a run at ${tokens}`).toBe(isTooMuch);
    expect(await compactsAtSwitch(tokens, parts), `at a switch of models at ${tokens}`).toBe(isTooMuch);
  }
  expect((await agentOf([], parts)).budget.limit).toBe(trigger - 1);
});

test("DUE7 there are 45 combinations", () => {
  expect(rows.length).toBe(45);
});

test("SET1 the default token limits in the settings table are those of the context package", () => {
  const fallback = (name: string): unknown => settingTable.find((setting) => setting.name === name)?.fallback;
  const { enabled, thresholds, tail, soft, branchReserve } = compactionLimits;
  const limits = createLimitsForModel()({ api: "", provider: "a", model: "b" });
  expect(limits).toEqual({ ...compactionLimits, prepare: "during-runs" });
  expect(fallback("compaction.prepare")).toEqual({ value: true });
  expect(fallback("compaction.enabled")).toEqual({ value: enabled });
  expect(fallback("compaction.reserveTokens")).toEqual({ value: Object(thresholds[0]?.reserve).tokens });
  expect(fallback("compaction.keepRecentTokens")).toEqual({ value: tail.tokens });
  expect(fallback("branchSummary.reserveTokens")).toEqual({ value: Object(branchReserve).tokens });
  expect(fallback("compaction.softPercent")).toEqual({ value: soft * 100 });
});

test("PREP6 with a local server a summary is prepared between runs, and never with compaction.ask on", () => {
  const prepareFor = (provider: string, settings = {}): string =>
    createLimitsForModel(settings)({ api: "", provider, model: "b" }).prepare;
  expect([prepareFor("anthropic"), prepareFor("ollama")]).toEqual(["during-runs", "between-runs"]);
  expect([prepareFor("ollama", { prepare: false }), prepareFor("anthropic", { ask: true })]).toEqual([
    "never",
    "never",
  ]);
});

test("SET1 SUM4 firstTokenMinutes applies to replies and summaries, with a default of ten minutes", () => {
  const { summaryTime } = compactionLimits;
  const minutes = settingTable.find(({ name }) => name === "firstTokenMinutes")?.fallback;
  expect(minutes).toEqual({ value: summaryTime.firstToken / 60_000 });
  expect(defaultRequestPolicy.firstTokenTimeoutMs).toBe(summaryTime.firstToken);
  const longer = createLimitsForModel(
    {},
    { firstTokenMinutes: 40 },
  )({ api: "", provider: "a", model: "b" }).summaryTime;
  expect(longer).toEqual({ firstToken: 2_400_000, nextToken: 90_000, attempt: 2_700_000, total: 5_400_000 });
});

test.each([
  [{}, 200_000, 20_000],
  [{}, 8_000, 1_600],
  [{ keepRecentTokens: 50_000 }, 200_000, 40_000],
  [{ keepRecentTokens: 5_000 }, 200_000, 5_000],
  [{ keepRecentTokens: 0 }, 200_000, 0],
  [{ keepRecentTokens: 1 }, 200_000, 1],
  [{ keepRecentTokens: 0.145 }, 200_000, 29_000],
  [{ keepRecentTokens: 0.5 }, 200_000, 40_000],
  [{ keepRecentTokens: 0.1, thresholdTokens: 30_000 }, 200_000, 4_000],
  [{ keepRecentTokens: 9_000, modelOverrides: { [ME]: { keepRecentTokens: 0.05 } } }, 200_000, 10_000],
  [{ keepRecentTokens: 9_000, modelOverrides: { [ME]: { keepRecentTokens: 7_000 } } }, 200_000, 7_000],
] as const)(
  "SET8 the kept tail has the configured size, at most a fifth of the window: %j of %i",
  async (user, window, tail) => {
    expect((await agentOf([], { limits: createLimitsForModel(user), window })).budget.tail).toBe(tail);
  },
);

test("SET8 an override applies to a model under either name of its provider", () => {
  const limits = createLimitsForModel({ modelOverrides: { "openai-chat/gpt-5": { thresholdTokens: 5 } } });
  expect(limits({ api: "openai-completions", provider: "openai", model: "gpt-5" }).thresholds).toMatchObject([
    { tokens: 5 },
  ]);
});

test("SET8 the warning threshold is the configured share", async () => {
  expect(
    (await agentOf([], { limits: createLimitsForModel({ softPercent: 62.5 }), window: 9 })).budget.limits.soft,
  ).toBe(0.625);
});

const spellings: readonly (readonly [name: string, off: () => Promise<Off>])[] = [
  [
    "the user's settings",
    async () => ({ settings: await chosen({ window: 0, trigger: 0, user: { enabled: false } }) }),
  ],
  [
    "the project's settings",
    async () => ({ settings: await chosen({ window: 0, trigger: 0, project: { enabled: false } }) }),
  ],
  ["--no-auto-compact", async () => ({ settings: await called(["-p", "--no-auto-compact", "hi"]) })],
  [
    "PITH_DISABLE_AUTOCOMPACT",
    async () => ({ settings: await called(["-p", "hi"], { PITH_DISABLE_AUTOCOMPACT: "1" }) }),
  ],
  ["/autocompact off", async () => ({ settings: {}, isByAgent: true })],
];

test.each(spellings)(
  "DUE4 turned off by %s, nothing compacts automatically, and a compaction by command works",
  async (_, off) => {
    const { settings, isByAgent = false } = await off();
    const looking = { limits: createLimitsForModel(settings), window: 200_000 };
    const threshold = await agentOf([calling(199_000), "Done."], looking);
    const overflow = await agentOf([{ failure: { kind: "overflow", message: "too long" } }], looking);
    const back = threshold.model;
    const other = { ...back, provider: "openai", model: "other", contextWindow: 100_000_000 };
    const events: AgentEvent[] = [];
    const listen = (event: AgentEvent): void => void events.push(event);
    const switched = await agentOf([], looking, { session: await sessionWith(199_000), model: other, onEvent: listen });
    const requested = await agentOf([], looking, { session: await longSession() });
    if (isByAgent)
      for (const agent of [threshold, overflow, switched, requested]) agent.setAutoCompactionEnabled(false);

    const full = await ran(threshold);
    expect([full.end, startsByItself(full.events)]).toEqual([{ type: "done" }, false]);
    const refused = await ran(overflow);
    expect(startsByItself(refused.events)).toBe(false);
    expect(refused.end).toMatchObject({ type: "failed", why: expect.stringContaining("/compact") });
    expect(await switched.setModel(back)).toMatchObject({ type: "too-much" });
    expect([startsByItself(events), switched.model]).toEqual([false, other]);
    expect(await requested.compact()).toMatchObject({ type: "compacted" });
  },
);

interface Off {
  readonly settings: CompactionSettings;
  /** Said to the agent itself. */
  readonly isByAgent?: boolean;
}

async function called(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const read = parseCliArgs(args);
  writeFileSync(join(home, "settings.json"), "{}");
  const holds = read.type === "args" && (await loadSettings(read.args.overrides, { environment, home }));
  if (holds === false || holds.type !== "resolved") throw new Error(JSON.stringify(read));
  return holds.settings.compaction ?? {};
}

interface Looking {
  readonly limits: ReturnType<typeof createLimitsForModel>;
  readonly window: number;
}

/** Through the files, as anybody would set it. */
async function chosen({ user = {}, project = {} }: Row): Promise<CompactionSettings> {
  writeFileSync(join(home, "settings.json"), JSON.stringify({ compaction: user }));
  const file = { path: "/p/.pith/settings.json", text: JSON.stringify({ compaction: project }) };
  const chosen = await loadSettings({}, { environment: {}, home, projectFile: file });
  if (chosen.type !== "resolved") throw new Error(chosen.message);
  return chosen.settings.compaction ?? {};
}

async function isDue(tokens: number, { limits, window }: Looking): Promise<boolean> {
  const to = { api: "anthropic-messages", provider: "anthropic", model: "storyteller" };
  const session = await sessionWith(tokens);
  return compactionDue(session.branch, createBudget(limits(to), { contextWindow: window, model: to })).type === "due";
}

/** Between the result of a tool and the next request. */
async function compactsInRun(tokens: number, looking: Looking): Promise<boolean> {
  const since = await sizeOfResult(tokens);
  const agent = await agentOf([calling(tokens - since), "Done."], looking);
  let size = 0;
  const { events } = await ran(agent, (event) => {
    if (event.type === "turn_end" && event.toolResults.length > 0) size = agent.contextUsage().tokens;
  });
  expect(size).toBe(tokens);
  return startsByItself(events);
}

/** What a result adds to what the reply before it measured. */
async function sizeOfResult(near: number): Promise<number> {
  const limits = createLimitsForModel({ enabled: false });
  const agent = await agentOf([calling(near), "Done."], { limits, window: 200_000 });
  let size = 0;
  await ran(agent, (event) => {
    if (event.type === "turn_end" && event.toolResults.length > 0) size = agent.contextUsage().tokens;
  });
  return size - near;
}

/** Back to the model that measured it. */
async function compactsAtSwitch(tokens: number, looking: Looking): Promise<boolean> {
  const events: AgentEvent[] = [];
  const own = await agentOf([], looking);
  const other = { ...own.model, provider: "openai", model: "other", contextWindow: 100_000_000 };
  const session = await sessionWith(tokens);
  const agent = await agentOf([], looking, { session, model: other, onEvent: (event) => void events.push(event) });
  await agent.setModel(own.model);
  return startsByItself(events);
}

function startsByItself(events: readonly AgentEvent[]): boolean {
  return events.some((event) => event.type === "compaction_start" && event.reason !== "manual");
}

const noop: Tool = {
  name: "noop",
  description: "Nothing.",
  parameters: { type: "object" },
  isIdempotent: true,
  run: async () => ({ content: [{ type: "text", text: "ok" }] }),
};

function calling(tokens: number): ScriptedReply {
  return { content: [{ type: "toolCall", id: "c1", name: "noop", arguments: {} }], usage: used(tokens) };
}

function used(tokens: number): Usage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: tokens, cost };
}

async function sessionWith(tokens: number): Promise<Session> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const { api, provider, model } = scriptedModel();
  const reply = { role: "assistant", content: [{ type: "text", text: "Yes." }], api, provider, model } as const;
  await session.append(
    { type: "message", message: { role: "user", content: "Is it so?", timestamp: 0 } },
    { type: "message", message: { ...reply, usage: used(tokens), stopReason: "stop", timestamp: 0 } },
  );
  return session;
}

async function longSession(): Promise<Session> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const message = { role: "user", content: "The tests of the parser fail again. ".repeat(400), timestamp: 0 } as const;
  for (let turn = 0; turn < 20; turn += 1) await session.append({ type: "message", message });
  return session;
}

async function agentOf(
  replies: readonly ScriptedReply[],
  { limits, window }: Looking,
  parts: Partial<AgentOptions> = {},
): Promise<Agent> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const model: Model = { ...scriptedModel(...replies), contextWindow: window };
  // Nobody is asked for summaries: code writes them.
  return new Agent({ session, model, tools: [noop], runtime: nodeRuntime, limits, summarizers: [], ...parts });
}

interface Ran {
  readonly events: readonly AgentEvent[];
  readonly end: RunEnd;
}

async function ran(agent: Agent, look: (event: AgentEvent) => void = () => {}): Promise<Ran> {
  const events: AgentEvent[] = [];
  const run = agent.prompt("Go on.");
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { events, end: value };
    events.push(value);
    look(value);
  }
}

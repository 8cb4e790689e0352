/** Runs `pnpm bench stall`: how long sessions side by side wait for their compactions, with and without a summary prepared in the background. */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Agent, type AgentEvent, type Tool } from "@pith/agent";
import {
  type CompactionLimits,
  compactionLimits,
  contextSize,
  createBudget,
  MemoryStore,
  type Model,
  modelSummarizer,
  type NewEntry,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import { createRandom } from "../random.ts";
import { quantile, shareOf } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { type ServerData, SUMMARIZER } from "./server.ts";

export const stallSuite: Suite = {
  name: "stall",
  description:
    "the wait for a compaction in sessions side by side, with and without a summary prepared in the background",
  run: ({ quick, seed, log }) => measureStall({ ...(quick ? QUICK : FULL), seed, log }),
};

const FULL = { sessions: 24, rounds: 140, roundMs: 1_000, summaryMs: 20_000 };
/** The same proportions, four times as fast, up to the first compaction. */
const QUICK = { sessions: 20, rounds: 44, roundMs: 250, summaryMs: 5_000 };

export interface StallOptions extends ServerData, Pick<SuiteOptions, "seed" | "log"> {
  readonly sessions: number;
}

export async function measureStall({ log, ...options }: StallOptions): Promise<Figures> {
  const { sessions, rounds, roundMs, summaryMs } = options;
  log(`${sessions} sessions, ${rounds} rounds of ${roundMs / 1_000} s, a summarizer of ${summaryMs / 1_000} s`);
  const prepared = await runSessions({ ...options, window: WINDOW, prepare: "during-runs" });
  const large = await runSessions({ ...options, ...LARGE, sessions: Math.ceil(sessions / 4), prepare: "during-runs" });
  const waiting = await runSessions({ ...options, window: WINDOW, prepare: "never" });
  const stalls = (result: StallResult): readonly number[] => result.compactions.map(({ stallMs }) => stallMs / 1_000);
  return {
    sessions,
    compactions: prepared.compactions.length,
    prepared_share: shareOf(prepared.compactions, ({ isPrepared }) => isPrepared),
    stall_p95_s: quantile(stalls(prepared), 0.95),
    stall_max_s: Math.max(...stalls(prepared)),
    over_limit: prepared.overLimit,
    largest_request_x_limit: prepared.largestShare,
    longest_slice_ms: prepared.longestSliceMs,
    compactions_200k: large.compactions.length,
    longest_slice_200k_ms: large.longestSliceMs,
    unprepared_compactions: waiting.compactions.length,
    unprepared_stall_p95_s: quantile(stalls(waiting), 0.95),
    unprepared_longest_slice_ms: waiting.longestSliceMs,
  };
}

interface StallResult {
  readonly compactions: readonly { readonly stallMs: number; readonly isPrepared: boolean }[];
  /** Requests that were larger than the limit, by the server's count. */
  readonly overLimit: number;
  readonly largestShare: number;
  /** The longest time for which the event loop was blocked, in CPU time of its thread: other programs on the machine do not count. */
  readonly longestSliceMs: number;
}

interface SessionOptions {
  /** The model's context window. */
  readonly window: number;
  readonly prepare: CompactionLimits["prepare"];
}

async function runSessions({
  sessions,
  seed,
  window,
  prepare,
  ...server
}: Omit<StallOptions, "log"> & SessionOptions): Promise<StallResult> {
  const worker = new Worker(new URL("./server.ts", import.meta.url), { workerData: server });
  const [url] = (await once(worker, "message")) as [string];
  const observed = {
    compactions: [] as StallResult["compactions"][number][],
    inputs: [] as number[],
    longestSliceMs: 0,
  };
  try {
    const agents = await Promise.all(
      Array.from({ length: sessions }, (_, index) =>
        openAgent({ url, index, window, prepare, seed: seed + index, onEvent: (event) => observe(event, observed) }),
      ),
    );
    const slices = measureSlices();
    await Promise.all(agents.map((agent, index) => runAgent(agent, index * (server.roundMs / sessions))));
    observed.longestSliceMs = slices.stop();
    await Promise.all(agents.map((agent) => agent.close()));
  } finally {
    worker.postMessage("close");
    await once(worker, "exit");
  }
  const { limit } = createBudget(compactionLimits, { contextWindow: window });
  return {
    compactions: observed.compactions,
    overLimit: observed.inputs.filter((tokens) => tokens > limit).length,
    largestShare: Math.max(...observed.inputs) / limit,
    longestSliceMs: observed.longestSliceMs,
  };
}

function measureSlices(): { readonly stop: () => number } {
  let longest = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);

    before = process.threadCpuUsage();
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

function observe(
  event: AgentEvent,
  observed: { readonly compactions: StallResult["compactions"][number][]; readonly inputs: number[] },
): void {
  if (event.type === "compaction_end") {
    const { compaction, durationMs: stallMs } = event;
    const isPrepared = compaction.type === "compacted" && compaction.receipt.preparedMs !== undefined;
    observed.compactions.push({ stallMs, isPrepared });
  }
  if (event.type !== "message_end" || event.message.role !== "assistant") return;
  const { input, cacheRead, cacheWrite } = event.message.usage;
  observed.inputs.push(input + cacheRead + cacheWrite);
}

async function runAgent(agent: Agent, delayMs: number): Promise<void> {
  // Sessions of several users do not run in step.
  await nodeRuntime.sleep(delayMs, {});
  const run = agent.prompt("Measure every stone, one after the other.");
  for (;;) {
    const { done, value } = await run.next();
    if (!done) continue;
    if (value.type !== "done") throw new Error(`a session ended early: ${JSON.stringify(value)}`);
    return;
  }
}

interface OpenAgentOptions extends SessionOptions {
  readonly url: string;
  readonly index: number;
  readonly seed: number;
  readonly onEvent: (event: AgentEvent) => void;
}

const WINDOW = 64_000;
/** Up to the first compaction. */
const LARGE = { window: 200_000, rounds: 44 };

/** A session of tool calls that is nearly at the soft threshold. */
async function openAgent({ url, index, seed, window, prepare, onEvent }: OpenAgentOptions): Promise<Agent> {
  const random = createRandom(seed);
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const budget = createBudget(compactionLimits, { contextWindow: window });
  // A larger window is filled in as many rounds.
  const reportLines = Math.round((REPORT_LINES * window) / WINDOW);
  await session.addUserMessage("Measure every stone, and note what lies beside it.");
  for (let stone = 1; contextSize(session.branch, budget).tokens < budget.limit * FILLED_SHARE; stone += 1)
    await session.append(...createEarlierRound(stone, writeReport(random, reportLines * 4)));
  const tool: Tool = {
    name: "measure",
    description: "Measures a stone.",
    parameters: { type: "object", properties: { stone: { type: "number" } } },
    isIdempotent: true,
    run: async () => ({ content: [{ type: "text", text: writeReport(random, reportLines) }] }),
  };
  const [model, summarizer] = [await open(url, `claude-${index}`, window), await open(url, SUMMARIZER, window)];
  return new Agent({
    session,
    model,
    tools: [tool],
    runtime: nodeRuntime,
    thinkingLevel: "off",
    summarizers: [modelSummarizer(summarizer, { runtime: nodeRuntime })],
    limits: { ...compactionLimits, prepare, hourly: { cost: 1_000, calls: 1_000 } },
    onEvent,
  });
}

function createEarlierRound(stone: number, report: string): readonly NewEntry[] {
  const toolCallId = `earlier-${stone}`;
  const call = { type: "toolCall" as const, id: toolCallId, name: "measure", arguments: { stone } };
  const by = { api: "anthropic-messages", provider: "anthropic", model: "claude", stopReason: "toolUse" } as const;
  const result = {
    toolCallId,
    toolName: "measure",
    content: [{ type: "text" as const, text: report }],
    isError: false,
  };
  return [
    { type: "message", message: { role: "assistant", content: [call], ...by, usage: NO_USAGE, timestamp: 0 } },
    { type: "message", message: { role: "toolResult", ...result, timestamp: 0 } },
  ];
}

const NO_USAGE = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const FILLED_SHARE = 0.6;
const REPORT_LINES = 18;

async function open(url: string, model: string, contextWindow: number): Promise<Model> {
  const modelOptions = { provider: "anthropic", model, baseUrl: `${url}/v1`, apiKey: "any", contextWindow };
  const opened = await openModel(modelOptions, { environment: {}, requestPolicy: { retries: 0 } });
  if (opened.type !== "opened") throw new Error(opened.message);
  return opened.model;
}

const WORDS =
  "the stone lies beside another which measures about seven hands across and shows marks of water along its northern edge while moss covers most of what remains above ground".split(
    " ",
  );

/** About twelve words a line. */
function writeReport(random: () => number, lines: number): string {
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? "";
  return Array.from({ length: lines * 12 }, word).join(" ");
}

/** Runs the sub-agent tool: starts sub-agents, waits for them, or reads a transcript. An aborted call stops the sub-agents it waits for. */

import type { ToolCall, ToolOutput } from "@pith/agent";
import type { AgentDefinition } from "./definitions.ts";
import type { StartedSubAgent } from "./log.ts";
import type { StartOptions, SubAgent, SubAgentPool, Task } from "./pool.ts";
import {
  createExcerpt,
  createResultDetails,
  formatProgress,
  formatResult,
  MAX_RESULT_BYTES,
  type SubAgentResult,
  statusTexts,
} from "./result.ts";
import { readTranscriptPage } from "./session.ts";
import { parseToolInput, STARTED_NOTE } from "./tool-input.ts";

export interface ToolContext {
  readonly pool: SubAgentPool;
  readonly agents: readonly AgentDefinition[];
  /** Without a user the process ends with the run, so nothing is started in the background: its result would be lost. */
  readonly hasUser: boolean;
  /** Lists the sub-agents of this session: the latest ones, or all of them if the id is not among the latest. */
  readonly findStarted: (id: string) => Promise<readonly StartedSubAgent[]>;
}

export async function runTool(call: ToolCall, context: ToolContext): Promise<ToolOutput> {
  const input = parseToolInput(call.arguments, context.agents);
  switch (input.type) {
    case "invalid":
      return { content: [{ type: "text", text: input.message }], isError: true };
    case "tasks":
      return input.isBackground && context.hasUser
        ? await startInBackground(input.tasks, call, context)
        : await runInParallel(input.tasks, call, context);
    case "chain": {
      const { results, failures } = await runChain(input.tasks, { call, pool: context.pool });
      return createResultOutput(results, call.maxOutputBytes, failures);
    }
    case "wait":
      return await waitForIds(input.ids, call, context);
    case "read":
      return await readTranscript(input, call, context);
  }
}

async function startInBackground(tasks: readonly Task[], call: ToolCall, { pool }: ToolContext): Promise<ToolOutput> {
  const { subAgents, failures } = await startAll(tasks, call, { pool, startOptions: { isBackground: true } });
  // The result of an aborted call is not used, so these sub-agents would stay unknown to the model.
  if (call.signal.aborted) await Promise.all(subAgents.map((subAgent) => pool.drop(subAgent)));
  const lines = subAgents.map(({ id, agent }) => `${id} (${agent}) ${STARTED_NOTE}`);
  const isError = subAgents.length === 0;
  return { content: [{ type: "text", text: [...lines, ...failures].join("\n") }], ...(isError && { isError }) };
}

async function runInParallel(tasks: readonly Task[], call: ToolCall, { pool }: ToolContext): Promise<ToolOutput> {
  const subAgents: SubAgent[] = [];
  const startOptions: StartOptions = {
    isBackground: false,
    onProgress: () => call.update(formatProgressLines(subAgents)),
  };
  const { failures } = await startAll(tasks, call, { pool, startOptions, subAgents });
  return createResultOutput(await waitForResults(subAgents, { call, pool }), call.maxOutputBytes, failures);
}

interface StartAllOptions {
  readonly pool: SubAgentPool;
  readonly startOptions: StartOptions;
  /** Each sub-agent is added when it starts, so that progress can be shown meanwhile. */
  readonly subAgents?: SubAgent[];
}

async function startAll(
  tasks: readonly Task[],
  { signal }: ToolCall,
  { pool, startOptions, subAgents = [] }: StartAllOptions,
) {
  const failures: string[] = [];
  for (const task of tasks) {
    if (signal.aborted) break;
    const subAgent = await pool.start(task, startOptions);
    if (typeof subAgent === "string") failures.push(subAgent);
    else subAgents.push(subAgent);
  }
  return { subAgents, failures };
}

function formatProgressLines(subAgents: readonly SubAgent[]): string {
  return subAgents
    .map((subAgent) => formatProgress(subAgent.agent, { ...subAgent.progress, ...finishedActivity(subAgent) }))
    .join("\n");
}

function finishedActivity({ result }: SubAgent): { readonly activity?: string } {
  return result === null ? {} : { activity: statusTexts[result.status] };
}

function createResultOutput(
  results: readonly SubAgentResult[],
  maxBytes: number,
  notes: readonly string[] = [],
): ToolOutput {
  const maxBytesEach = Math.min(MAX_RESULT_BYTES, Math.floor(maxBytes / Math.max(1, results.length)) - 300);
  const text = [...results.map((result) => formatResult(result, Math.max(200, maxBytesEach))), ...notes].join("\n\n");
  const isError = !results.some(({ status }) => status === "done");
  return { content: [{ type: "text", text }], details: createResultDetails(results), ...(isError && { isError }) };
}

async function waitForIds(
  ids: readonly string[],
  call: ToolCall,
  { pool, findStarted }: ToolContext,
): Promise<ToolOutput> {
  const pending: SubAgent[] = [];
  const notes: string[] = [];
  const unknownIds: string[] = [];
  for (const id of new Set(ids)) {
    const subAgent = pool.findSubAgent(id);
    const started = subAgent ? [] : await findStarted(id);
    if (!subAgent && !started.some((candidate) => candidate.id === id)) unknownIds.push(describeUnknownId(id, started));
    else if (!subAgent) notes.push(`${id} is not running; {"read": "${id}"} returns its transcript`);
    else if (subAgent.result)
      notes.push(`${id} has finished, and its result was already reported; {"read": "${id}"} returns its transcript`);
    // Each result is reported once, by the call that waits for it.
    else if (subAgent.isAwaited) notes.push(`another call is waiting for ${id} and reports its result`);
    else {
      subAgent.isAwaited = true;
      pending.push(subAgent);
    }
  }
  const messages = [...notes, ...unknownIds];
  if (pending.length === 0) {
    const isError = notes.length === 0;
    return { content: [{ type: "text", text: messages.join("\n") }], ...(isError && { isError }) };
  }
  return createResultOutput(await waitForResults(pending, { call, pool }), call.maxOutputBytes, messages);
}

/** Reads only sub-agents of this session, and no other sessions. */
async function readTranscript(
  { id, page }: { readonly id: string; readonly page: number },
  { maxOutputBytes }: ToolCall,
  { findStarted }: ToolContext,
): Promise<ToolOutput> {
  const started = await findStarted(id);
  const subAgent = started.find((candidate) => candidate.id === id);
  if (!subAgent) return createErrorOutput(describeUnknownId(id, started));
  const transcript = await readTranscriptPage({
    path: subAgent.path,
    page,
    maxBytes: Math.max(1_000, Math.min(maxOutputBytes, MAX_PAGE_BYTES) - 200),
  });
  if (transcript.type === "failed") return createErrorOutput(transcript.why);
  const nextPageHint = page < transcript.pages ? `; next page: {"read": "${id}", "page": ${page + 1}}` : "";
  return {
    content: [
      { type: "text", text: `[${id}, page ${page} of ${transcript.pages}${nextPageHint}]\n${transcript.text}` },
    ],
  };
}

function describeUnknownId(id: string, started: readonly StartedSubAgent[]): string {
  const ids = started.map((subAgent) => subAgent.id).join(", ");
  return `No sub-agent ${id} in this session. ${ids === "" ? "None were started." : `Started: ${ids}`}`;
}

const MAX_PAGE_BYTES = 16 * 1024;

function createErrorOutput(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

export interface WaitContext {
  readonly call: ToolCall;
  readonly pool: SubAgentPool;
}

/** Returns the results in the order of `subAgents`. */
async function waitForResults(
  subAgents: readonly SubAgent[],
  { call, pool }: WaitContext,
): Promise<readonly SubAgentResult[]> {
  const stop = (): void => {
    for (const subAgent of subAgents) if (subAgent.result === null) void pool.drop(subAgent);
  };
  // The call may have been aborted while the sub-agents started.
  if (call.signal.aborted) stop();
  call.signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.all(subAgents.map(({ completion }) => completion));
  } finally {
    call.signal.removeEventListener("abort", stop);
  }
}

export interface ChainResult {
  /** All results before the last have an empty text, because it was passed to the next task. */
  readonly results: readonly SubAgentResult[];
  /** Why the next sub-agent could not be started. */
  readonly failures: readonly string[];
}

/** Passes the last text of each sub-agent to the next. The chain ends at the first that is not done. */
async function runChain(tasks: readonly Task[], { call, pool }: WaitContext): Promise<ChainResult> {
  const results: SubAgentResult[] = [];
  for (const { agent, task } of tasks) {
    if (call.signal.aborted) break;
    const previous = results.at(-1)?.text ?? "";
    const subAgent = await pool.start(
      { agent, task: insertPrevious(task, previous) },
      {
        isBackground: false,
        onProgress: () => typeof subAgent !== "string" && call.update(formatProgress(agent.name, subAgent.progress)),
      },
    );
    if (typeof subAgent === "string") return { results: clearPassedTexts(results), failures: [subAgent] };
    results.push(...(await waitForResults([subAgent], { call, pool })));
    if (results.at(-1)?.status !== "done") break;
  }
  return { results: clearPassedTexts(results), failures: [] };
}

function clearPassedTexts(results: readonly SubAgentResult[]): readonly SubAgentResult[] {
  return results.map((result, index) => (index < results.length - 1 ? { ...result, text: "" } : result));
}

/** Replaces all placeholders in one pass, so that `{previous}` in the inserted text stays as it is. */
export function insertPrevious(task: string, previous: string): string {
  return task.replaceAll("{previous}", () => createExcerpt(previous, MAX_PASSED_BYTES).excerpt);
}

const MAX_PASSED_BYTES = 48 * 1024;

/** Creates agents with a model, a tool and a summarizer that wait until the test ends their calls. */

import "../../src/compaction/compact.ts";
import "../../src/compaction/prepare-summary.ts";
import "../../src/compaction/remove-outdated.ts";
import "../../src/session/navigate.ts";
import {
  type AssistantMessage,
  type Entry,
  MemoryStore,
  type Model,
  type ModelEvent,
  type ModelFailure,
  type Request,
  type Runtime,
  Session,
  type Summarizer,
  type SummaryCandidate,
} from "@pith/context";
import { emptyUsage, testRuntime } from "@pith/context/testing";
import { Agent, type AgentEvent, type AgentOptions, type RunEnd, type Tool, type ToolOutput } from "../../src/index.ts";

// Imported early, because the lazy import would take longer than these tests wait.

/** A call that waits; `end` resolves it. */
export interface Held<Asked, Outcome> {
  readonly input: Asked;
  readonly end: (outcome: Outcome) => void;
}

export type Reply = Partial<AssistantMessage> | { readonly failure: ModelFailure };

const MODEL_NAME = { api: "anthropic-messages", provider: "anthropic", model: "held" };

export interface HeldModel extends Model {
  readonly waiting: Held<Request, Reply>[];
  readonly requests: Request[];
}

export function heldModel({ contextWindow = 200_000, model = MODEL_NAME.model } = {}): HeldModel {
  const waiting: Held<Request, Reply>[] = [];
  const requests: Request[] = [];
  const modelName = { ...MODEL_NAME, model };
  return {
    ...modelName,
    contextWindow,
    maxTokens: 4_000,
    waiting,
    requests,
    async *stream(request, { signal }) {
      requests.push(request);
      const reply = await held(waiting, request, signal);
      yield reply === null ? stopped(modelName) : toModelEvent(reply, modelName);
    },
  };
}

export interface HeldTool extends Tool {
  readonly waiting: Held<string, string>[];
  /** The calls it was run for. */
  readonly ran: string[];
}

export function heldTool(name: string, { isIdempotent = false, isConcurrent = false } = {}): HeldTool {
  const waiting: Held<string, string>[] = [];
  const ran: string[] = [];
  return {
    name,
    description: "It waits.",
    parameters: { type: "object" },
    isIdempotent,
    isConcurrent,
    waiting,
    ran,
    run: async ({ id, signal }): Promise<ToolOutput> => {
      ran.push(id);
      const text = await held(waiting, id, signal);
      if (text === null) throw new Error("stopped");
      return { content: [{ type: "text", text }] };
    },
  };
}

/** Writes a short summary, or fails, when the test ends its call. */
export interface HeldWriter extends Summarizer {
  readonly waiting: Held<null, "tells" | "fails">[];
}

export function heldWriter(): HeldWriter {
  const waiting: Held<null, "tells" | "fails">[] = [];
  return {
    name: "held",
    isPaid: false,
    waiting,
    summarize: async (plan, { signal }) => {
      const how = await held(waiting, null, signal);
      if (how === null) return { type: "cancelled" };
      if (how === "fails") return { type: "failed", why: "the test made it fail" };
      const covers = new Set(plan.covered.map(({ id }) => id));
      const candidate: SummaryCandidate = { route: "held", narrative: "## Goal\nWork on.", notes: "", covers };
      return { type: "written", candidate };
    },
  };
}

/** Null: the call was aborted. */
function held<Asked, Outcome>(
  waiting: Held<Asked, Outcome>[],
  input: Asked,
  signal: AbortSignal | undefined,
): Promise<Outcome | null> {
  return new Promise((resolve) => {
    const leave = (): void => void waiting.splice(waiting.indexOf(mine), waiting.includes(mine) ? 1 : 0);
    const mine: Held<Asked, Outcome> = {
      input,
      end: (outcome) => {
        leave();
        resolve(outcome);
      },
    };
    waiting.push(mine);
    const stop = (): void => {
      leave();
      resolve(null);
    };
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function toModelEvent(reply: Reply, modelName: typeof MODEL_NAME): ModelEvent {
  if ("failure" in reply) return { type: "reply-failed", failure: reply.failure };
  return { type: "reply-ended", message: messageOf(reply, modelName) };
}

function stopped(modelName: typeof MODEL_NAME): ModelEvent {
  const message = messageOf({ content: [{ type: "text", text: "half a" }], stopReason: "aborted" }, modelName);
  return { type: "reply-failed", failure: { kind: "aborted", message: "stopped" }, message };
}

function messageOf(reply: Partial<AssistantMessage>, modelName: typeof MODEL_NAME): AssistantMessage {
  const isCalling = reply.content?.some((block) => block.type === "toolCall");
  const stopReason = isCalling ? "toolUse" : "stop";
  return { role: "assistant", content: [], ...modelName, usage: emptyUsage, stopReason, timestamp: 0, ...reply };
}

export const text = (words: string): Reply => ({ content: [{ type: "text", text: words }] });

export const calls = (name: string, ...ids: readonly string[]): Reply => ({
  content: ids.map((id) => ({ type: "toolCall" as const, id, name, arguments: {} })),
});

export const tooLong: Reply = { failure: { kind: "overflow", message: "prompt is too long" } };

export async function createTestAgent(
  model: Model,
  parts: Partial<AgentOptions> = {},
  prefix = "e",
): Promise<TestAgent> {
  const ports = patient(testRuntime(prefix));
  return startTestAgent(await Session.open(MemoryStore.create(ports), ports), { model, runtime: ports, ...parts });
}

/** Opens the same session as another process would. */
export async function reopenTestAgent(
  { agent }: TestAgent,
  parts: Partial<AgentOptions> & { readonly model: Model },
  prefix: string,
): Promise<TestAgent> {
  const ports = patient(testRuntime(prefix));
  const { store } = agent.session;
  if (!(store instanceof MemoryStore)) throw new Error("only a session in memory can be reopened");
  return startTestAgent(await Session.open(MemoryStore.open(store.bytes(), ports), ports), {
    runtime: ports,
    ...parts,
  });
}

export interface TestAgent {
  readonly agent: Agent;
  readonly events: AgentEvent[];
  /** Starts a run and reads its events; resolves to its end. */
  readonly prompt: (words: string) => Promise<RunEnd>;
  readonly resume: () => Promise<RunEnd>;
}

function startTestAgent(
  session: Session,
  parts: Partial<AgentOptions> & Pick<AgentOptions, "model" | "runtime">,
): TestAgent {
  const events: AgentEvent[] = [];
  const listen = (event: AgentEvent): void => void events.push(event);
  const agent = new Agent({ session, tools: [], onEvent: listen, ...parts });
  return { agent, events, prompt: (words) => drainRun(agent.prompt(words)), resume: () => drainRun(agent.resume()) };
}

/** Reads all events of a run, and returns its end. */
export async function drainRun(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

// A sleep takes a few turns of the event loop, so that aborted work can end and no test waits for the clock.
function patient(ports: Runtime): Runtime {
  return { ...ports, sleep: async (ms, { signal }) => (ms > 0 && !signal?.aborted ? quiet() : undefined) };
}

/** Waits until all work that does not depend on the test has run. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The messages of the branch, one line each. */
export async function branchLines({ agent }: TestAgent): Promise<readonly string[]> {
  return (await agent.session.branchEntries()).flatMap(lineOf);
}

function lineOf(entry: Entry): readonly string[] {
  if (entry.type === "compaction") return ["compaction"];
  if (entry.type !== "message") return [];
  const { message } = entry;
  if (message.role === "toolResult") return [`${message.toolCallId} → ${wordsOf(message.content)}`];
  if (message.role !== "user" && message.role !== "assistant") return [];
  return [`${message.role}: ${wordsOf(message.content)}`];
}

function wordsOf(
  content: string | readonly { readonly type: string; readonly text?: string; readonly id?: string }[],
): string {
  if (typeof content === "string") return content;
  return content.map(({ text: words, id }) => words ?? `[${id}]`).join(" ");
}

/** Creates agents at a scripted server: a session in memory, a real provider package and two small tools. */

import { MemoryStore, type Model, type Runtime, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import type { TestServer } from "@pith/testkit";
import { Agent, type AgentEvent, type AgentOptions, type RunEnd, type Tool } from "../../src/index.ts";

export const providers = [
  { provider: "anthropic", model: "claude-sonnet-4-5", path: "/v1" },
  { provider: "openai", model: "gpt-5", path: "/v1" },
  { provider: "openrouter", model: "qwen/qwen3-coder", path: "/v1" },
  { provider: "google", model: "gemini-3-pro-preview", path: "/v1beta" },
] as const;

export type TestProvider = Pick<(typeof providers)[number], "provider" | "path"> & { readonly model: string };

export async function modelOf(
  { provider, model, path }: TestProvider,
  server: Pick<TestServer, "url">,
  contextWindow = 200_000,
): Promise<Model> {
  const modelOptions = { provider, model, baseUrl: server.url + path, apiKey: "any", contextWindow };
  const opened = await openModel(modelOptions, { environment: {}, requestPolicy: { retries: 0 } });
  if (opened.type !== "opened") throw new Error(opened.message);
  return opened.model;
}

const parameters = { type: "object", properties: { text: { type: "string" } } };

export const echo: Tool = {
  name: "echo",
  description: "Says it again.",
  parameters,
  isIdempotent: true,
  run: async ({ arguments: { text } }) => ({ content: [{ type: "text", text: `echo: ${String(text)}` }] }),
};

const fail: Tool = {
  name: "fail",
  description: "Fails.",
  parameters,
  isIdempotent: true,
  run: async () => {
    throw new Error("it had to fail");
  },
};

export async function agentOf(model: Model, parts: Partial<AgentOptions> = {}): Promise<Agent> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const tools = parts.tools ?? [echo, fail];
  const toolsAdded = tools.map(({ name, description, parameters: schema }) => ({
    name,
    description,
    parameters: schema,
  }));
  const system = { role: "system", content: "You work.", toolsAdded: toolsAdded, timestamp: 0 } as const;
  await session.append({ type: "message", message: system });
  return new Agent({ session, model, tools, runtime: nodeRuntime, thinkingLevel: "off", ...parts });
}

/** The runtime of Node, and the sum of the waits that were not aborted. A busy machine does not change it. */
export function countWaiting(): { readonly runtime: Runtime; readonly waitedMs: () => number } {
  let waitedMs = 0;
  const sleep: Runtime["sleep"] = async (ms, options) => {
    await nodeRuntime.sleep(ms, options);
    if (!options.signal?.aborted) waitedMs += ms;
  };
  return { runtime: { ...nodeRuntime, sleep }, waitedMs: () => waitedMs };
}

export interface Ran {
  readonly events: readonly AgentEvent[];
  readonly end: RunEnd;
}

export function ran(agent: Agent, text: string, look: (event: AgentEvent) => void = () => {}): Promise<Ran> {
  return runToEnd(agent.prompt(text), look);
}

export async function runToEnd(
  run: AsyncGenerator<AgentEvent, RunEnd>,
  look: (event: AgentEvent) => void = () => {},
): Promise<Ran> {
  const events: AgentEvent[] = [];
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { events, end: value };
    events.push(value);
    look(value);
  }
}

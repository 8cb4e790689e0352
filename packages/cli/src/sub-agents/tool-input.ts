/** Defines the schema and the texts of the sub-agent tool, and validates its arguments. */

import type { Tool } from "@pith/context";
import type { AgentDefinition } from "./definitions.ts";
import { SUB_AGENT } from "./log.ts";
import type { Task } from "./pool.ts";

export type ToolInput =
  | { readonly type: "tasks" | "chain"; readonly tasks: readonly Task[]; readonly isBackground: boolean }
  | { readonly type: "wait"; readonly ids: readonly string[] }
  | { readonly type: "read"; readonly id: string; readonly page: number }
  /** The model gets the message and may try again. */
  | { readonly type: "invalid"; readonly message: string };

type ToolArguments = Readonly<Record<string, unknown>>;

export function parseToolInput(args: ToolArguments, agents: readonly AgentDefinition[]): ToolInput {
  const modes = MODES.filter((mode) => isGiven(args[mode]));
  const [mode] = modes;
  if (mode === undefined || modes.length > 1) return createInputError(`Specify exactly one of: ${MODES.join(", ")}`);
  switch (mode) {
    case "agent":
      return parseTasks([args], { type: "tasks", args, agents });
    case "tasks":
    case "chain":
      return parseTasks(parseList(args[mode]), { type: mode, args, agents });
    case "wait":
      return { type: "wait", ids: parseList(args.wait).map(String) };
    case "read":
      return { type: "read", id: String(args.read), page: parsePage(args.page) };
  }
}

const MODES = ["agent", "tasks", "chain", "wait", "read"] as const;
const MAX_TASKS = 8;

interface ParseTasksOptions {
  readonly type: "tasks" | "chain";
  readonly args: ToolArguments;
  readonly agents: readonly AgentDefinition[];
}

function parseTasks(items: readonly unknown[], { type, args, agents }: ParseTasksOptions): ToolInput {
  if (items.length === 0 || items.length > MAX_TASKS) return createInputError(`Specify 1 to ${MAX_TASKS} tasks.`);
  const isBackground = args.background === true || args.background === "true";
  if (isBackground && type === "chain")
    return createInputError("A chain cannot run in the background; omit background.");
  const tasks: Task[] = [];
  for (const item of items) {
    const { agent: name, task } = Object(item) as ToolArguments;
    const agent = agents.find((candidate) => candidate.name === name);
    if (!agent)
      return createInputError(
        `No agent named ${quoteValue(name)}. Available agents: ${agents.map((candidate) => candidate.name).join(", ")}`,
      );
    if (typeof task !== "string" || task.trim() === "")
      return createInputError(`The agent ${agent.name} needs a task with everything it must know.`);
    tasks.push({ agent, task });
  }
  return { type, tasks, isBackground };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** Some models write a list as a JSON string. */
function parseList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [value];
  } catch {
    return [value];
  }
}

function parsePage(value: unknown): number {
  const page = Number(value ?? 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

function quoteValue(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 80);
}

function createInputError(message: string): ToolInput {
  return { type: "invalid", message };
}

const TOOL_DESCRIPTION = `Delegates a task to a sub-agent: a separate agent with its own context, which cannot see this conversation. Include everything it needs in the task.
Pass {agent, task} for one, {tasks: [{agent, task}, …]} for up to 8 in parallel, or {chain: [{agent, task}, …]} for up to 8 in sequence; in a chain, {previous} in a task is replaced with the previous sub-agent's final message.
The result is each sub-agent's final message (in a chain, only the last one's). With background: true, the call returns at once, and you get a message when the sub-agent finishes; {wait: [ids]} waits for it. {read: id, page} returns a sub-agent's transcript.
Agents:`;

const MORE_AGENTS_NOTE = "and more; an unknown name lists them all";

export const STARTED_NOTE = "runs in the background; you get a message when it finishes";

export function createToolSchema(agents: readonly AgentDefinition[]): Tool {
  return { name: SUB_AGENT, description: `${TOOL_DESCRIPTION}\n${formatCatalogue(agents)}`, parameters };
}

const MAX_CATALOGUE_BYTES = 1_024;

function formatCatalogue(agents: readonly AgentDefinition[]): string {
  const lines: string[] = [];
  let remainingBytes = MAX_CATALOGUE_BYTES - MORE_AGENTS_NOTE.length - 3;
  for (const { name, description } of agents) {
    const line = `- ${name}: ${description}`;
    remainingBytes -= Buffer.byteLength(line) + 1;
    if (remainingBytes < 0) return [...lines, `- ${MORE_AGENTS_NOTE}`].join("\n");
    lines.push(line);
  }
  return lines.join("\n");
}

const taskSchema = {
  type: "object",
  properties: { agent: { type: "string" }, task: { type: "string" } },
  required: ["agent", "task"],
};

const parameters: Tool["parameters"] = {
  type: "object",
  properties: {
    agent: { type: "string" },
    task: { type: "string" },
    tasks: { type: "array", items: taskSchema, maxItems: 8 },
    chain: { type: "array", items: taskSchema, maxItems: 8 },
    background: { type: "boolean" },
    wait: { type: "array", items: { type: "string" } },
    read: { type: "string" },
    page: { type: "integer", minimum: 1 },
  },
};

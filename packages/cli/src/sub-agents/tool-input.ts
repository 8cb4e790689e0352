/** Defines the schema and texts of the sub-agent tool, and validates its arguments: exactly one mode, with known agents. */

import type { Tool } from "@pith/context";
import type { AgentPart } from "./definitions.ts";
import { SUB_AGENT } from "./log.ts";
import type { Task } from "./pool.ts";

export type Wanted =
  | { readonly type: "tasks" | "chain"; readonly tasks: readonly Task[]; readonly isBackground: boolean }
  | { readonly type: "wait"; readonly ids: readonly string[] }
  | { readonly type: "read"; readonly id: string; readonly page: number }
  /** Told to the model, which may try again. */
  | { readonly type: "wrong"; readonly message: string };

type Asked = Readonly<Record<string, unknown>>;

export function wantedIn(asked: Asked, agents: readonly AgentPart[]): Wanted {
  const ways = WAYS.filter((way) => isGiven(asked[way]));
  const [way] = ways;
  if (way === undefined || ways.length > 1) return wrong(`write exactly one of: ${WAYS.join(", ")}`);
  switch (way) {
    case "agent":
      return tasksIn([asked], { type: "tasks", asked, agents });
    case "tasks":
    case "chain":
      return tasksIn(listIn(asked[way]), { type: way, asked, agents });
    case "wait":
      return { type: "wait", ids: listIn(asked.wait).map(String) };
    case "read":
      return { type: "read", id: String(asked.read), page: pageIn(asked.page) };
  }
}

const WAYS = ["agent", "tasks", "chain", "wait", "read"] as const;
export const MOST_TASKS = 8;

interface Tasks {
  readonly type: "tasks" | "chain";
  readonly asked: Asked;
  readonly agents: readonly AgentPart[];
}

function tasksIn(given: readonly unknown[], { type, asked, agents }: Tasks): Wanted {
  if (given.length === 0 || given.length > MOST_TASKS) return wrong(`write 1 to ${MOST_TASKS} tasks`);
  const isBackground = asked.background === true || asked.background === "true";
  if (isBackground && type === "chain") return wrong("a chain is waited for; leave background out");
  const tasks: Task[] = [];
  for (const each of given) {
    const { agent: name, task } = Object(each) as Asked;
    const agent = agents.find((known) => known.name === name);
    if (!agent)
      return wrong(`there is no agent ${shown(name)}; there are: ${agents.map((known) => known.name).join(", ")}`);
    if (typeof task !== "string" || task.trim() === "")
      return wrong(`${agent.name} needs a task: a text that says all it must know`);
    tasks.push({ agent, task });
  }
  return { type, tasks, isBackground };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** Some models write a list as a text of JSON. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [];
  try {
    const read: unknown = JSON.parse(value);
    return Array.isArray(read) ? read : [value];
  } catch {
    return [value];
  }
}

function pageIn(value: unknown): number {
  const page = Number(value ?? 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}

function wrong(message: string): Wanted {
  return { type: "wrong", message };
}

export const DESCRIPTION = `Hands a task to a sub-agent: another agent with a context of its own, which sees none of this conversation. Say all it needs in the task.
Give one {agent, task}, several that work at the same time {tasks: [{agent, task}, …]} (8 at most), or one after the other {chain: [{agent, task}, …]}, where {previous} in a task stands for what the one before said last.
Its last words come back. With background: true you go on at once, and are told when it ends; {wait: [ids]} waits for those. {read: id, page} shows all that one did.
Agents:`;

export const MORE = "and more; a wrong name lists them all";

export const STATE =
  "Sub-agents that work in the background now; you are told when one ends, so do not start them again:";

export const BEGUN = "works in the background; you are told when it ends";

export function toolSchema(agents: readonly AgentPart[]): Tool {
  return { name: SUB_AGENT, description: `${DESCRIPTION}\n${catalogue(agents)}`, parameters };
}

/** Bytes of it. */
const MOST = 1_024;

function catalogue(agents: readonly AgentPart[]): string {
  const lines: string[] = [];
  let room = MOST - MORE.length - 3;
  for (const { name, description } of agents) {
    const line = `- ${name}: ${description}`;
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) return [...lines, `- ${MORE}`].join("\n");
    lines.push(line);
  }
  return lines.join("\n");
}

const task = {
  type: "object",
  properties: { agent: { type: "string" }, task: { type: "string" } },
  required: ["agent", "task"],
};

const parameters: Tool["parameters"] = {
  type: "object",
  properties: {
    agent: { type: "string" },
    task: { type: "string" },
    tasks: { type: "array", items: task, maxItems: 8 },
    chain: { type: "array", items: task, maxItems: 8 },
    background: { type: "boolean" },
    wait: { type: "array", items: { type: "string" } },
    read: { type: "string" },
    page: { type: "integer", minimum: 1 },
  },
};

/** The tool as the model is told of it: its words, the agents there are within bounds, and its parameters. */

import type { Tool } from "@pith/context";
import type { AgentPart } from "../finding/agent-in.ts";
import { SUB_AGENT } from "../keeping/in-log.ts";
import { DESCRIPTION, MORE } from "./words.ts";

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

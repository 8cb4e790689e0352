/** The scripted model: for each prompt it makes the calls of one attempt, in the agent and in the sub-agent that the attempt starts. */

import type { ScriptRequest, Step } from "@pith/testkit";
import type { Attempt, NextCall } from "./attempt.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export interface CallResult {
  readonly tool: string;
  readonly text: string;
}

export class ModelScript {
  #attempt: Attempt | null = null;
  #number = 0;
  #agent: readonly Message[] = [];
  #subAgent: readonly Message[] = [];

  /** The prompt with which this attempt begins. */
  begin(attempt: Attempt): string {
    this.#attempt = attempt;
    this.#number += 1;
    this.#agent = [];
    this.#subAgent = [];
    return `ATTEMPT ${this.#number}`;
  }

  reply({ body }: Pick<ScriptRequest, "body">): Step {
    const messages = body.messages as readonly Message[];
    const isSubAgent = startOf(messages, `CHILD ${this.#number}`) >= 0;
    const start = startOf(messages, isSubAgent ? `CHILD ${this.#number}` : `ATTEMPT ${this.#number}`);
    if (start < 0) return "I have nothing to do.";
    const since = messages.slice(start + 1);
    if (isSubAgent) this.#subAgent = since;
    else this.#agent = since;
    const calls = (isSubAgent ? this.#attempt?.childCalls : this.#attempt?.calls) ?? [];
    return this.#step(calls, since);
  }

  /** What was told of each call, in the agent first. */
  results(): readonly CallResult[] {
    return [...resultsIn(this.#agent), ...resultsIn(this.#subAgent)];
  }

  #step(calls: readonly NextCall[], since: readonly Message[]): Step {
    const next = calls[since.filter(({ role }) => role === "assistant").length];
    if (!next) return "Done.";
    const { tool, arguments: given } = next(JSON.stringify(since));
    const task = tool === "subagent" ? { task: `CHILD ${this.#number}` } : {};
    return { parts: [{ type: "call", name: tool, arguments: { ...given, ...task } }] };
  }
}

/** The newest message of the user that says so; -1 where there is none. A result of a tool may repeat it. */
function startOf(messages: readonly Message[], words: string): number {
  return messages.findLastIndex(({ role, content }) => role === "user" && textOf(content).includes(words));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [];
  return blocks.map((block) => (block.type === "text" ? `${block.text}\n` : "")).join("");
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

function resultsIn(messages: readonly Message[]): readonly CallResult[] {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Block[]) : []));
  const toolOf = (id: string | undefined): string =>
    blocks.find((block) => block.type === "tool_use" && block.id === id)?.name ?? "";
  return blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id, content }) => ({ tool: toolOf(tool_use_id), text: textOf(content) }));
}

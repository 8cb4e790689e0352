/** What a model is told first: who it is, what it can do, how it works here. Named sections, so that one can change without the rest. */

import type { SystemMessage } from "@pith/context";
import type { Tool } from "../tool.ts";

export interface PromptParts {
  readonly tools: readonly Tool[];
  /** Instead of who it is and how it works. */
  readonly replacement?: string;
  /** Behind all that. */
  readonly addition?: string;
}

/** Nothing in it changes from day to day or from folder to folder: it is the beginning of every request. */
export function systemMessage({ tools, replacement, addition }: PromptParts, timestamp: number): SystemMessage {
  const own = { role: ROLE, guidelines: guidelines(tools) };
  const sections = { ...(replacement === undefined ? own : { role: replacement }), ...(addition && { addition }) };
  const toolsAdded = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { role: "system", content: "", sections, toolsAdded, timestamp };
}

const ROLE = `You are Pith, a coding agent in a terminal. You help the person you work for to understand and change the project they are in:
you read files, run commands and edit code with your tools, and say what you did.`;

function guidelines(tools: readonly Tool[]): string {
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  const lines = [
    has("read") && has("edit") && "Read a file before you edit it.",
    has("edit") && "Change what was asked for, and leave the rest as it is.",
    has("write") && "Write whole files only where they are new or change almost everywhere.",
    has("bash") && "Look with commands before you guess; run the project's own checks after a change.",
    "Answer briefly. Name files by their paths.",
    "When something fails, say what failed and what you tried.",
  ];
  return lines
    .filter((line) => line !== false)
    .map((line) => `- ${line}`)
    .join("\n");
}

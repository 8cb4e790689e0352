/** What is asked of a model: one plain value, a pure function of the branch. Nothing else is ever sent. */

import type { Message, ThinkingLevel, Tool } from "./message.ts";

export interface Request {
  readonly system: readonly SystemSection[];
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly thinking: ThinkingLevel;
  readonly toolChoice: ToolChoice;
  readonly cacheMarks: readonly CacheMark[];
}

/** A named part of the system prompt; the unnamed first text is called `prompt`. */
export interface SystemSection {
  readonly name: string;
  readonly text: string;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** A place up to which a provider is asked to keep the prefix. */
export type CacheMark =
  | { readonly after: "tools" }
  | { readonly after: "system" }
  | { readonly after: "message"; readonly index: number };

/** Whose request it is: signatures and call ids of the same model go back as they came. */
export interface ModelName {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
}

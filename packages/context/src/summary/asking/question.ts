/** A question to a model about material, and its answer: a story that nobody has checked yet. */

import type { AssistantMessage, ThinkingLevel, Usage } from "../../message.ts";
import type { Ports } from "../../ports.ts";
import type { Request } from "../../request.ts";
import { fill } from "../fill.ts";
import type { Format } from "../format.ts";
import type { TellProgress } from "../progress.ts";
import { FORMATS, PROMPTS, SYSTEM } from "../prompts.ts";
import type { TranscriptBlock } from "../transcript.ts";
import { type Allowance, type Asker, type AskFailure, ask, type Call } from "./ask.ts";
import { type Material, marked, summaryMaterial } from "./marked.ts";

export interface Telling extends Omit<Asker, "spent"> {
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  readonly thinking: ThinkingLevel;
  readonly format: Format;
  readonly history: readonly TranscriptBlock[];
  /** The beginning of a turn whose end is kept; empty where the cut falls between turns. */
  readonly turn: readonly TranscriptBlock[];
  /** The summary so far; empty where there is none. */
  readonly previous: string;
  readonly instructions: string;
  /** In the place of our own task, where a host has one. */
  readonly task?: string | undefined;
  /** Of the story, at most. */
  readonly tokens: number;
  /** What was paid so far. */
  readonly calls: Call[];
  readonly allowance?: Allowance | undefined;
  readonly progress?: TellProgress | undefined;
  /** Which of several questions this is about. */
  readonly place?: { readonly part: number; readonly parts: number };
}

export type Told =
  | {
      readonly type: "told";
      /** What it answered. */
      readonly text: string;
      readonly asked: Asked;
      readonly said: AssistantMessage;
    }
  | { readonly type: "failed"; readonly failure: AskFailure }
  | { readonly type: "cancelled" };

/** A request and the word that its marks bear. */
export interface Asked {
  readonly request: Request;
  readonly nonce: string;
}

export function question(materials: readonly Material[], task: string, telling: Telling): Promise<Told> {
  const { nonce, message } = marked(materials, task, telling.ports);
  const request: Request = {
    system: [{ name: "prompt", text: fill(SYSTEM, { nonce }) }],
    tools: [],
    messages: [message],
    thinking: telling.thinking,
    toolChoice: "none",
    cacheMarks: [],
  };
  return answered({ request, nonce }, telling);
}

/** What is paid is noted, whatever comes of it. */
async function answered(asked: Asked, telling: Telling): Promise<Told> {
  if (isSpent(telling)) return { type: "failed", failure: SPENT };
  const { api, provider, model } = telling.model;
  telling.progress?.({ step: "asking", model: `${provider}/${model}`, ...telling.place });
  const spent = (usage: Usage): void => void telling.calls.push({ by: { api, provider, model }, usage });
  const reply = await ask(asked.request, { ...telling, spent });
  if (reply.call) telling.calls.push(reply.call);
  switch (reply.type) {
    case "said":
      return { type: "told", text: reply.text, asked, said: reply.message };
    case "failed":
      return { type: "failed", failure: reply.failure };
    case "cancelled":
      return { type: "cancelled" };
  }
}

// GUARD3: a long session told in many parts stops between them.
function isSpent({ calls, allowance }: Telling): boolean {
  if (!allowance) return false;
  return (
    calls.length >= allowance.calls || calls.reduce((sum, { usage }) => sum + usage.cost.total, 0) >= allowance.cost
  );
}

const SPENT: AskFailure = { code: "spend-limit", note: "summaries have cost as much as they may within an hour" };

/** The same conversation goes on: what was found names lines of the answer, so it is material like any other. */
export function correction(
  { asked: { request, nonce }, said }: Extract<Told, { type: "told" }>,
  findings: readonly string[],
  telling: Telling,
): Promise<Told> {
  const text = findings
    .map((finding) => `- ${finding}`)
    .join("\n")
    .replaceAll(nonce, "");
  const { message } = marked(summaryMaterial("findings", text), PROMPTS.correction, { nonce: () => nonce });
  return answered({ request: { ...request, messages: [...request.messages, said, message] }, nonce }, telling);
}

/** What is asked of the model; the user's focus joins every question. */
export function taskOf(
  { format, turn, instructions, task, tokens }: Telling,
  prompt: keyof typeof PROMPTS,
  slots: Readonly<Record<string, string>> = {},
): string {
  if (task !== undefined) return task;
  const size = { tokens: String(tokens), words: String(Math.floor(tokens * WORDS_PER_TOKEN)) };
  return [
    fill(PROMPTS[prompt], { format: FORMATS[format], ...size, ...slots }),
    ...(format === "summary" && turn.length > 0 ? [fill(PROMPTS.turnToo, { turnFormat: FORMATS.turn })] : []),
    ...(instructions === "" ? [] : [fill(PROMPTS.focus, { instructions })]),
  ].join("\n\n");
}

const WORDS_PER_TOKEN = 0.6;

export function conversation(tag: "conversation" | "turn", blocks: readonly TranscriptBlock[]): readonly Material[] {
  return blocks.length === 0 ? [] : [{ tag, text: blocks.map(({ text }) => text).join("\n\n") }];
}

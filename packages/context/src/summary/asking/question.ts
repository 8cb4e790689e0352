/** A question to a model about material, and its answer: a record that nobody has checked yet. */

import type { AssistantMessage, ThinkingLevel } from "../../message.ts";
import type { Ports } from "../../ports.ts";
import type { Request } from "../../request.ts";
import { fill } from "../fill.ts";
import type { Format } from "../format.ts";
import { FORMATS, PROMPTS, SYSTEM } from "../prompts.ts";
import type { TranscriptBlock } from "../transcript.ts";
import { type Asker, type AskFailure, ask, type Call } from "./ask.ts";
import { type Material, marked } from "./marked.ts";

export interface Telling extends Asker {
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  readonly thinking: ThinkingLevel;
  readonly format: Format;
  readonly history: readonly TranscriptBlock[];
  /** The beginning of a turn whose end is kept; empty where the cut falls between turns. */
  readonly turn: readonly TranscriptBlock[];
  /** The record so far; empty where there is none. */
  readonly previous: string;
  readonly instructions: string;
  /** In the place of our own task, where a host has one. */
  readonly task?: string | undefined;
  /** Of the record, at most. */
  readonly tokens: number;
  /** What was paid so far. */
  readonly calls: Call[];
}

export type Told =
  | { readonly type: "told"; readonly record: string; readonly asked: Request; readonly said: AssistantMessage }
  | { readonly type: "failed"; readonly failure: AskFailure }
  | { readonly type: "cancelled" };

export function question(materials: readonly Material[], task: string, telling: Telling): Promise<Told> {
  const { nonce, message } = marked(materials, task, telling.ports);
  return answered(
    {
      system: [{ name: "prompt", text: fill(SYSTEM, { nonce }) }],
      tools: [],
      messages: [message],
      thinking: telling.thinking,
      toolChoice: "none",
      cacheMarks: [],
    },
    telling,
  );
}

/** What is paid is noted, whatever comes of it. */
export async function answered(request: Request, telling: Telling): Promise<Told> {
  const reply = await ask(request, telling);
  if (reply.call) telling.calls.push(reply.call);
  switch (reply.type) {
    case "said":
      return { type: "told", record: reply.text, asked: request, said: reply.message };
    case "failed":
      return { type: "failed", failure: reply.failure };
    case "cancelled":
      return { type: "cancelled" };
  }
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

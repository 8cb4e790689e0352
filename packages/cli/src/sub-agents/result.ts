/** Formats the progress and the results of sub-agents, for people and for the model. */

import type { RpcEvent } from "@pith/client";
import type { Usage } from "@pith/context";
import { addUsage, zeroUsage } from "@pith/context/host";
import { usageTold } from "../text/format.ts";
import { clipped } from "../text/safe-text.ts";
import { type Ends, SUB_AGENT } from "./log.ts";

export interface Excerpt {
  readonly excerpt: string;
  readonly isWhole: boolean;
}

/** The beginning and the end of a text that is longer than `room` bytes. */
export function excerptOf(text: string, room: number): Excerpt {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return { excerpt: text, isWhole: true };
  const head = Math.floor(room / 2);
  const [first, last] = [bytes.subarray(0, head), bytes.subarray(bytes.length - (room - head))];
  const left = (bytes.length - room).toLocaleString("en-US");
  // A letter may be cut in two.
  const excerpt = `${first.toString().replace(/\ufffd+$/, "")}\n[… ${left} bytes are left out …]\n${last.toString().replace(/^\ufffd+/, "")}`;
  return { excerpt, isWhole: false };
}

export interface Progress {
  readonly doing: string;
  readonly usage: Usage;
}

export const waiting: Progress = { doing: "waits", usage: zeroUsage };

/** The same where it says nothing new. */
export function progressAfter(progress: Progress, event: RpcEvent): Progress {
  switch (event.type) {
    case "agent_start":
      return { ...progress, doing: "works" };
    case "tool_execution_start":
      return { ...progress, doing: clipped(`${event.toolName} ${firstWord(event.args)}`.trim(), 60) };
    case "message_end":
      // Whatever else writes there may look like a line of ours.
      if (event.message?.role !== "assistant") return progress;
      return { ...progress, usage: addUsage(progress.usage, event.message.usage) };
    default:
      return progress;
  }
}

/** Of what it is called with, the text that says most: a path, a command. */
function firstWord(asked: unknown): string {
  const value = Object.values(Object(asked) as object).find((each) => typeof each === "string");
  return value ?? "";
}

export function progressLine(who: string, { doing, usage }: Progress): string {
  return usage.totalTokens === 0 ? `${who}: ${doing}` : `${who}: ${doing} · ${usageTold(usage)}`;
}

export interface Result {
  readonly id: string;
  readonly agent: string;
  readonly status: "done" | "broken" | "unbegun" | "stopped";
  readonly text: string;
  /** The end of a sentence that begins with it. */
  readonly why?: string;
}

/** `room`: bytes. */
export function resultText({ id, agent, status, text, why }: Result, room: number): string {
  const how = { done: "is done", broken: "broke off", unbegun: "was not begun", stopped: "was stopped" }[status];
  const head = `[${agent} ${id} ${why === undefined || status === "done" ? how : `${how}: ${why}`}]`;
  if (status === "unbegun") return `${head}\nStart it again if it is still wanted.`;
  const rest =
    status === "done" ? [] : [`What it did: {"read": "${id}"}. A person goes on with it by: ${wayOn(id, agent)}`];
  const { excerpt, isWhole } = excerptOf(text, room);
  const more = isWhole ? [] : [`The whole of it: {"read": "${id}"}`];
  return [head, ...(excerpt === "" ? [] : [excerpt]), ...more, ...rest].join("\n");
}

function wayOn(id: string, agent: string): string {
  return `pith --session ${id} --agent ${agent}`;
}

export interface ToldEnd {
  readonly customType: string;
  readonly content: string;
  readonly display: boolean;
  readonly details: Ends;
}

/** The details are the mark that these ends were reported. */
export function toldEnd(results: readonly Result[]): ToldEnd {
  return {
    customType: SUB_AGENT,
    content: results.map((result) => resultText(result, MOST_TOLD)).join("\n\n"),
    display: true,
    details: endsOf(results),
  };
}

export function endsOf(results: readonly Result[]): Ends {
  return { subAgents: results.map(({ id, agent, status }) => ({ id, agent, status })) };
}

/** Bytes of what is told of one. */
export const MOST_TOLD: number = 8 * 1024;

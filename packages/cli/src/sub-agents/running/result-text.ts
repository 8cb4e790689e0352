/** What a model is told of a sub-agent that has ended: its last words within bounds, and where the rest is. */

import { excerptOf } from "./excerpt.ts";

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

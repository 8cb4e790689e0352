/** Tokens by kind over the messages of a context, kept from one look to the next: only what is new is added. */

import type { AgentMessage, ModelName } from "@pith/context";
import { messageKinds } from "./message-kinds.ts";

export interface Sums {
  /** By kind, in the order in which they came. */
  readonly kept: ReadonlyMap<string, number>;
  readonly fresh: ReadonlyMap<string, number>;
}

export interface Summing {
  /** Where that begins which came since the newest compaction. */
  readonly firstFresh: number;
  readonly to: ModelName | undefined;
}

/** From the outside a pure function: messages never change, so the same object means the same words. */
export function sumsOf(messages: readonly AgentMessage[], { firstFresh, to }: Summing): Sums {
  const [first] = messages;
  if (!first) return { kept: new Map(), fresh: new Map() };
  const setting = `${firstFresh} ${to?.provider}/${to?.model}`;
  const known = running.get(first);
  const goesOn = known?.setting === setting && isBeginning(known.taken, messages);
  const sums: Running = goesOn ? known : { setting, taken: [], kept: new Map(), fresh: new Map() };
  for (let at = sums.taken.length; at < messages.length; at++) {
    const message = messages[at];
    if (!message) continue;
    add(at < firstFresh ? sums.kept : sums.fresh, message, to);
    sums.taken.push(message);
  }
  running.set(first, sums);
  return { kept: new Map(sums.kept), fresh: new Map(sums.fresh) };
}

interface Running {
  readonly setting: string;
  readonly taken: AgentMessage[];
  readonly kept: Map<string, number>;
  readonly fresh: Map<string, number>;
}

const running = new WeakMap<AgentMessage, Running>();

function add(sums: Map<string, number>, message: AgentMessage, to: ModelName | undefined): void {
  for (const { kind, tokens } of messageKinds(message, to)) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
}

function isBeginning(taken: readonly unknown[], messages: readonly unknown[]): boolean {
  if (taken.length > messages.length) return false;
  for (let at = 0; at < taken.length; at++) if (taken[at] !== messages[at]) return false;
  return true;
}

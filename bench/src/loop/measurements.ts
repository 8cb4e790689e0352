/** Measures when requests arrive and replies leave, how much memory a process takes, and how many requests keep their prefix. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";

export interface Moments {
  readonly arrived: readonly number[];
  readonly replied: readonly number[];
  stop(): void;
}

/** Watches the servers of this process through Node's diagnostics channels: the server need not know. */
export function watchMoments(): Moments {
  const arrived: number[] = [];
  const replied: number[] = [];
  const arrive = (message: unknown): void => {
    arrived.push(performance.now());
    admit((message as { readonly request: IncomingMessage }).request);
  };
  const reply = (): void => void replied.push(performance.now());
  subscribe(ARRIVAL, arrive);
  subscribe(REPLY, reply);
  const stop = (): void => {
    unsubscribe(ARRIVAL, arrive);
    unsubscribe(REPLY, reply);
  };
  return { arrived, replied, stop };
}

const ARRIVAL = "http.server.request.start";
const REPLY = "http.server.response.finish";

/** The yardstick brings no key, and the server is as strict as a provider. */
function admit({ headers }: IncomingMessage): void {
  headers["x-api-key"] ??= "none";
  headers["anthropic-version"] ??= "2023-06-01";
}

const LOOK_EVERY_MS = 10;

/** Looks until `stop` is called, which returns the most bytes that the process and all it has started held at one moment. */
export function watchMemory(pid: number): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, treeBytes(pid, ""));
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

function treeBytes(pid: number, parentCommand: string): number {
  const command = text(pid, "cmdline");
  // Not yet become another program, it shows its parent's memory as its own.
  if (command === parentCommand) return 0;
  const resident = Number(/VmRSS:\s+(\d+)/.exec(text(pid, "status"))?.[1] ?? 0) * 1_024;
  const children = text(pid, `task/${pid}/children`).split(" ").map(Number).filter(Boolean);
  return children.reduce((sum, child) => sum + treeBytes(child, command), resident);
}

function text(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has ended since it was seen.
    return "";
  }
}

/** The share of requests, all but the first, that begin with the whole request before them; marks for the cache may move. */
export function prefixKept(bodies: readonly unknown[]): number {
  const requests = bodies.map((body) => pieces(body as Body));
  const kept = requests.slice(1).filter((request, at) => isBeginning(requests[at] ?? [], request));
  return kept.length / Math.max(1, requests.length - 1);
}

interface Body {
  readonly tools?: readonly unknown[];
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

function pieces({ tools = [], system = [], messages }: Body): readonly string[] {
  return [
    ...tools.map(spelled),
    ...blocks(system).map(spelled),
    ...messages.flatMap(({ role, content }) => blocks(content).map((block) => `${role} ${spelled(block)}`)),
  ];
}

function blocks(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function spelled(piece: unknown): string {
  return JSON.stringify(piece, (name, value) => (name === "cache_control" ? undefined : value));
}

function isBeginning(beginning: readonly string[], whole: readonly string[]): boolean {
  return beginning.length <= whole.length && beginning.every((piece, at) => piece === whole[at]);
}

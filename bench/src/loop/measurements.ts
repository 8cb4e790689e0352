/** Measures when requests arrive and replies leave, how much memory a process takes, and how many requests keep their prefix. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";

export interface RequestTimes {
  readonly requestTimes: readonly number[];
  readonly replyTimes: readonly number[];
  stop(): void;
}

/** Watches the servers of this process through Node's diagnostics channels: the server need not know. */
export function recordRequestTimes(): RequestTimes {
  const requestTimes: number[] = [];
  const replyTimes: number[] = [];
  const onRequest = (message: unknown): void => {
    requestTimes.push(performance.now());
    addRequiredHeaders((message as { readonly request: IncomingMessage }).request);
  };
  const onReply = (): void => void replyTimes.push(performance.now());
  subscribe(REQUEST_CHANNEL, onRequest);
  subscribe(REPLY_CHANNEL, onReply);
  const stop = (): void => {
    unsubscribe(REQUEST_CHANNEL, onRequest);
    unsubscribe(REPLY_CHANNEL, onReply);
  };
  return { requestTimes, replyTimes, stop };
}

const REQUEST_CHANNEL = "http.server.request.start";
const REPLY_CHANNEL = "http.server.response.finish";

/** The yardstick brings no key, and the server is as strict as a provider. */
function addRequiredHeaders({ headers }: IncomingMessage): void {
  headers["x-api-key"] ??= "none";
  headers["anthropic-version"] ??= "2023-06-01";
}

const SAMPLE_INTERVAL_MS = 10;

/** Looks until `failPublishing` is called, which returns the most bytes that the process and all it has started held at one moment. */
export function sampleMemory(pid: number): { stop(): number } {
  let maxBytes = 0;
  const timer = setInterval(() => {
    maxBytes = Math.max(maxBytes, processTreeBytes(pid, ""));
  }, SAMPLE_INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      return maxBytes;
    },
  };
}

function processTreeBytes(pid: number, parentCommand: string): number {
  const command = readProcFile(pid, "cmdline");
  // Not yet become another program, it shows its parent's memory as its own.
  if (command === parentCommand) return 0;
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readProcFile(pid, "status"))?.[1] ?? 0) * 1_024;
  const children = readProcFile(pid, `task/${pid}/children`).split(" ").map(Number).filter(Boolean);
  return children.reduce((sum, child) => sum + processTreeBytes(child, command), resident);
}

function readProcFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has ended since it was seen.
    return "";
  }
}

/** The share of requests, all but the first, that begin with the whole request before them; marks for the cache may move. */
export function sharePrefixKept(bodies: readonly unknown[]): number {
  const requests = bodies.map((body) => listBlocks(body as Body));
  const extending = requests.slice(1).filter((request, index) => isPrefix(requests[index] ?? [], request));
  return extending.length / Math.max(1, requests.length - 1);
}

interface Body {
  readonly tools?: readonly unknown[];
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

function listBlocks({ tools = [], system = [], messages }: Body): readonly string[] {
  return [
    ...tools.map(formatBlock),
    ...asBlocks(system).map(formatBlock),
    ...messages.flatMap(({ role, content }) => asBlocks(content).map((block) => `${role} ${formatBlock(block)}`)),
  ];
}

function asBlocks(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function formatBlock(block: unknown): string {
  return JSON.stringify(block, (name, value) => (name === "cache_control" ? undefined : value));
}

function isPrefix(prefix: readonly string[], whole: readonly string[]): boolean {
  return prefix.length <= whole.length && prefix.every((block, index) => block === whole[index]);
}

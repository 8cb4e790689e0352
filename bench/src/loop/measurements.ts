/** Measures the times of requests and replies, the memory of a process, and how many requests keep the prefix of the previous one. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";

export interface RequestTimes {
  readonly requestTimes: readonly number[];
  readonly replyTimes: readonly number[];
  stop(): void;
}

/** Records the requests to all HTTP servers of this process, through Node's diagnostics channels. */
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

/** The yardstick sends no key, which the server requires. */
function addRequiredHeaders({ headers }: IncomingMessage): void {
  headers["x-api-key"] ??= "none";
  headers["anthropic-version"] ??= "2023-06-01";
}

const SAMPLE_INTERVAL_MS = 10;

/** Samples the memory of a process and its children. `stop` returns the maximum in bytes. */
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
  // Between fork and exec, a process reports its parent's memory as its own.
  if (command === parentCommand) return 0;
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readProcFile(pid, "status"))?.[1] ?? 0) * 1_024;
  const children = readProcFile(pid, `task/${pid}/children`).split(" ").map(Number).filter(Boolean);
  return children.reduce((sum, child) => sum + processTreeBytes(child, command), resident);
}

function readProcFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // The process has exited.
    return "";
  }
}

/** The share of requests, except the first, that begin with the whole previous request. Cache marks are ignored. */
export function prefixKeptShare(bodies: readonly unknown[]): number {
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

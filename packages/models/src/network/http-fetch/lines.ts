/** Lines to servers, kept open for the next request; none of them keeps a program from its end. */

import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { Socket } from "node:net";

/** Begins a request on a line that is free, or on a new one. */
export function begin(url: URL, options: Pick<RequestOptions, "method" | "headers">): ClientRequest {
  // While it serves, a line may be silent for as long as whoever waits is patient.
  return moduleFor(url).request(url, { ...options, agent: agentFor(url), timeout: 0 });
}

/** Where one line had been closed unnoticed, those that rest beside it have been as well. */
export function closeResting(url: URL): void {
  for (const resting of Object.values(agentFor(url).freeSockets)) for (const line of resting ?? []) line.destroy();
}

/** Calls `giveUp` where nobody takes the call in time; a line that stands already needs none. */
export function limitCall(line: Socket, { url, ms, giveUp }: CallLimit): void {
  if (!line.connecting) return;
  const timer = setTimeout(() => giveUp(new Unanswered(url, ms)), ms);
  for (const event of [isSecure(url) ? "secureConnect" : "connect", "close"])
    line.once(event, () => clearTimeout(timer));
}

export interface CallLimit {
  readonly url: URL;
  readonly ms: number;
  readonly giveUp: (error: Error) => void;
}

class Unanswered extends Error {
  readonly code = "ETIMEDOUT";

  constructor({ host }: URL, ms: number) {
    super(`${host} did not take the call within ${ms / 1000} s`);
  }
}

// Networks forget lines that rest for long, and say nothing. A server that keeps them for less says so, and is heeded.
const REST_MS = 30_000;
const agents = new Map<string, Agent>();

function agentFor(url: URL): Agent {
  const known = agents.get(url.protocol);
  if (known) return known;
  const agent = new (moduleFor(url).Agent)({ keepAlive: true, timeout: REST_MS });
  agents.set(url.protocol, agent);
  return agent;
}

// Not imported: an import of `node:http` brings Node's `fetch` with it.
function moduleFor(url: URL): Pick<typeof import("node:http"), "Agent" | "request"> {
  return process.getBuiltinModule(isSecure(url) ? "node:https" : "node:http");
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:";
}

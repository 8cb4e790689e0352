/** Starts the test server: one loopback port that speaks every protocol, follows the script and logs its requests. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PromptCache } from "../prompt-cache.ts";
import { findProtocol } from "../protocols/registry.ts";
import type { Script } from "../script.ts";
import { checkStep } from "../script-checks.ts";
import { handleRequest, type ServerState, type WindowLimit } from "./handle-request.ts";
import type { LocalServer } from "./local-servers.ts";
import { readRequest } from "./request.ts";
import { RequestLog, type ServedRequest } from "./request-log.ts";

export interface ServerOptions {
  readonly script: Script;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Default: no limit. */
  readonly window?: WindowLimit;
  /** Makes the server also answer the API of a local model server. */
  readonly local?: LocalServer;
  /** A file to which one line of JSON is appended for each request. */
  readonly log?: string;
  /** The clock of the prompt cache, in milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

export interface TestServer {
  /** The base URL, without a path and without a trailing slash. */
  readonly url: string;
  readonly requests: readonly ServedRequest[];
  readonly close: () => Promise<void>;
}

export async function startServer({
  script,
  port = 0,
  now = Date.now,
  ...options
}: ServerOptions): Promise<TestServer> {
  checkScript(script);
  const log = new RequestLog(options.log);
  const state: ServerState = {
    script,
    log,
    cache: new PromptCache(now),
    scriptedRequests: 0,
    window: options.window,
    local: options.local,
  };
  const server = createServer((request, response) => void handleConnection(request, response, state));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${boundPort}`,
    get requests() {
      return log.requests;
    },
    close: () => closeServer(server),
  };
}

/** Reports mistakes in a list of steps before the first request. */
function checkScript(script: Script): void {
  if (typeof script === "function") return;
  if (!Array.isArray(script))
    throw new Error("a script is a list of steps, or a function that returns a step for a request");
  const faults = script.flatMap((step, index) => [...checkStep(step, `step ${index + 1}`)]);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

async function handleConnection(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  try {
    const incomingRequest = await readRequest(request);
    await handleRequest(incomingRequest, response, state);
  } catch (error) {
    // A mistake in a script must be visible in the test and must not hang the client.
    const message = error instanceof Error ? error.message : String(error);
    const [path = ""] = (request.url ?? "").split("?");
    state.log.add({
      path,
      wire: findProtocol(path)?.name ?? null,
      model: "",
      bytes: 0,
      outcome: "failed",
      status: 500,
      why: message,
    });
    console.error(`testkit: ${message}`);
    if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
    response.end(`testkit: ${message}`);
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

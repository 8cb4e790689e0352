/** Starts the test server: one loopback port that speaks every protocol, follows the script and logs its requests. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CacheLedger } from "../prompt-cache.ts";
import { wireFor } from "../protocols/registry.ts";
import type { Script } from "../script.ts";
import { stepFaults } from "../script-checks.ts";
import { type Answering, answer, type Window } from "./handle-request.ts";
import type { LocalServer } from "./local-servers.ts";
import { incoming } from "./request.ts";
import { RequestLog, type Served } from "./request-log.ts";

export interface ServerParts {
  readonly script: Script;
  /** 0, the default, lets the system choose. */
  readonly port?: number;
  /** Without one it takes any prompt. */
  readonly window?: Window;
  /** Answers the questions a local server is asked beside the conversation. */
  readonly local?: LocalServer;
  /** A file that gets one line of JSON for each request. */
  readonly log?: string;
  /** Milliseconds since 1970: lets a test make prompts grow old. */
  readonly now?: () => number;
}

export interface TestServer {
  /** Without a path and without a slash at the end. */
  readonly url: string;
  readonly served: readonly Served[];
  readonly close: () => Promise<void>;
}

export async function startServer({ script, port = 0, now = Date.now, ...parts }: ServerParts): Promise<TestServer> {
  checkScript(script);
  const log = new RequestLog(parts.log);
  const answering: Answering = {
    script,
    log,
    ledger: new CacheLedger(now),
    scripted: 0,
    window: parts.window,
    local: parts.local,
  };
  const server = createServer((request, response) => void converse(request, response, answering));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}`,
    get served() {
      return log.all;
    },
    close: () => closed(server),
  };
}

/** Mistakes that show before anybody asks are told before anybody asks. */
function checkScript(script: Script): void {
  if (typeof script === "function") return;
  if (!Array.isArray(script)) throw new Error("a script is a list of steps, or a function of what was asked");
  const faults = script.flatMap((step, at) => [...stepFaults(step, `step ${at + 1}`)]);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

async function converse(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  try {
    const asked = await incoming(request);
    await answer(asked, response, answering);
  } catch (error) {
    // A mistake in a script is the tester's: it must be seen, and must not hang the client.
    const why = error instanceof Error ? error.message : String(error);
    const [path = ""] = (request.url ?? "").split("?");
    answering.log.add({
      path,
      wire: wireFor(path)?.name ?? null,
      model: "",
      bytes: 0,
      outcome: "failed",
      status: 500,
      why,
    });
    console.error(`testkit: ${why}`);
    if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
    response.end(`testkit: ${why}`);
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

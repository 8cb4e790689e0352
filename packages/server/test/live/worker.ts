/** A worker that is killed or stopped in the middle of a reply: `node worker.ts OPTIONS`. It finds sessions by its sweep, and ends with the process that started it. */

import { Agent } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import { connect, MemoryQueue, openLivePublisher, startWorker, type WorkerIntervals } from "../../src/index.ts";

/** The argument, as JSON. */
export interface LiveWorkerOptions {
  readonly id: string;
  readonly connectionString: string;
  readonly modelUrl: string;
  readonly intervals: WorkerIntervals;
}

const { id, connectionString, modelUrl, intervals }: LiveWorkerOptions = JSON.parse(process.argv[2] ?? "");
process.once("disconnect", () => process.exit());

await startWorker({
  ...{ database: connect({ connectionString }), wake: new MemoryQueue().createWake(), concurrency: 4, id, intervals },
  live: await openLivePublisher({ connectionString, onError: () => {}, tickMs: 10 }),
  openAgent: async ({ store, onEvent }) => {
    const opened = await openModel({
      ...{ provider: "anthropic", model: "claude-sonnet-4-5", apiKey: "any", baseUrl: `${modelUrl}/v1` },
    });
    if (opened.type !== "opened") throw new Error(opened.message);
    const session = await Session.open(store, nodeRuntime);
    const agent = new Agent({ session, model: opened.model, tools: [], runtime: nodeRuntime, onEvent });
    return { agent, close: () => agent.close() };
  },
  onError: () => {},
});
process.send?.("ready");

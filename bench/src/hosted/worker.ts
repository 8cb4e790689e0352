/** Runs a worker of `pnpm bench hosted` in a process of its own: sessions in PostgreSQL, woken by DBOS. It reports in batches, so that reports cost little. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { AgentEvent } from "@pith/agent";
import { connect, openDbosWake, openLivePublisher, startWorker, type WorkerIntervals } from "@pith/server";
import { type DelayFigures, DeltaMeter, type DeltaReport } from "./delta-meter.ts";
import { openBenchAgent } from "./open-agent.ts";

export interface WorkerProcessOptions {
  readonly connectionString: string;
  readonly modelUrl: string;
  readonly concurrency: number;
  readonly intervals?: Partial<WorkerIntervals>;
  /** Whether it sends the text of replies to clients. */
  readonly isLive: boolean;
}

export type WorkerRequest = { readonly type: "takeUsage" | "stop" };

/** `usage` is of the time since the last one. */
export type WorkerMessage =
  | { readonly type: "ready" }
  | ({ readonly type: "report"; readonly size: number; readonly rss: number } & DeltaReport)
  | { readonly type: "usage"; readonly usage: WorkerUsage }
  | { readonly type: "error"; readonly message: string };

export interface WorkerUsage {
  readonly cpuMs: number;
  readonly rss: number;
  readonly longestBlockMs: number;
  readonly delays: DelayFigures;
}

const REPORT_INTERVAL_MS = 250;
/** How often the timer looks whether the event loop was blocked. */
const BLOCK_RESOLUTION_MS = 2;

async function runWorkerProcess(options: WorkerProcessOptions): Promise<void> {
  const { connectionString, modelUrl, concurrency, intervals = {}, isLive } = options;
  const meter = new DeltaMeter();
  const takeUsage = createUsageMeter(meter);
  const database = connect({ connectionString });
  const id = `bench-${process.pid}`;
  const wake = await openDbosWake({ connectionString, worker: id });
  const onError = (error: unknown): void =>
    send({ type: "error", message: error instanceof Error ? (error.stack ?? "") : String(error) });
  const live = isLive ? await openLivePublisher({ connectionString, onError }) : null;
  const worker = await startWorker({
    ...{ database, wake, concurrency, id, intervals },
    ...(live && { live }),
    openAgent: async ({ store, onEvent: publish }) => {
      const sessionId = store.header.id;
      const measure = meter.listen(sessionId);
      const onEvent = (event: AgentEvent): void => {
        void publish(event);
        void measure(event);
      };
      const opened = await openBenchAgent({ store, sessionId, modelUrl, onEvent });
      const close = async (): Promise<void> => {
        await opened.close();
        meter.addClosed(sessionId);
      };
      return { ...opened, close };
    },
    onError,
  });
  setInterval(() => {
    send({ type: "report", size: worker.size, rss: process.memoryUsage.rss(), ...meter.takeReport() });
  }, REPORT_INTERVAL_MS);
  process.on("message", (request: WorkerRequest) => void answer(request));
  send({ type: "ready" });

  async function answer(request: WorkerRequest): Promise<void> {
    switch (request.type) {
      case "takeUsage":
        return send({ type: "usage", usage: takeUsage() });
      case "stop":
        await worker.stop();
        await live?.close();
        await wake.close();
        await database.close();
        process.exit();
    }
  }
}

function createUsageMeter(meter: DeltaMeter): () => WorkerUsage {
  const blocks = monitorEventLoopDelay({ resolution: BLOCK_RESOLUTION_MS });
  blocks.enable();
  let cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const longestBlockMs = blocks.max / 1e6;
    blocks.reset();
    return {
      cpuMs: (user + system) / 1000,
      rss: process.memoryUsage.rss(),
      longestBlockMs,
      delays: meter.takeDelays(),
    };
  };
}

function send(message: WorkerMessage): void {
  process.send?.(message);
}

// The options are the first argument. The process ends with the bench.
if (import.meta.main) {
  process.once("disconnect", () => process.exit());
  await runWorkerProcess(JSON.parse(process.argv[2] ?? "") as WorkerProcessOptions);
}

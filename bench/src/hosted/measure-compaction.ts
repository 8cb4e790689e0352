/** Measures what the compaction of one session costs the others of its worker: the delays of their deltas, and the longest block of the event loop. */

import { setTimeout as wait } from "node:timers/promises";
import { nodeRuntime } from "@pith/context/node";
import { importSession } from "@pith/server";
import { generateSession } from "../made-up-session.ts";
import { median } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { startSessions } from "./measure-load.ts";
import { type HostedService, tenantAt } from "./service.ts";
import type { WorkerUsage } from "./worker.ts";

export interface CompactionOptions {
  /** The sessions that stream meanwhile. */
  readonly others: number;
  readonly rounds: number;
  readonly phaseSeconds: number;
  /** The entries of the session with the large compaction, each of 2 KB. */
  readonly largeEntries: number;
  readonly seed: number;
  readonly log: (text: string) => void;
}

/** The entries of a context that is due for a compaction. The last one is the reply that ends a turn. */
const DUE_ENTRIES = 599;

/** In turns: nothing, a compaction whose summarizer never answers, nothing, and a large compaction. */
export async function measureCompaction(
  service: HostedService,
  { others, rounds, phaseSeconds, largeEntries, seed, log }: CompactionOptions,
): Promise<Figures> {
  const streams = await service.createSessions("stream-beside", others);
  // One of each more, to load the code first.
  for (let round = 0; round <= rounds; round++) {
    await importLongSession(service, { id: `hang-${round}`, entries: DUE_ENTRIES, seed });
    await importLongSession(service, { id: `large-${round}`, entries: largeEntries, seed });
  }
  await startSessions(service, streams, 50);
  await service.waitUntil(() => streams.every((id) => service.sent.get(id)?.firstDeltaMs));
  const phases: Phases[] = [];
  for (let round = 0; round <= rounds; round++) {
    const quiet = [await measureQuiet(service, phaseSeconds)];
    const hanging = await measureHanging(service, `hang-${round}`, phaseSeconds);
    quiet.push(await measureQuiet(service, phaseSeconds));
    const large = await measureLarge(service, `large-${round}`);
    const phase = { quietP95: median(quiet.map(({ delays }) => delays.p95)), hanging, large };
    log(
      `round ${round}: p95 ${phase.quietP95.toFixed(1)} ms, beside a hanging compaction ${hanging.delays.p95.toFixed(1)}, ` +
        `beside a large one ${large.delays.p95.toFixed(1)} with a block of ${large.longestBlockMs.toFixed(0)} ms`,
    );
    if (round > 0) phases.push(phase);
  }
  service.tellModel("finish");
  await service.waitUntil(() => streams.every((id) => service.sent.get(id)?.isClosed));
  const exact = streams.filter((id) => service.sent.get(id)?.isExact).length;
  return {
    others_hanging_p95_x: median(phases.map(({ quietP95, hanging }) => hanging.delays.p95 / quietP95)),
    others_large_p95_x: median(phases.map(({ quietP95, large }) => large.delays.p95 / quietP95)),
    longest_slice_ms: median(phases.map(({ large }) => large.longestBlockMs)),
    longest_slice_hanging_ms: median(phases.map(({ hanging }) => hanging.longestBlockMs)),
    others: streams.length,
    others_exact: exact,
    others_p95_ms: median(phases.map(({ quietP95 }) => quietP95)),
  };
}

interface Phases {
  readonly quietP95: number;
  readonly hanging: WorkerUsage;
  readonly large: WorkerUsage;
}

async function importLongSession(
  service: HostedService,
  { id, entries, seed }: { readonly id: string; readonly entries: number; readonly seed: number },
): Promise<void> {
  const [header = "", ...lines] = generateSession({ entries, compactions: 0, distance: entries, seed });
  const bytes = Buffer.from([header.replace("made-up", id), ...lines, ""].join("\n"));
  const imported = await importSession(service.database, tenantAt(0), bytes, { runtime: nodeRuntime });
  if (imported.type !== "imported") throw new Error(`the session ${id} was not imported: ${imported.type}`);
}

async function measureQuiet(service: HostedService, seconds: number): Promise<WorkerUsage> {
  await service.takeUsage();
  await wait(seconds * 1000);
  return await service.takeUsage();
}

async function measureHanging(service: HostedService, id: string, seconds: number): Promise<WorkerUsage> {
  service.tellModel("hang");
  await service.takeUsage();
  await service.send(tenantAt(0), id);
  await wait(seconds * 1000);
  const usage = await service.takeUsage();
  if (service.sent.get(id)?.isClosed) throw new Error(`the compaction of ${id} did not hang`);
  service.tellModel("answer");
  await service.waitUntil(() => service.sent.get(id)?.isClosed === true);
  return usage;
}

/** From the message until the run has ended. */
async function measureLarge(service: HostedService, id: string): Promise<WorkerUsage> {
  await service.takeUsage();
  await service.send(tenantAt(0), id);
  await service.waitUntil(() => service.sent.get(id)?.isClosed === true);
  return await service.takeUsage();
}

/** Runs `pnpm bench hosted`: sessions on one worker with PostgreSQL and DBOS, under load, beside compactions, and compared with session files. */

import type { Figures, Suite } from "../suite.ts";
import { measureCompaction } from "./measure-compaction.ts";
import { measureCpu } from "./measure-cpu.ts";
import { measureFairness } from "./measure-fairness.ts";
import { measureLive } from "./measure-live.ts";
import { measureLoad } from "./measure-load.ts";
import { measureStatements, toStatementFigures } from "./measure-statements.ts";
import { HostedService, type ServiceOptions } from "./service.ts";

export const hostedSuite: Suite = {
  name: "hosted",
  description:
    "thousands of sessions on one worker: starts, memory, delays beside compactions, and CPU time compared with session files",
  run: ({ quick, seed, log }) => measureHosted({ ...(quick ? QUICK : FULL), seed, log }),
};

const FULL: HostedSizes = {
  ...{ replySeconds: 40, deltasPerSecond: 2, sessions: 2600, startsPerSecond: 50 },
  ...{ others: 300, rounds: 5, phaseSeconds: 6, largeEntries: 3497, runsPerRound: 60, countedSessions: 20 },
  ...{ queuedPrompts: 10_000, promptsBeside: 40 },
  ...{ liveSessions: 500, liveStartsPerSecond: 25, liveReplySeconds: 20 },
};
const QUICK: HostedSizes = {
  ...{ replySeconds: 3, deltasPerSecond: 2, sessions: 60, startsPerSecond: 50 },
  ...{ others: 20, rounds: 1, phaseSeconds: 1, largeEntries: 599, runsPerRound: 10, countedSessions: 5 },
  ...{ queuedPrompts: 300, promptsBeside: 5 },
  ...{ liveSessions: 30, liveStartsPerSecond: 25, liveReplySeconds: 3 },
};

export interface HostedSizes {
  readonly replySeconds: number;
  readonly deltasPerSecond: number;
  readonly sessions: number;
  readonly startsPerSecond: number;
  /** The sessions that stream beside a compaction. */
  readonly others: number;
  readonly rounds: number;
  readonly phaseSeconds: number;
  /** The entries of the session with the large compaction, each of 2 KB. */
  readonly largeEntries: number;
  readonly runsPerRound: number;
  /** The sessions whose statements are counted. */
  readonly countedSessions: number;
  /** The prompts of one tenant that wait, and those of another one that are measured. */
  readonly queuedPrompts: number;
  readonly promptsBeside: number;
  /** The sessions that clients follow over HTTP. */
  readonly liveSessions: number;
  readonly liveStartsPerSecond: number;
  readonly liveReplySeconds: number;
}

interface HostedMeasurement extends HostedSizes {
  readonly seed: number;
  readonly log: (text: string) => void;
}

/** The replies of the second service end when the measurement says so. */
export async function measureHosted(options: HostedMeasurement): Promise<Figures> {
  const { replySeconds, deltasPerSecond, countedSessions } = options;
  const statements = toStatementFigures(await measureStatements(countedSessions), options.log);
  const load = await withService({ replySeconds, deltasPerSecond, concurrency: 4000 }, (service) =>
    measureLoad(service, options),
  );
  const rest = await withService({ replySeconds: 3600, deltasPerSecond, concurrency: 4000 }, async (service) => ({
    ...(await measureCompaction(service, options)),
    ...(await measureCpu(service, options)),
  }));
  const fairness = await withService({ replySeconds: 2, deltasPerSecond, concurrency: 4000 }, (service) =>
    measureFairness(service, options),
  );
  const live = await withService(
    { replySeconds: options.liveReplySeconds, deltasPerSecond, concurrency: 4000, isLive: true },
    (service) => measureLive(service, options),
  );
  return { ...load, ...live, ...rest, ...fairness, ...statements };
}

async function withService(
  options: ServiceOptions,
  measure: (service: HostedService) => Promise<Figures>,
): Promise<Figures> {
  const service = await HostedService.start(options);
  try {
    return await measure(service);
  } finally {
    await service.stop();
  }
}

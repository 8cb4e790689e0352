/** Runs conversations on hosted workers while workers are killed and frozen, PostgreSQL crashes and releases are deployed; then checks every log. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RandomSource } from "../../../../context/test/support/seeded-random.ts";
import { connect, migrateDbos, openDbosWake, type WorkerIntervals } from "../../../src/index.ts";
import { APPLICATION, type Cluster, OWNER } from "../../support/cluster.ts";
import { startDatabase } from "../../support/database.ts";
import { checkSessions, type SessionsReport } from "./check-sessions.ts";
import { Conversations, type ReadRows, retry } from "./conversations.ts";
import { type JournalLine, readJournal } from "./journal.ts";
import { startModelServer } from "./model-server.ts";
import {
  explainTakeovers,
  type Fault,
  RECORD_TOKEN_RAISES,
  readTokenRaises,
  type TakeoverReport,
  wasAway,
} from "./token-raises.ts";
import type { Moment } from "./worker.ts";
import { Workers } from "./workers.ts";

/** What happens during the conversations. */
export interface FaultPlan {
  readonly kills: number;
  readonly freezes: number;
  readonly restarts: number;
  readonly deploys: number;
  readonly random: RandomSource;
}

export interface FaultReport extends SessionsReport, TakeoverReport {
  readonly sessions: number;
  readonly kills: number;
  readonly freezes: number;
  readonly restarts: number;
  readonly deploys: number;
  readonly workers: number;
  /** Sessions that still had work at the end, or were given back with a message that was not delivered. */
  readonly stranded: number;
  /** Sessions that were parked, and run again. */
  readonly parked: number;
  /** Workers that ended because PostgreSQL was away when they started. Others were started in their place. */
  readonly failed_starts: number;
  /** Messages that were sent again although they had been accepted. */
  readonly repeated_messages: number;
  /** A worker without a beat for this long counts as dead. */
  readonly dead_ms: number;
  readonly seconds: number;
  /** The first of all that is wrong. */
  readonly problems: readonly string[];
}

const INTERVALS: WorkerIntervals = { silent: 1_500, beat: 300, mail: 150, sweep: 300, wait: 1_000, cleanup: 60_000 };
const WORKERS = 5;
/** How many workers run during a fault of another. */
const OTHERS = 1;
const CONVERSATIONS = 10;
const MEAN_PAUSE_MS = 900;
const MAX_END_MS = 60_000;
const MAX_PROBLEMS = 30;

export async function runCampaign(plan: FaultPlan): Promise<FaultReport> {
  const startedAt = Date.now();
  const { cluster, database } = await startDatabase({ fsync: "on" });
  const folder = mkdtempSync(join(tmpdir(), "pith-faults-"));
  const location = (user: string) => `postgresql://${user}@127.0.0.1:${cluster.port}/pith`;
  await migrateDbos(location(OWNER), APPLICATION);
  const owner = connect(cluster.as(OWNER));
  await owner.pool.query(RECORD_TOKEN_RAISES);
  await owner.close();
  const model = await startModelServer(plan.random);
  const wake = await openDbosWake({ connectionString: location(APPLICATION) });
  const journal = join(folder, "journal");
  const workers = new Workers({ port: cluster.port, modelUrl: model.url, journal, intervals: INTERVALS });
  const superuser = connect(cluster.as("postgres"));
  const readAsSuperuser: ReadRows = (text, values) =>
    retry(async () => (await superuser.pool.query(text, [...values])).rows);
  const conversations = new Conversations({ database, wake, readAsSuperuser, random: plan.random });
  try {
    for (let count = 0; count < WORKERS; count += 1) workers.start();
    const holding = Promise.all(Array.from({ length: CONVERSATIONS }, () => conversations.hold()));
    await Promise.race([causeFaults(plan, workers, cluster), holding]);
    conversations.end();
    await holding;
    const states = conversations.all.map((conversation) => conversations.waitUntilIdle(conversation, MAX_END_MS));
    const busy = (await Promise.all(states)).filter((isIdle) => !isIdle).length;
    const stuck = busy > 0 ? await readAsSuperuser(STUCK_SESSIONS, []) : [];
    await workers.stopAll();
    const lines = readJournal(journal);
    const faults = [...workers.faults, ...listDeaths(lines), ...listStalls(lines)].sort(
      (one, other) => one.from - other.from,
    );
    const raises = await readTokenRaises(readAsSuperuser);
    const toolRuns = countToolRuns(lines);
    const takeovers = explainTakeovers(raises, faults, INTERVALS.silent);
    // Who gives a session back does so between two requests, unless PostgreSQL goes away meanwhile.
    const reasons = raises.filter(({ old_holder: old, at }) => old !== null || wasAway(faults, at));
    const all = conversations.all;
    const logs = await checkSessions({ database, conversations: all, model, raises: reasons, toolRuns });
    const problems = [
      ...Array.from(conversations.left, (id) => `${id} was given back with a message that was not delivered`),
      ...stuck.map((row) => `a session is stuck: ${JSON.stringify(row)}`),
      ...[...workers.problems, ...takeovers.problems, ...logs.problems],
      ...workers.failedStarts
        .filter((at) => !wasAway(faults, at))
        .map(() => "a worker could not start although PostgreSQL was there"),
      ...lines.flatMap(describeError),
    ];
    const { kills, freezes, restarts, deploys } = plan;
    return {
      ...{ kills, freezes, restarts, deploys, workers: workers.count, sessions: conversations.all.length },
      ...{
        ...logs.report,
        stranded: busy + conversations.left.size,
        ...takeovers.report,
        parked: conversations.parked,
      },
      failed_starts: workers.failedStarts.length,
      ...{ repeated_messages: conversations.repeated, dead_ms: INTERVALS.silent },
      ...{ seconds: Math.round((Date.now() - startedAt) / 1000), problems: problems.slice(0, MAX_PROBLEMS) },
    };
  } finally {
    workers.killAll();
    await wake.close();
    await model.close();
    await superuser.close();
    await database.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

const STUCK_SESSIONS = `
  select s.tenant, s.id, s.holder, s.token, s.busy_since, s.accepted, s.delivered, s.takeovers, s.parked, s.last_seq, w.beat, now()
  from pith.session s left join pith.worker w on w.id = s.holder where s.busy_since is not null limit 20`;

/** All faults in random order. What takes time goes on during the faults after it. */
async function causeFaults(plan: FaultPlan, workers: Workers, cluster: Cluster): Promise<void> {
  const { random } = plan;
  const ongoing: Promise<void>[] = [];
  let deploying: Promise<void> = Promise.resolve();
  for (const type of shuffleFaults(plan)) {
    await sleep(random() * 2 * MEAN_PAUSE_MS);
    if (type === "kill") {
      const moment = random() < 0.6 ? MOMENTS[Math.floor(random() * MOMENTS.length)] : undefined;
      ongoing.push(workers.kill(await workers.choose(random, OTHERS), moment));
    } else if (type === "freeze") {
      const worker = await workers.choose(random, OTHERS);
      ongoing.push(workers.freeze(worker, INTERVALS.silent * (1.3 + random())));
    } else if (type === "deploy") {
      deploying = deploying.then(() => workers.deploy());
      ongoing.push(deploying);
    } else {
      const from = Date.now();
      await cluster.whileStopped(() => sleep(random() * 500));
      workers.faults.push({ type: "restart", worker: null, from, to: Date.now() });
    }
  }
  await Promise.all(ongoing);
}

const MOMENTS: readonly Moment[] = [
  ...(["before", "during", "after"] as const).flatMap(
    (phase) => [`hold-${phase}`, `deliver-${phase}`, `append-${phase}`, `release-${phase}`] as const,
  ),
  ...(["sweep", "reply", "reply", "tool", "tool", "after-tool", "after-tool"] as const),
];

type FaultType = "kill" | "freeze" | "restart" | "deploy";

function shuffleFaults({ kills, freezes, restarts, deploys, random }: FaultPlan): readonly FaultType[] {
  const counts = { kill: kills, freeze: freezes, restart: restarts, deploy: deploys };
  const types = Object.entries(counts).flatMap(([type, count]) => Array<FaultType>(count).fill(type as FaultType));
  return types
    .map((type) => ({ type, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ type }) => type);
}

function listDeaths(lines: readonly JournalLine[]): readonly Fault[] {
  return lines.flatMap((line) =>
    line.type === "died" ? [{ type: "kill", worker: line.worker, from: line.at, to: Infinity }] : [],
  );
}

/** The times in which a worker showed no life, because the machine is busy. The last one lasts until its end. */
function listStalls(lines: readonly JournalLine[]): readonly Fault[] {
  const lastSeen = new Map<string, number>();
  const gaps = lines.flatMap((line): readonly Fault[] => {
    if (line.type === "ended") lastSeen.delete(line.worker);
    if (line.type !== "alive") return [];
    const from = lastSeen.get(line.worker) ?? line.at;
    lastSeen.set(line.worker, line.at);
    return [{ type: "stall", worker: line.worker, from, to: line.at }];
  });
  const ends = Array.from(lastSeen, ([worker, from]): Fault => ({ type: "stall", worker, from, to: Infinity }));
  return [...gaps.filter(({ from, to }) => to - from > INTERVALS.silent / 3), ...ends];
}

function countToolRuns(lines: readonly JournalLine[]): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const line of lines) if (line.type === "tool") runs.set(line.call, (runs.get(line.call) ?? 0) + 1);
  return runs;
}

/** A run that was taken over ends with an error, and that is no problem. */
function describeError(line: JournalLine): readonly string[] {
  return line.type === "error" && !line.why.includes("another process has taken over this session")
    ? [`${line.worker}: ${line.why}`]
    : [];
}

/** Measures how well request sizes are predicted over whole sessions: made-up ones, and real ones where they are at hand. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AssistantMessage,
  buildSessionContext,
  contextSize,
  convertToLlm,
  type Entry,
  type LoadedBranch,
  MemoryStore,
  messageTokens,
} from "@pith/context";
import type { findCalibration } from "@pith/context/host";
import { collectCalibration } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { loadBranch } from "@pith/context/store";
import { createRandom, randomInteger } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, SuiteOptions } from "../suite.ts";
import { generateSession } from "./made-up-sessions.ts";
import { generateList, pick, type TextKind } from "./random-text.ts";

type ModelCalibration = ReturnType<typeof findCalibration>;

const SESSIONS_FOLDER = join(import.meta.dirname, "../../../../shared/fixtures/pi-sessions");

/** Sessions of pi, read in place where they are at hand, and never copied. */
export async function readRealSessions(): Promise<readonly (readonly Entry[])[]> {
  if (!existsSync(SESSIONS_FOLDER)) return [];
  const names = readdirSync(SESSIONS_FOLDER).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(names.sort().map((name) => readBranch(join(SESSIONS_FOLDER, name))));
}

async function readBranch(file: string): Promise<readonly Entry[]> {
  const store = MemoryStore.open(readFileSync(file), nodeRuntime);
  return store.branchEntries(await store.leaf());
}

/** Each an error in parts of what it came to. */
export interface ReplayErrors {
  /** As it is used: the last reply's measure, and an estimate of what came since. */
  readonly next: readonly number[];
  /** Of what came since alone. */
  readonly growth: readonly number[];
  /** The whole request by estimate, with no more learnt than the first five requests taught. */
  readonly calibrated: readonly number[];
}

const TRAINING_REQUESTS = 5;
/** What came since must be worth an estimate. */
const MIN_GROWTH = 100;

/** Goes through a session again: what each request would have been estimated at, beside what it came to. */
export function measureReplay(entries: readonly Entry[]): ReplayErrors {
  const errors = { next: [] as number[], growth: [] as number[], calibrated: [] as number[] };
  let calibration: ModelCalibration | null = null;
  let requests = 0;
  for (const [index, entry] of entries.entries()) {
    const reply = findMeasuredReply(entry);
    if (!reply) continue;
    const realTokens = promptTokens(reply);
    const branch = loadBranch(entries.slice(0, index));
    if (requests++ === TRAINING_REQUESTS)
      calibration = collectCalibration(branch)[`${reply.provider}/${reply.model}`] ?? null;
    if (!calibration) continue;
    const { tokens, measured: measuredTokens, estimated: estimatedTokens } = contextSize(branch, { model: reply });
    errors.next.push(Math.abs(tokens / realTokens - 1));
    errors.calibrated.push(Math.abs(estimateWithCalibration(calibration, branch, reply) / realTokens - 1));
    const growth = realTokens - measuredTokens;
    if (measuredTokens > 0 && growth >= MIN_GROWTH) errors.growth.push(Math.abs(estimatedTokens / growth - 1));
  }
  return errors;
}

function findMeasuredReply(entry: Entry): AssistantMessage | null {
  if (entry.type !== "message" || entry.message.role !== "assistant") return null;
  const { message } = entry;
  const isComplete = message.stopReason !== "error" && message.stopReason !== "aborted";
  return isComplete && promptTokens(message) > 0 ? message : null;
}

function promptTokens({ usage: { input, cacheRead, cacheWrite } }: AssistantMessage): number {
  return input + cacheRead + cacheWrite;
}

function estimateWithCalibration(
  { factor, overhead }: ModelCalibration,
  branch: LoadedBranch,
  reply: AssistantMessage,
): number {
  const messages = convertToLlm(buildSessionContext(branch).messages, reply);
  return factor * messages.reduce((sum, message) => sum + messageTokens(message), 0) + overhead;
}

export async function measureSessions(kinds: readonly TextKind[], options: SuiteOptions): Promise<Figures> {
  const { quick, seed, log } = options;
  const madeUpSessions = generateList(quick ? 12 : 48, (index) => generateMixedSession(kinds, seed + index));
  const realSessions = await readRealSessions();
  log(
    `replaying ${madeUpSessions.length} made-up sessions and ${realSessions.length === 0 ? "no real ones (they are not here)" : `${realSessions.length} real ones`}`,
  );
  const [madeUpErrors, realErrors] = [madeUpSessions.map(measureReplay), realSessions.map(measureReplay)];
  return {
    ...medianFigures("", [...madeUpErrors, ...realErrors]),
    made_up_sessions: madeUpSessions.length,
    real_sessions: realSessions.length,
    ...(realSessions.length > 0 && medianFigures("real_", realErrors)),
  };
}

/** Five kinds of text, and a model that counts up to a third more or a seventh less, with a prompt of its own. */
function generateMixedSession(kinds: readonly TextKind[], seed: number): readonly Entry[] {
  const randomSource = createRandom(seed);
  return generateSession({
    kinds: generateList(5, () => pick(randomSource, kinds)),
    requests: 30,
    hiddenModel: { factor: 0.85 + randomSource() * 0.5, promptTokens: randomInteger(randomSource, 500, 15_000) },
    seed,
  });
}

/** Of the sessions' own medians, so that a long session counts no more than a short one. */
function medianFigures(prefix: string, sessions: readonly ReplayErrors[]): Figures {
  const medianOf = (field: keyof ReplayErrors): number => median(sessions.map((errors) => median(errors[field])));
  return {
    [`${prefix}calibrated_error`]: medianOf("calibrated"),
    [`${prefix}next_request_error`]: medianOf("next"),
    [`${prefix}growth_error`]: medianOf("growth"),
  };
}

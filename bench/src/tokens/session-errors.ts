/** Measures the error of predicted request sizes over whole sessions: generated ones, and real ones if available. */

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
import { collectCalibration, type findCalibration } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { loadBranch } from "@pith/context/store";
import { createRandom, randomInteger } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, SuiteOptions } from "../suite.ts";
import { generateSession } from "./made-up-sessions.ts";
import { generateList, pick, type TextKind } from "./random-text.ts";

export async function measureSessions(kinds: readonly TextKind[], options: SuiteOptions): Promise<Figures> {
  const { quick, seed, log } = options;
  const madeUpSessions = generateList(quick ? 12 : 48, (index) => generateMixedSession(kinds, seed + index));
  const realSessions = await readRealSessions();
  log(
    `replaying ${madeUpSessions.length} generated sessions and ${realSessions.length === 0 ? "no real ones (not available)" : `${realSessions.length} real ones`}`,
  );
  const [madeUpErrors, realErrors] = [madeUpSessions.map(measureReplay), realSessions.map(measureReplay)];
  return {
    ...medianFigures("", [...madeUpErrors, ...realErrors]),
    made_up_sessions: madeUpSessions.length,
    real_sessions: realSessions.length,
    ...(realSessions.length > 0 && medianFigures("real_", realErrors)),
  };
}

/** Generates a session with five kinds of text and a model whose token count differs by a factor from 0.85 to 1.35. */
function generateMixedSession(kinds: readonly TextKind[], seed: number): readonly Entry[] {
  const randomSource = createRandom(seed);
  return generateSession({
    kinds: generateList(5, () => pick(randomSource, kinds)),
    requests: 30,
    hiddenModel: { factor: 0.85 + randomSource() * 0.5, promptTokens: randomInteger(randomSource, 500, 15_000) },
    seed,
  });
}

function promptTokens({ usage: { input, cacheRead, cacheWrite } }: AssistantMessage): number {
  return input + cacheRead + cacheWrite;
}

/** Reads real sessions of pi if they are available. They are never copied. */
async function readRealSessions(): Promise<readonly (readonly Entry[])[]> {
  if (!existsSync(SESSIONS_FOLDER)) return [];
  const names = readdirSync(SESSIONS_FOLDER).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(names.sort().map((name) => readBranch(join(SESSIONS_FOLDER, name))));
}

const SESSIONS_FOLDER = join(import.meta.dirname, "../../../../shared/fixtures/pi-sessions");

async function readBranch(file: string): Promise<readonly Entry[]> {
  const store = MemoryStore.open(readFileSync(file), nodeRuntime);
  return store.branchEntries(await store.leaf());
}

/** Errors relative to the real size. */
export interface ReplayErrors {
  /** The prediction as the agent uses it: the usage of the last reply plus an estimate of the messages since. */
  readonly next: readonly number[];
  /** The estimate of the messages since the last reply alone. */
  readonly growth: readonly number[];
  /** An estimate of the whole request, calibrated with the first five requests only. */
  readonly calibrated: readonly number[];
}

/** Replays a session, and compares the estimate of each request with its real size. */
function measureReplay(entries: readonly Entry[]): ReplayErrors {
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

type ModelCalibration = ReturnType<typeof findCalibration>;

function findMeasuredReply(entry: Entry): AssistantMessage | null {
  if (entry.type !== "message" || entry.message.role !== "assistant") return null;
  const { message } = entry;
  const isComplete = message.stopReason !== "error" && message.stopReason !== "aborted";
  return isComplete && promptTokens(message) > 0 ? message : null;
}

const TRAINING_REQUESTS = 5;
/** The minimum of new tokens to measure the growth error. */
const MIN_GROWTH = 100;

function estimateWithCalibration(
  { factor, overhead }: ModelCalibration,
  branch: LoadedBranch,
  reply: AssistantMessage,
): number {
  const messages = convertToLlm(buildSessionContext(branch).messages, reply);
  return factor * messages.reduce((sum, message) => sum + messageTokens(message), 0) + overhead;
}

/** The medians of the sessions' medians, so that a long session has the same weight as a short one. */
function medianFigures(prefix: string, sessions: readonly ReplayErrors[]): Figures {
  const medianOf = (field: keyof ReplayErrors): number => median(sessions.map((errors) => median(errors[field])));
  return {
    [`${prefix}calibrated_error`]: medianOf("calibrated"),
    [`${prefix}next_request_error`]: medianOf("next"),
    [`${prefix}growth_error`]: medianOf("growth"),
  };
}

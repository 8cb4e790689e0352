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
import { between, random } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings } from "../suite.ts";
import { madeUpSession } from "./made-up-sessions.ts";
import { type Kind, many, pick } from "./random-text.ts";

type ModelCalibration = ReturnType<typeof findCalibration>;

const folder = join(import.meta.dirname, "../../../../shared/fixtures/pi-sessions");

/** Sessions of pi, read in place where they are at hand, and never copied. */
export async function realSessions(): Promise<readonly (readonly Entry[])[]> {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(names.sort().map((name) => branchOf(join(folder, name))));
}

async function branchOf(file: string): Promise<readonly Entry[]> {
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

const TAUGHT = 5;
/** What came since must be worth an estimate. */
const SMALLEST_GROWTH = 100;

/** Goes through a session again: what each request would have been estimated at, beside what it came to. */
export function replay(entries: readonly Entry[]): ReplayErrors {
  const errors = { next: [] as number[], growth: [] as number[], calibrated: [] as number[] };
  let taught: ModelCalibration | null = null;
  let requests = 0;
  for (const [at, entry] of entries.entries()) {
    const reply = measuredIn(entry);
    if (!reply) continue;
    const real = promptOf(reply);
    const before = loadBranch(entries.slice(0, at));
    if (requests++ === TAUGHT) taught = collectCalibration(before)[`${reply.provider}/${reply.model}`] ?? null;
    if (!taught) continue;
    const { tokens, measured, estimated } = contextSize(before, { model: reply });
    errors.next.push(Math.abs(tokens / real - 1));
    errors.calibrated.push(Math.abs(wholeBy(taught, before, reply) / real - 1));
    const grown = real - measured;
    if (measured > 0 && grown >= SMALLEST_GROWTH) errors.growth.push(Math.abs(estimated / grown - 1));
  }
  return errors;
}

function measuredIn(entry: Entry): AssistantMessage | null {
  if (entry.type !== "message" || entry.message.role !== "assistant") return null;
  const { message } = entry;
  const isWhole = message.stopReason !== "error" && message.stopReason !== "aborted";
  return isWhole && promptOf(message) > 0 ? message : null;
}

function promptOf({ usage: { input, cacheRead, cacheWrite } }: AssistantMessage): number {
  return input + cacheRead + cacheWrite;
}

function wholeBy({ factor, overhead }: ModelCalibration, window: LoadedBranch, to: AssistantMessage): number {
  const sent = convertToLlm(buildSessionContext(window).messages, to);
  return factor * sent.reduce((sum, message) => sum + messageTokens(message), 0) + overhead;
}

export async function sessionErrors(kinds: readonly Kind[], settings: Settings): Promise<Figures> {
  const { quick, seed, say } = settings;
  const madeUp = many(quick ? 12 : 48, (at) => mixedSession(kinds, seed + at));
  const real = await realSessions();
  say(
    `replaying ${madeUp.length} made-up sessions and ${real.length === 0 ? "no real ones (they are not here)" : `${real.length} real ones`}`,
  );
  const [ofMadeUp, ofReal] = [madeUp.map(replay), real.map(replay)];
  return {
    ...medians("", [...ofMadeUp, ...ofReal]),
    made_up_sessions: madeUp.length,
    real_sessions: real.length,
    ...(real.length > 0 && medians("real_", ofReal)),
  };
}

/** Five kinds of text, and a model that counts up to a third more or a seventh less, with a prompt of its own. */
function mixedSession(kinds: readonly Kind[], seed: number): readonly Entry[] {
  const next = random(seed);
  return madeUpSession({
    kinds: many(5, () => pick(next, kinds)),
    requests: 30,
    hidden: { factor: 0.85 + next() * 0.5, prompt: between(next, 500, 15_000) },
    seed,
  });
}

/** Of the sessions' own medians, so that a long session counts no more than a short one. */
function medians(prefix: string, sessions: readonly ReplayErrors[]): Figures {
  const overall = (by: keyof ReplayErrors): number => median(sessions.map((errors) => median(errors[by])));
  return {
    [`${prefix}calibrated_error`]: overall("calibrated"),
    [`${prefix}next_request_error`]: overall("next"),
    [`${prefix}growth_error`]: overall("growth"),
  };
}

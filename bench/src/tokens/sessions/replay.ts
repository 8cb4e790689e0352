/** A session gone through once more: what each request would have been taken for, beside what it came to. */

import {
  type AssistantMessage,
  buildSessionContext,
  calibrationAt,
  contextSize,
  convertToLlm,
  type Entry,
  type Fit,
  messageTokens,
  type Window,
  windowOf,
} from "@pith/context";

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

export function replay(entries: readonly Entry[]): ReplayErrors {
  const errors = { next: [] as number[], growth: [] as number[], calibrated: [] as number[] };
  let taught: Fit | null = null;
  let requests = 0;
  for (const [at, entry] of entries.entries()) {
    const reply = measuredIn(entry);
    if (!reply) continue;
    const real = promptOf(reply);
    const before = windowOf(entries.slice(0, at));
    if (requests++ === TAUGHT) taught = calibrationAt(before)[`${reply.provider}/${reply.model}`] ?? null;
    if (!taught) continue;
    const { tokens, measured, estimated } = contextSize(before, { to: reply });
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

function wholeBy({ factor, overhead }: Fit, window: Window, to: AssistantMessage): number {
  const sent = convertToLlm(buildSessionContext(window).messages, to);
  return factor * sent.reduce((sum, message) => sum + messageTokens(message), 0) + overhead;
}

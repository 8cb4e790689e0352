/**
 * Calibrates the estimate of tokens: learns from the counts that a provider reports how a model's tokens compare with estimated ones, and
 * finds what was learned. `context-size.ts` reads the replies of a branch and applies it.
 */

import { type Entry, readPithDetails } from "../entry.ts";
import { isObject } from "../json.ts";
import type { ModelName } from "../model.ts";

/** Calibrations by `provider/model`, the last measured one last. A compaction stores it in `details.pith.calibration`. */
export type Calibration = Readonly<Record<string, ModelCalibration>>;

/** Finds a model's calibration; without a model, the last one that was measured. An unmeasured model gets that one's overhead. */
export function findCalibration(
  calibration: Calibration,
  model: Pick<ModelName, "provider" | "model"> | undefined,
): ModelCalibration {
  const newest = Object.values(calibration).at(-1) ?? defaultCalibration;
  if (!model) return newest;
  return calibration[modelKey(model)] ?? { ...defaultCalibration, overhead: newest.overhead };
}

/** How estimated tokens of a model compare with its reported tokens. */
export interface ModelCalibration {
  /** Reported tokens per estimated token. */
  readonly factor: number;
  /** Tokens that are sent but not in the log, such as a prompt and tools of the host. */
  readonly overhead: number;
  /** The amount of data behind the factor, in growths of a typical size. */
  readonly samples: number;
}

/** The calibration of a model before its first reply. */
export const defaultCalibration: ModelCalibration = { factor: 1, overhead: 0, samples: 0 };

/** Returns the key of a model, `provider/model`. */
export function modelKey({ provider, model }: Pick<ModelName, "provider" | "model">): string {
  return `${provider}/${model}`;
}

/** Learns from a reply: from the growth of the context since the reply before it, and from what is sent but not in the log. */
export function learnCalibration(
  previous: ModelCalibration,
  { promptTokens, sentTokens, growth }: MeasuredRequest,
): ModelCalibration {
  const calibration = growth ? updateCalibration(previous, growth) : previous;
  return { ...calibration, overhead: Math.max(0, Math.round(promptTokens - calibration.factor * sentTokens)) };
}

/** A request whose reply reported its tokens. */
export interface MeasuredRequest {
  /** The reported tokens of the request. */
  readonly promptTokens: number;
  /** The estimated tokens of what was sent from the log. */
  readonly sentTokens: number;
  /** Null if the replies are not comparable: of another model, or with an edit between them. */
  readonly growth: TokenGrowth | null;
}

/** The growth of a context between two replies, in reported and in estimated tokens. */
export interface TokenGrowth {
  readonly real: number;
  readonly estimated: number;
}

/** Updates a calibration. Ignores growth that is tiny or out of proportion: reasoning was dropped, or a prompt was changed. */
function updateCalibration(calibration: ModelCalibration, { real, estimated }: TokenGrowth): ModelCalibration {
  const ratio = real / estimated;
  if (estimated < MIN_GROWTH_TOKENS || ratio < 0.3 || ratio > 4) return calibration;
  const weight = TYPICAL_GROWTH_TOKENS * Math.min(INITIAL_SAMPLES + calibration.samples, MAX_SAMPLES);
  const factor = (calibration.factor * weight + real) / (weight + estimated);
  return {
    ...calibration,
    factor: Math.min(MAX_CALIBRATION_FACTOR, Math.max(MIN_CALIBRATION_FACTOR, factor)),
    samples: calibration.samples + estimated / TYPICAL_GROWTH_TOKENS,
  };
}

/** The smallest growth that counts and a typical one, in estimated tokens. */
const MIN_GROWTH_TOKENS = 100;
const TYPICAL_GROWTH_TOKENS = 500;
/** The weight of earlier growths against a new one, initially and at most, so that recent growth counts more. */
const INITIAL_SAMPLES = 1;
const MAX_SAMPLES = 40;
const MIN_CALIBRATION_FACTOR = 0.5;
const MAX_CALIBRATION_FACTOR = 3;

/** Reads the calibrations that a compaction stores. They come from a file, so invalid ones are dropped. */
export function readCompactionCalibrations(entry: Entry): readonly (readonly [model: string, ModelCalibration])[] {
  const { calibration } = entry.type === "compaction" ? readPithDetails(entry.details) : {};
  if (!isObject(calibration)) return [];
  return Object.entries(calibration).flatMap(([model, value]) => {
    const { factor, overhead, samples } = Object(value) as Partial<ModelCalibration>;
    const isValid =
      isInRange(factor, MIN_CALIBRATION_FACTOR, MAX_CALIBRATION_FACTOR) &&
      isInRange(overhead, 0, 10_000_000) &&
      isInRange(samples, 0, 1e9);
    return isValid ? [[model, { factor, overhead, samples }] as const] : [];
  });
}

function isInRange(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && value >= low && value <= high;
}

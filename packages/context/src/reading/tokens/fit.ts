/** How the estimates for one model fit what it measures, and how one more measure changes that. */

import type { Entry } from "../../entry.ts";

export interface Fit {
  /** Real tokens for each that was estimated. */
  readonly factor: number;
  /** Tokens that are sent and not in the log: a prompt and tools of the host's own. */
  readonly overhead: number;
  /** How much it was learnt from, in growths of a typical size. */
  readonly samples: number;
}

export const uncalibrated: Fit = { factor: 1, overhead: 0, samples: 0 };

export interface Growth {
  readonly real: number;
  readonly estimated: number;
}

/** Growth that is tiny or out of all proportion says nothing: reasoning was dropped, or a prompt was changed. */
export function improved(fit: Fit, { real, estimated }: Growth): Fit {
  const ratio = real / estimated;
  if (estimated < SMALLEST || ratio < 0.3 || ratio > 4) return fit;
  const weight = TYPICAL * Math.min(DOUBT + fit.samples, MEMORY);
  const factor = (fit.factor * weight + real) / (weight + estimated);
  return { ...fit, factor: Math.min(HIGHEST, Math.max(LOWEST, factor)), samples: fit.samples + estimated / TYPICAL };
}

/** Estimated tokens of the smallest growth that counts, and of a typical one. */
const SMALLEST = 100;
const TYPICAL = 500;
/** How many typical growths weigh against a new one: at first, and at most, so that recent ones count more. */
const DOUBT = 1;
const MEMORY = 40;
const LOWEST = 0.5;
const HIGHEST = 3;

/** What a compaction carries over from before it. It comes from a file, so what is not as we write it is left out. */
export function carriedFits(entry: Entry): readonly (readonly [model: string, Fit])[] {
  const details = entry.type === "compaction" ? (entry.details as CarriedDetails | null | undefined) : null;
  const calibration: unknown = details?.pith?.calibration;
  if (typeof calibration !== "object" || calibration === null) return [];
  return Object.entries(calibration).flatMap(([model, fit]) => {
    const { factor, overhead, samples } = Object(fit) as Partial<Fit>;
    const isSound = isWithin(factor, LOWEST, HIGHEST) && isWithin(overhead, 0, 10_000_000) && isWithin(samples, 0, 1e9);
    return isSound ? [[model, { factor, overhead, samples }] as const] : [];
  });
}

interface CarriedDetails {
  readonly pith?: { readonly calibration?: unknown } | null;
}

function isWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && value >= low && value <= high;
}

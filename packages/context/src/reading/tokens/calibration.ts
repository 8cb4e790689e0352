/** How our estimates compare with what each model measures, learnt from the replies on a branch. */

import type { ModelName } from "../../request.ts";
import type { Window } from "../../session/window.ts";
import { type Fit, uncalibrated } from "./fit.ts";
import { lessonsOf, nameOf } from "./lessons.ts";

export type { Fit } from "./fit.ts";

/** By `provider/model`, the last measured one last. Plain JSON: a compaction carries it in `details.pith.calibration`. */
export type Calibration = Readonly<Record<string, Fit>>;

/** TOK5: what a compaction carried over, and what replies have measured since. */
export function calibrationAt(window: Window): Calibration {
  return lessonsOf(window).fits;
}

/** Without a model that of the last one measured. A model never measured is sent as much besides the log as others are. */
export function fitOf(calibration: Calibration, to: Pick<ModelName, "provider" | "model"> | undefined): Fit {
  const newest = Object.values(calibration).at(-1) ?? uncalibrated;
  if (!to) return newest;
  return calibration[nameOf(to)] ?? { ...uncalibrated, overhead: newest.overhead };
}

/** What the footer tells, as plain figures. */

import type { Mode } from "@pith/agent";
import type { MeterParts } from "../../commands/fitting/weighing/meter-parts.ts";

export interface Facts {
  readonly model: string;
  readonly thinking: string;
  /** The folder, with `~` for the user's home. */
  readonly folder: string;
  /** Of the version control system. */
  readonly gitBranch: string | null;
  readonly sessionName: string | null;
  /** How many branches the session has, and whether one stands at the end of one of them; null where there is but one. */
  readonly place: string | null;
  /** Of the whole session; null until it is counted. */
  readonly cost: number | null;
  /** Null until it is known, as is the mode: nothing is told that may be wrong. */
  readonly isSandboxed: boolean | null;
  readonly mode: Mode | null;
  readonly meter: Meter | null;
}

/** How full the context is, by the one estimator. */
export interface Meter {
  readonly tokens: number;
  readonly contextWindow: number;
  /** More than this is compacted; null in a window nobody knows. */
  readonly limit: number | null;
  readonly soft: number | null;
  readonly isAutomatic: boolean;
  /** Why nothing would happen by itself although it is too much; null where it would, or need not. */
  readonly held: "off" | "undone" | "breaker" | null;
  /** In tokens: what stays first and cached, what is kept as it was said, what came since. */
  readonly parts: MeterParts;
}

/** What a writer makes of a plan: a summary that has yet to be checked, and what it cost. */

import type { Usage } from "../../message.ts";
import type { Plan } from "../planning/plan.ts";

export interface Candidate {
  readonly route: string;
  /** A summary by a model or a hook; empty where there is none. */
  readonly story: string;
  /** What code has to say; empty where a story says it all. */
  readonly notes: string;
  /** Ids of the entries that were put before the writer. */
  readonly covers: ReadonlySet<string>;
  readonly usage?: Usage;
  /** Of a hook: kept beside our own. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fromHook?: boolean;
}

/** The route of code itself. */
export const MODEL_FREE = "model-free";

export interface Writer {
  readonly route: string;
  /** Whether it costs money: then the hourly limit holds for it. */
  readonly isPaid: boolean;
  write(plan: Plan, act: { readonly signal?: AbortSignal }): Promise<Written> | Written;
}

export type Written =
  /** With a plan of its own where it cuts elsewhere. */
  | { readonly type: "written"; readonly candidate: Candidate; readonly plan?: Plan }
  | { readonly type: "nothing" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: string; readonly usage?: Usage };

/** What a writer makes of a plan: a summary that has yet to be checked, and what it cost. */

import type { Usage } from "../../message.ts";
import type { ModelName } from "../../request.ts";
import type { Allowance } from "../../summary/asking/ask.ts";
import type { TellProgress } from "../../summary/progress.ts";
import type { Plan } from "../planning/plan.ts";
import type { Finding } from "../receipt.ts";

export interface Candidate {
  readonly route: string;
  /** A summary by a model or a hook; empty where there is none. */
  readonly story: string;
  /** What code has to say; empty where a story says it all. */
  readonly notes: string;
  /** Ids of the entries that were put before the writer. */
  readonly covers: ReadonlySet<string>;
  /** The model that wrote it. */
  readonly by?: ModelName;
  readonly calls?: readonly Paid[];
  /** What is worth knowing about it, e.g. what code had to mend. */
  readonly findings?: readonly Finding[];
  /** Of a hook: kept beside our own. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fromHook?: boolean;
}

/** One call to a model: what it cost, and whose it was, where that is known. */
export interface Paid {
  readonly usage: Usage;
  readonly by?: ModelName;
}

/** The route of code itself. */
export const MODEL_FREE = "model-free";

export interface Writer {
  readonly route: string;
  /** Whether it costs money: then the hourly limit holds for it. */
  readonly isPaid: boolean;
  write(plan: Plan, act: WriteAct): Promise<Written> | Written;
}

export interface WriteAct {
  readonly signal?: AbortSignal;
  /** What the user, or a hook, wants looked at. */
  readonly instructions?: string;
  /** What may be spent on it; a paid writer keeps to it. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress;
}

export type Written =
  /** With a plan of its own where it cuts elsewhere. */
  | { readonly type: "written"; readonly candidate: Candidate; readonly plan?: Plan }
  | { readonly type: "nothing" }
  | { readonly type: "cancelled"; readonly calls?: readonly Paid[] }
  | { readonly type: "failed"; readonly why: string; readonly calls?: readonly Paid[] };

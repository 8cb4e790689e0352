/** Plans faults: once at a numbered operation, or at every operation of a kind until healed. */

import type { FileOperation } from "./refusal.ts";

export type Fault =
  | { readonly type: "failure"; readonly code: string }
  | { readonly type: "crash" }
  | ({ readonly type: "tear" } & Tear);

export interface Tear {
  /** How many bytes of an append arrive. */
  readonly bytes: number;
  readonly end: TearEnd;
}

/** After the tear: ENOSPC is thrown, the short count is returned, or the process dies. */
export type TearEnd = "throws" | "short" | "crashes";

export interface FaultPlan {
  /** By the number of the operation. */
  readonly byNumber: Map<number, Fault>;
  /** The code that every operation of a kind gives. */
  readonly byOperation: Map<FileOperation, string>;
}

export function createFaultPlan(): FaultPlan {
  return { byNumber: new Map(), byOperation: new Map() };
}

/** What goes wrong with this operation; a planned fault is spent by it. */
export function takeFault(
  { byNumber, byOperation }: FaultPlan,
  number: number,
  operation: FileOperation,
): Fault | undefined {
  const fault = byNumber.get(number);
  byNumber.delete(number);
  if (fault) return fault;
  const code = byOperation.get(operation);
  return code === undefined ? undefined : { type: "failure", code };
}

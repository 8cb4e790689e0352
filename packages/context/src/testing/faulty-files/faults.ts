/** Plans faults: once at a numbered operation, or at every operation of a kind until healed. */

import type { Operation } from "./refusal.ts";

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

export interface Faults {
  /** By the number of the operation. */
  readonly planned: Map<number, Fault>;
  /** The code that every operation of a kind gives. */
  readonly lasting: Map<Operation, string>;
}

export function noFaults(): Faults {
  return { planned: new Map(), lasting: new Map() };
}

/** What goes wrong with this operation; a planned fault is spent by it. */
export function dueFault({ planned, lasting }: Faults, number: number, operation: Operation): Fault | undefined {
  const fault = planned.get(number);
  planned.delete(number);
  if (fault) return fault;
  const code = lasting.get(operation);
  return code === undefined ? undefined : { type: "failure", code };
}

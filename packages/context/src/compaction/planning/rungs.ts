/** The steps of the ladder that need no model, from what is kept gladly to the barest: each keeps less than the one before. */

export interface Rung {
  readonly name: "whole" | "reduced" | "half" | "quarter" | "summary-only" | "barest";
  /** Of the tail's budget. */
  readonly tail: number;
  /** Of the front's budgets. */
  readonly front: number;
  /** What is bigger than this share of the tail's budget is reduced to head and tail, if it stays in the tail. */
  readonly reduceAbove: number;
}

/** From what is kept gladly to the barest; each keeps less than the one before. */
export const rungs: readonly [Rung, ...Rung[]] = [
  { name: "whole", tail: 1, front: 1, reduceAbove: 1 },
  { name: "reduced", tail: 1, front: 1, reduceAbove: 0.25 },
  { name: "half", tail: 0.5, front: 1, reduceAbove: 0.25 },
  { name: "quarter", tail: 0.25, front: 0.5, reduceAbove: 0.1 },
  { name: "summary-only", tail: 0, front: 0.5, reduceAbove: 0 },
  { name: "barest", tail: 0, front: 0.1, reduceAbove: 0 },
];

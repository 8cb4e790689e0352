/** Tokens, dollars and times, as people read them. */

export function tokensTold(count: number): string {
  return count < 1_000 ? `${count}` : `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`;
}

export function costTold(cost: number): string {
  return `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
}

export function secondsTold(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

/** Formats sizes, counts, tokens, dollars, ages and durations for people. */

import type { Usage } from "@pith/context";

export function bytesTold(bytes: number): string {
  const step = UNITS.findIndex((_, at) => bytes < 1024 ** (at + 1));
  const at = step < 0 ? UNITS.length - 1 : step;
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`;
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** `12,345`. */
export function amount(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** `16,384`, or `0.1 of the window` for what is set as a share of it. */
export function formatTokensOrShare(value: number): string {
  return value > 0 && value < 1 ? `${value} of the window` : amount(value);
}

/** `84,211`; `about 84,211` where no reply has measured the context. */
export function formatContextTokens({ tokens, isEstimate }: ContextTokens): string {
  return isEstimate ? `about ${amount(tokens)}` : amount(tokens);
}

export interface ContextTokens {
  readonly tokens: number;
  readonly isEstimate: boolean;
}

/** `1 session`, `3,200 sessions`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${amount(count)} ${count === 1 ? one : many}`;
}

/** `3 h`, `12 d`; `now` for what is less than a minute old, or not yet. */
export function ageTold(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (!(minutes >= 1)) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} h`;
  return `${amount(Math.floor(minutes / 60 / 24))} d`;
}

export function costTold(dollars: number): string {
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 4 : 2)}`;
}

/** Shorter, where a line has many figures: `1.2k`. */
export function tokensTold(count: number): string {
  return count < 1_000 ? `${count}` : `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`;
}

export function secondsTold(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

export function minutesTold(ms: number): string {
  return ms < 60_000 ? secondsTold(ms) : `${Math.round(ms / 60_000)} min`;
}

export function several(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : counted(count, noun);
}

export function severalLines(text: string): string {
  const whole = text.replace(/\n+$/, "");
  return several(whole === "" ? 0 : whole.split("\n").length, "line");
}

/** Those from the cache count as read; a price only where somebody knows it. */
export function usageTold({ input, cacheRead, cacheWrite, output, cost }: Usage): string {
  const read = tokensTold(input + cacheRead + cacheWrite);
  const parts = [
    `${read} tokens in${cacheRead > 0 ? ` (${tokensTold(cacheRead)} from the cache)` : ""}`,
    `${tokensTold(output)} out`,
  ];
  return [...parts, ...(cost.total > 0 ? [costTold(cost.total)] : [])].join(", ");
}

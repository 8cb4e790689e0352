/** Formats sizes, counts, tokens, costs, ages and durations for the user. */

import type { Usage } from "@pith/context";
import type { TokenAmount, TokenLimit } from "@pith/context/host";

export function formatBytes(bytes: number): string {
  const firstFit = BYTE_UNITS.findIndex((_, index) => bytes < 1024 ** (index + 1));
  const unitIndex = firstFit < 0 ? BYTE_UNITS.length - 1 : firstFit;
  const value = bytes / 1024 ** unitIndex;
  return `${unitIndex === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unitIndex]}`;
}

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"];

/** `12,345`. */
export function formatNumber(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** `16,384`, or `10% of the window` for a share of it. */
export function formatTokenAmount(amount: TokenAmount): string {
  return "tokens" in amount ? formatNumber(amount.tokens) : `${Number((amount.share * 100).toFixed(2))}% of the window`;
}

/** The number of tokens, or the share if only that is set. */
export function formatTokenLimit({ tokens, share }: TokenLimit): string {
  return formatTokenAmount(Number.isFinite(tokens) ? { tokens } : { share });
}

/** `84,211`, or `about 84,211` if no reply has measured the context yet. */
export function formatContextTokens({ tokens, isEstimate }: ContextTokens): string {
  return isEstimate ? `about ${formatNumber(tokens)}` : formatNumber(tokens);
}

export interface ContextTokens {
  readonly tokens: number;
  readonly isEstimate: boolean;
}

/** `1 session`, `3,200 sessions`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

/** `3 h`, `12 d`; `now` for less than a minute and for times in the future. */
export function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (!(minutes >= 1)) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} h`;
  return `${formatNumber(Math.floor(minutes / 60 / 24))} d`;
}

export function formatCost(dollars: number): string {
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 4 : 2)}`;
}

/** `1.2k`: a short form for lines with many numbers. */
export function formatTokens(count: number): string {
  return count < 1_000 ? `${count}` : `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`;
}

export function formatSeconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

/** Rounds up to whole seconds, minutes or hours, so that the time is enough. */
export function formatWait(ms: number): string {
  if (ms <= 120_000) return formatCount(Math.max(1, Math.ceil(ms / 1000)), "second");
  return ms <= 7_200_000
    ? formatCount(Math.ceil(ms / 60_000), "minute")
    : formatCount(Math.ceil(ms / 3_600_000), "hour");
}

export function formatMinutes(ms: number): string {
  return ms < 60_000 ? formatSeconds(ms) : `${Math.round(ms / 60_000)} min`;
}

export function formatCountOrNone(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : formatCount(count, noun);
}

export function formatLineCount(text: string): string {
  const trimmed = text.replace(/\n+$/, "");
  return formatCountOrNone(trimmed === "" ? 0 : trimmed.split("\n").length, "line");
}

/** Cached tokens are part of the input. The cost is omitted if it is unknown. */
export function formatUsage({ input, cacheRead, cacheWrite, output, cost }: Usage): string {
  const inputTokens = formatTokens(input + cacheRead + cacheWrite);
  const parts = [
    `${inputTokens} tokens in${cacheRead > 0 ? ` (${formatTokens(cacheRead)} from the cache)` : ""}`,
    `${formatTokens(output)} out`,
  ];
  return [...parts, ...(cost.total > 0 ? [formatCost(cost.total)] : [])].join(", ");
}

/** Builds tool results, formats counts and sizes, and holds the output limit of all tools. */

import type { PathOptions } from "../ports.ts";
import type { ToolCall, ToolOutput } from "../tool.ts";

export function textOutput(text: string, details?: unknown): ToolOutput {
  return { content: [{ type: "text", text }], ...(details !== undefined && { details }) };
}

export function errorOutput(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function formatBytes(bytes: number): string {
  const power = UNITS.findLastIndex((_, index) => bytes >= KILO ** (index + 1)) + 1;
  return power === 0 ? formatCount(bytes, "byte") : `${(bytes / KILO ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

const KILO = 1024;
const UNITS: readonly string[] = ["KB", "MB", "GB"];

function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

export interface OutputLimit {
  readonly lines: number;
  readonly bytes: number;
}

/** No tool shows more than this (B7): longer output is paged, narrowed down, or kept beside the session. */
export const outputLimit: OutputLimit = { lines: 2_000, bytes: 50 * 1024 };

/** How many of the first lines fit into so many bytes, each with its line end. */
export function countLinesWithin(lines: readonly string[], bytes: number): number {
  let size = 0;
  const overflowIndex = lines.findIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > bytes;
  });
  return overflowIndex < 0 ? lines.length : overflowIndex;
}

/**
 * The path of a call must lead to what was permitted, and nowhere else. Without anybody who permits, wherever it leads. The path is
 * absolute, as the intent of the call has it.
 */
export function permittedPath(path: string, { grant }: Pick<ToolCall, "grant">): PathOptions {
  return grant ? { realPath: grant.realPaths.get(path) ?? path } : {};
}

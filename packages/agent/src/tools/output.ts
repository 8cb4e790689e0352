/** Builds tool results, formats counts and sizes, and holds the output limit of all tools. */

import type { Held } from "../ports.ts";
import type { ToolCall, ToolOutput } from "../tool.ts";

export function said(text: string, details?: unknown): ToolOutput {
  return { content: [{ type: "text", text }], ...(details !== undefined && { details }) };
}

export function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function sized(bytes: number): string {
  const power = UNITS.findLastIndex((_, at) => bytes >= KILO ** (at + 1)) + 1;
  return power === 0 ? counted(bytes, "byte") : `${(bytes / KILO ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

const KILO = 1024;
const UNITS: readonly string[] = ["KB", "MB", "GB"];

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

export interface OutputLimit {
  readonly lines: number;
  readonly bytes: number;
}

/** No tool shows more than this (B7): longer output is paged, narrowed down, or kept beside the session. */
export const outputLimit: OutputLimit = { lines: 2_000, bytes: 50 * 1024 };

/** How many of the first lines fit into so many bytes, each with its line end. */
export function countWithin(lines: readonly string[], bytes: number): number {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > bytes;
  });
  return over < 0 ? lines.length : over;
}

/**
 * The path of a call must lead to what was permitted, and nowhere else. Without anybody who permits, wherever it leads. The path is
 * absolute, as the intent of the call has it.
 */
export function heldAt(path: string, { leave }: Pick<ToolCall, "leave">): Held {
  return leave ? { real: leave.reached.get(path) ?? path } : {};
}

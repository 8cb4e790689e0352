/** Reads tool arguments and builds tool results; all tools share it. Models send numbers and flags as text, so reading is tolerant. */

import type { PathOptions } from "../ports.ts";
import type { ToolCall, ToolOutput } from "../tool.ts";

export type ToolArguments = Readonly<Record<string, unknown>>;

export type ParsedArgument<Value> = { readonly type: "valid"; readonly value: Value } | ArgumentError;

export interface ArgumentError {
  readonly type: "invalid";
  /** Sent to the model, which may try again. */
  readonly message: string;
}

export function valid<Value>(value: Value): ParsedArgument<Value> {
  return { type: "valid", value };
}

export function invalid(message: string): ArgumentError {
  return { type: "invalid", message };
}

/** All values, or the error of the first invalid argument. */
export function combineArguments<Values>(
  argumentsByName: { readonly [Name in keyof Values]: ParsedArgument<Values[Name]> },
): ParsedArgument<Values> {
  const entries = Object.entries<ParsedArgument<unknown>>(argumentsByName);
  for (const [, argument] of entries) if (argument.type === "invalid") return argument;
  const values = entries.map(([name, argument]) => [name, argument.type === "valid" ? argument.value : undefined]);
  return valid(Object.fromEntries(values) as Values);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Null if the argument is not given; `NaN` if it is not a number. */
export function parseNumber(value: unknown): number | null {
  if (!isGiven(value)) return null;
  if (typeof value === "string") return Number(value.trim() || Number.NaN);
  return typeof value === "number" ? value : Number.NaN;
}

/** Reads an integer; null if it is not given. A 0 is accepted as 1 where counting starts at 1. */
export function readInteger(args: ToolArguments, name: string, minimum: 0 | 1): ParsedArgument<number | null> {
  const number = parseNumber(args[name]);
  if (number === null) return valid(null);
  if (Number.isSafeInteger(number) && number >= 0) return valid(Math.max(minimum, number));
  return invalid(`${name} must be a whole number of at least ${minimum}, not ${formatValue(args[name])}`);
}

export function readBoolean(args: ToolArguments, name: string): ParsedArgument<boolean> {
  const value = args[name];
  if (!isGiven(value) || value === false || value === "false") return valid(false);
  return value === true || value === "true"
    ? valid(true)
    : invalid(`${name} must be true or false, not ${formatValue(value)}`);
}

function formatValue(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

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

/** No tool shows more than this (B7). Longer output is paged, must be narrowed, or is stored as a blob. */
export const outputLimit: OutputLimit = { lines: 2_000, bytes: 50 * 1024 };

/** How many of the first lines fit into this many bytes, each with its line end. */
export function countLinesWithin(lines: readonly string[], bytes: number): number {
  let size = 0;
  const overflowIndex = lines.findIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > bytes;
  });
  return overflowIndex < 0 ? lines.length : overflowIndex;
}

/** The real path that a call is permitted to open; none without a permission check. `path` is absolute, as in the call's intent. */
export function getPermittedPath(path: string, { grant }: Pick<ToolCall, "grant">): PathOptions {
  return grant ? { realPath: grant.realPaths.get(path) ?? path } : {};
}

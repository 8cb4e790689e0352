/** What a tool answers, and the few ways in which answers name things. */

import type { ToolOutput } from "../tool.ts";

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

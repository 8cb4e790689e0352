/** What a file tool answers, and the few ways in which its answers name things. */

import type { ToolOutput } from "../../tool.ts";

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
  if (bytes < KILO) return counted(bytes, "byte");
  return bytes < KILO * KILO ? `${(bytes / KILO).toFixed(1)} KB` : `${(bytes / KILO / KILO).toFixed(1)} MB`;
}

const KILO = 1024;

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

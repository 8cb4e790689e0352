/** The tools by their names: those that every task needs, and all. */

import type { Kind } from "./kind.ts";

/** The others cost words in every request. */
export const usualTools: readonly string[] = ["read", "write", "edit", "bash"];

const allTools: readonly string[] = [...usualTools, "grep", "find", "ls", "fetch"];

const ALL = "all";
const known: readonly unknown[] = [...allTools, ALL];

export const toolNames: Kind = {
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every((name) => known.includes(name)),
  write: `names of tools: ${allTools.join(", ")}, or all`,
  schema: { type: "array", items: { enum: known }, minItems: 1 },
};

/** Whether the first names no tool that the second lacks; `all` stands for all. */
export function isAmong(named: unknown, own: unknown): boolean {
  const owned = spelledOut(own);
  return spelledOut(named).every((name) => owned.includes(name));
}

function spelledOut(names: unknown): readonly unknown[] {
  if (!Array.isArray(names)) return usualTools;
  return names.includes(ALL) ? allTools : names;
}

/** The tools by their names: those that every task needs, and all. */

import { nearest } from "../../../asking/nearest.ts";
import type { Kind } from "./kind.ts";

/** The others cost words in every request. */
export const usualTools: readonly string[] = ["read", "write", "edit", "bash"];

export const allTools: readonly string[] = [...usualTools, "grep", "find", "ls", "fetch"];

const ALL = "all";
const known: readonly string[] = [...allTools, ALL];
const NAME = /^[A-Za-z_][\w-]{0,63}$/;

export const toolNames: Kind = {
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === "string" && (known.includes(name) || isOther(name))),
  write: `names of tools: ${allTools.join(", ")}, or all`,
  schema: { type: "array", items: { type: "string", pattern: NAME.source, examples: known }, minItems: 1 },
};

/** One that an extension may bring, and no slip of the pen for one of ours. */
function isOther(name: string): boolean {
  return NAME.test(name) && nearest(name, known) === null;
}

/** Whether the first names no tool that the second lacks; `all` stands for all. */
export function isAmong(named: unknown, own: unknown): boolean {
  const owned = spelledOut(own);
  return spelledOut(named).every((name) => owned.includes(name));
}

function spelledOut(names: unknown): readonly unknown[] {
  if (!Array.isArray(names)) return usualTools;
  return names.includes(ALL) ? allTools : names;
}

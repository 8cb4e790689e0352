/** Text of a file of learnt windows to data; what is not as it should be is left out, since it can be learnt again. */

import type { Counted, Learnt } from "./learnt.ts";
import type { LearntWindows } from "./memory.ts";

const FIGURES = ["most", "at", "named", "doubted", "cuts", "served"] as const;

/** Null when the text is no such file at all. */
export function readWindows(text: string): LearntWindows | null {
  const value = parsed(text);
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    const learnt = readLearnt(entry);
    return learnt ? [[key, learnt] as const] : [];
  });
  return Object.fromEntries(entries);
}

function readLearnt(value: unknown): Learnt | null {
  if (!isRecord(value) || !isPositive(value.ratio)) return null;
  const { ratio, window, from, cut } = value;
  const source = from === "overflow" || from === "truncation" ? from : null;
  return {
    ratio,
    ...(isPositive(window) && source ? { window, from: source } : {}),
    ...(isCounted(cut) ? { cut: { estimate: cut.estimate, reported: cut.reported } } : {}),
    ...Object.fromEntries(FIGURES.flatMap((name) => (isPositive(value[name]) ? [[name, value[name]]] : []))),
  };
}

function isCounted(value: unknown): value is Counted {
  return isRecord(value) && isPositive(value.estimate) && isPositive(value.reported);
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // The caller says that the file is damaged.
  }
}

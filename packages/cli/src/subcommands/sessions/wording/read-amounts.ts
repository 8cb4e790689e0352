/** Numbers, ages and days as they are written behind a flag. */

import { type Mistake, mistake } from "../../../asking/mistake.ts";
import type { Call } from "../../subcommand.ts";

export type ReadNumber = { readonly type: "read"; readonly value: number } | Mistake;

/** A whole number behind `--name`; `usual` where nothing is said. */
export function numberIn(flags: Call["flags"], name: string, usual: number): ReadNumber {
  const said = flags[name];
  if (said === undefined) return { type: "read", value: usual };
  const value = Number(said);
  if (typeof said === "string" && /^\d+$/.test(said) && Number.isSafeInteger(value)) return { type: "read", value };
  return mistake(`--${name} is "${said}"; write a whole number, such as ${usual}`);
}

/** `12h`, `90d`, `4w`, `1y` in milliseconds. */
export function ageIn(said: string): number | null {
  const [, count = "", unit = ""] = /^(\d{1,6}) ?(h|d|w|m|y)$/.exec(said.trim()) ?? [];
  return count === "" ? null : Number(count) * (HOURS[unit] ?? 0) * 3_600_000;
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24, y: 365 * 24 };

/** An age before now, or a day: milliseconds since 1970. */
export function momentIn(flags: Call["flags"], name: string, now: number): ReadNumber | null {
  const said = flags[name];
  if (typeof said !== "string") return null;
  const age = ageIn(said);
  if (age !== null) return { type: "read", value: now - age };
  const day = /^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(said) ? Date.parse(said) : Number.NaN;
  if (!Number.isNaN(day)) return { type: "read", value: day };
  return mistake(`--${name} is "${said}"; write an age such as 7d, 4w or 1y, or a day such as 2026-01-31`);
}

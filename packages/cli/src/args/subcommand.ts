/** Defines `Subcommand`, shared by the shell, its help and its completions; reads numbers, ages and dates from flags. */

import type { Environment } from "@pith/models";
import { type Mistake, mistake } from "../text/usage-error.ts";

export interface Subcommand {
  /** As it is typed behind `pith`: `sessions list`. */
  readonly name: string;
  /** What stands behind it: `SESSION`, `[WORDS …]`; empty for nothing. */
  readonly takes: string;
  /** How many of those there may be. */
  readonly count: { readonly least: number; readonly most: number };
  /** What it does, in one line. */
  readonly says: string;
  /** What else to know, as a paragraph of its help. */
  readonly more?: string;
  /** The shape of what `--json` prints. */
  readonly json: string;
  /** Besides `--json` and `--help`, which all have. */
  readonly flags: Readonly<Record<string, SubcommandFlag>>;
  /** Whole lines, each of which works. */
  readonly examples: readonly string[];
  /** Whatever is heavy is loaded in here. */
  run(call: Call): Promise<Outcome>;
}

export interface SubcommandFlag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands behind it, such as `FOLDER`; absent where it takes nothing. */
  readonly takes?: string;
  /** What it does, in a few words. */
  readonly says: string;
  /** All that it can be, where that is known. */
  readonly values?: readonly string[];
}

export interface Call {
  readonly arguments: readonly string[];
  /** By their long names; a flag that may come several times is a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  /** For people, while they wait. */
  readonly note: (line: string) => void;
}

export type Outcome =
  /** `data` is what `--json` prints; `code` where it is not 0, e.g. for `doctor` with findings. */
  | { readonly type: "shown"; readonly text: string; readonly data: unknown; readonly code?: number }
  | Mistake
  | { readonly type: "failed"; readonly message: string };

/** At most one line every two seconds, and none for quick work. */
export function progress(note: (line: string) => void, now: () => number = Date.now): (line: string) => void {
  let told = now();
  return (line) => {
    if (now() - told < PATIENCE) return;
    told = now();
    note(`· ${line}`);
  };
}

const PATIENCE = 2_000;

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

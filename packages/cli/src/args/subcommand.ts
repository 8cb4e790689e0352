/** Defines `Subcommand`, shared by the shell, its help and its completions; reads numbers, ages and dates from flags. */

import type { Environment } from "@pith/models";
import { type UsageError, usageError } from "../text/usage-error.ts";

export interface Subcommand {
  /** As it is typed behind `pith`: `sessions list`. */
  readonly name: string;
  /** What stands behind it: `SESSION`, `[WORDS …]`; empty for nothing. */
  readonly argumentHint: string;
  /** How many of those there may be. */
  readonly argumentCount: { readonly least: number; readonly most: number };
  /** What it does, in one line. */
  readonly description: string;
  /** What else to know, as a paragraph of its help. */
  readonly details?: string;
  /** The shape of what `--json` prints. */
  readonly jsonShape: string;
  /** Besides `--json` and `--help`, which all have. */
  readonly flags: Readonly<Record<string, SubcommandFlag>>;
  /** Whole lines, each of which works. */
  readonly examples: readonly string[];
  /** Whatever is heavy is loaded in here. */
  run(call: SubcommandCall): Promise<SubcommandResult>;
}

export interface SubcommandFlag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands behind it, such as `FOLDER`; absent where it takes nothing. */
  readonly valueHint?: string;
  /** What it does, in a few words. */
  readonly description: string;
  /** All that it can be, where that is known. */
  readonly values?: readonly string[];
}

export interface SubcommandCall {
  readonly arguments: readonly string[];
  /** By their long names; a flag that may come several times is a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  /** For people, while they wait. */
  readonly notify: (line: string) => void;
}

export type SubcommandResult =
  /** `data` is what `--json` prints; `code` where it is not 0, e.g. for `doctor` with findings. */
  | { readonly type: "shown"; readonly text: string; readonly data: unknown; readonly code?: number }
  | UsageError
  | { readonly type: "failed"; readonly message: string };

/** At most one line every two seconds, and none for quick work. */
export function createProgressReporter(
  notify: (line: string) => void,
  now: () => number = Date.now,
): (line: string) => void {
  let lastReportTime = now();
  return (line) => {
    if (now() - lastReportTime < PROGRESS_INTERVAL_MS) return;
    lastReportTime = now();
    notify(`· ${line}`);
  };
}

const PROGRESS_INTERVAL_MS = 2_000;

export type ParsedNumber = { readonly type: "read"; readonly value: number } | UsageError;

/** A whole number behind `--name`; `usual` where nothing is said. */
export function parseNumberFlag(flags: SubcommandCall["flags"], name: string, defaultValue: number): ParsedNumber {
  const flagValue = flags[name];
  if (flagValue === undefined) return { type: "read", value: defaultValue };
  const value = Number(flagValue);
  if (typeof flagValue === "string" && /^\d+$/.test(flagValue) && Number.isSafeInteger(value))
    return { type: "read", value };
  return usageError(`--${name} is "${flagValue}"; write a whole number, such as ${defaultValue}`);
}

/** `12h`, `90d`, `4w`, `1y` in milliseconds. */
export function parseAge(text: string): number | null {
  const [, count = "", unit = ""] = /^(\d{1,6}) ?(h|d|w|m|y)$/.exec(text.trim()) ?? [];
  return count === "" ? null : Number(count) * (HOURS_PER_UNIT[unit] ?? 0) * 3_600_000;
}

const HOURS_PER_UNIT: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24, y: 365 * 24 };

/** An age before now, or a day: milliseconds since 1970. */
export function parseTimeFlag(flags: SubcommandCall["flags"], name: string, now: number): ParsedNumber | null {
  const flagValue = flags[name];
  if (typeof flagValue !== "string") return null;
  const ageMs = parseAge(flagValue);
  if (ageMs !== null) return { type: "read", value: now - ageMs };
  const timestamp = /^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(flagValue) ? Date.parse(flagValue) : Number.NaN;
  if (!Number.isNaN(timestamp)) return { type: "read", value: timestamp };
  return usageError(`--${name} is "${flagValue}"; write an age such as 7d, 4w or 1y, or a day such as 2026-01-31`);
}

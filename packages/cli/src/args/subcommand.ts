/** Defines `Subcommand`, from which parsing, help and completions are made; reports progress; parses numbers, ages and dates in flags. */

import type { HostContext } from "@pith/host/host-context";
import { type UsageError, usageError } from "@pith/host/text/usage-error";

export interface Subcommand {
  /** The words after `pith`, such as `sessions list`. */
  readonly name: string;
  /** The arguments, as shown in the help: `SESSION`, `[WORDS …]`. Empty if there are none. */
  readonly argumentHint: string;
  readonly argumentCount: { readonly min: number; readonly max: number };
  /** One line. */
  readonly description: string;
  /** A further paragraph of the help. */
  readonly details?: string;
  /** The shape of the output of `--json`. */
  readonly jsonShape: string;
  /** Without `--json` and `--help`, which every subcommand has. */
  readonly flags: Readonly<Record<string, SubcommandFlag>>;
  /** Complete command lines that work. */
  readonly examples: readonly string[];
  /** Imports its heavy dependencies itself, so that the table of subcommands loads quickly. */
  run(call: SubcommandCall): Promise<SubcommandResult>;
}

export interface SubcommandFlag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
  /** The value, as shown in the help, such as `FOLDER`. Absent if the flag takes no value. */
  readonly valueHint?: string;
  readonly description: string;
  /** All possible values, if they are known. */
  readonly values?: readonly string[];
}

export interface SubcommandCall extends Pick<HostContext, "cwd" | "home" | "environment"> {
  readonly arguments: readonly string[];
  /** By long name. A flag that may be repeated is a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** Shows a line to the user while the subcommand runs. */
  readonly notify: (line: string) => void;
}

export type SubcommandResult =
  /** `data` is the output of `--json`. `code` is the exit code if it is not 0, as for `doctor` with findings. */
  | { readonly type: "success"; readonly text: string; readonly data: unknown; readonly code?: number }
  | UsageError
  | { readonly type: "failed"; readonly message: string };

/** Reports at most one line every two seconds, and none for work that takes less. */
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

/** Parses the value of `--name` as a whole number. */
export function parseNumberFlag(flags: SubcommandCall["flags"], name: string, defaultValue: number): ParsedNumber {
  const flagValue = flags[name];
  if (flagValue === undefined) return { type: "read", value: defaultValue };
  const value = Number(flagValue);
  if (typeof flagValue === "string" && /^\d+$/.test(flagValue) && Number.isSafeInteger(value))
    return { type: "read", value };
  return usageError(`--${name} takes a whole number, such as ${defaultValue}, not "${flagValue}"`);
}

/** Converts `12h`, `90d`, `4w`, `6m` or `1y` to milliseconds. Null if the text is not an age. */
export function parseAge(text: string): number | null {
  const [, count = "", unit = ""] = /^(\d{1,6}) ?(h|d|w|m|y)$/.exec(text.trim()) ?? [];
  return count === "" ? null : Number(count) * (HOURS_PER_UNIT[unit] ?? 0) * 3_600_000;
}

const HOURS_PER_UNIT: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24, y: 365 * 24 };

/** Parses an age before `now`, or a date, to milliseconds since 1970. Null if the flag is absent. */
export function parseTimeFlag(flags: SubcommandCall["flags"], name: string, now: number): ParsedNumber | null {
  const flagValue = flags[name];
  if (typeof flagValue !== "string") return null;
  const ageMs = parseAge(flagValue);
  if (ageMs !== null) return { type: "read", value: now - ageMs };
  const timestamp = /^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(flagValue) ? Date.parse(flagValue) : Number.NaN;
  if (!Number.isNaN(timestamp)) return { type: "read", value: timestamp };
  return usageError(`--${name} takes an age such as 7d, 4w or 1y, or a date such as 2026-01-31, not "${flagValue}"`);
}

/** One setting, wherever it was written: right, or what to write instead. */

import { type Path, settingAt } from "./field.ts";

/** As the end of a sentence that begins with where it stands; null when it is right. */
export function whatIsWrong(path: Path, value: unknown): string | null {
  const setting = settingAt(path);
  if (!setting) return "is no setting";
  const { kind } = setting;
  return kind.fits(value) ? null : `is ${shown(value)}; write ${kind.write}`;
}

/** The beginning of it. */
export function shown(value: unknown): string {
  const whole = JSON.stringify(value) ?? "nothing";
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
}

const LONGEST = 60;

/** One thing that was looked at, and what to do about it. */

export interface Check {
  /** What was looked at, in a word or two. */
  readonly name: string;
  /** A warning is worth a look; with a fault something does not work. */
  readonly state: "ok" | "warning" | "fault";
  /** What was found. */
  readonly says: string;
  /** What to do, where there is something. */
  readonly advice?: string;
}

export function ok(name: string, says: string): Check {
  return { name, state: "ok", says };
}

export function warning(name: string, says: string, advice: string): Check {
  return { name, state: "warning", says, advice };
}

export function fault(name: string, says: string, advice: string): Check {
  return { name, state: "fault", says, advice };
}

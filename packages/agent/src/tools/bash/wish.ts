/** What a call of the tool asks for, read from arguments that may be anything. */

export type Wish =
  | ({ readonly type: "run" | "start" } & Command)
  | { readonly type: "look"; readonly job: string; readonly waitMs: number; readonly isToEnd: boolean }
  | { readonly type: "refused"; readonly message: string };

export interface Command {
  readonly command: string;
  readonly timeoutMs?: number;
  /** Where there is a sandbox: not in it. */
  readonly isOutside: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Longer than any command should take; what is longer still would overflow a timer. */
const LONGEST_SECONDS = 7 * 24 * 3600;

export function wishOf(call: Arguments): Wish {
  if (isGiven(call, "job")) return look(call);
  const { command } = call;
  if (typeof command !== "string" || command.trim() === "") return refused("`command` has to be a command for bash");
  const seconds = secondsOf(call, "timeout");
  if (typeof seconds === "string") return refused(seconds);
  const timeout = seconds === undefined || seconds === 0 ? {} : { timeoutMs: seconds * 1000 };
  const isOutside = call.outside === true;
  return { type: call.background === true ? "start" : "run", command, isOutside, ...timeout };
}

function look(call: Arguments): Wish {
  if (typeof call.job !== "string") return refused('`job` has to be the name of a job, such as "job-1"');
  if (isGiven(call, "command")) return refused("either `command` or `job`, not both");
  const seconds = secondsOf(call, "wait");
  if (typeof seconds === "string") return refused(seconds);
  return { type: "look", job: call.job, waitMs: (seconds ?? 0) * 1000, isToEnd: call.kill === true };
}

/** A number, also one in quotes as some models write it; or what is wrong with it. */
function secondsOf(call: Arguments, name: "timeout" | "wait"): number | string | undefined {
  if (!isGiven(call, name)) return undefined;
  const given = call[name];
  const seconds = typeof given === "string" ? Number(given.trim() || Number.NaN) : given;
  if (typeof seconds !== "number" || !(seconds >= 0)) return `\`${name}\` has to be a number of seconds`;
  return Math.min(seconds, LONGEST_SECONDS);
}

function isGiven(call: Arguments, name: string): boolean {
  return call[name] !== undefined && call[name] !== null && call[name] !== "";
}

function refused(message: string): Wish {
  return { type: "refused", message };
}

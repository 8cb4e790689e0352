/** Describes the `bash` tool to the model and reads its arguments. */

import { type Argument, type Asked, all, flagOf, isGiven, numberIn, right, type Wrong, wrong } from "../arguments.ts";

export type Wish =
  | ({ readonly type: "run" | "start" } & Command)
  | { readonly type: "look"; readonly job: string; readonly waitMs: number; readonly isToEnd: boolean }
  | Wrong;

export interface Command {
  readonly command: string;
  readonly timeoutMs?: number;
  /** Where there is a sandbox: not in it. */
  readonly isOutside: boolean;
}

/** Longer than any command should take; what is longer still would overflow a timer. */
const LONGEST_SECONDS = 7 * 24 * 3600;

export function wishOf(asked: Asked): Wish {
  if (isGiven(asked.job)) return look(asked);
  const { command } = asked;
  if (typeof command !== "string" || command.trim() === "") return wrong("`command` has to be a command for bash");
  const read = all({
    seconds: secondsOf(asked, "timeout"),
    isOutside: flagOf(asked, "outside"),
    isJob: flagOf(asked, "background"),
  });
  if (read.type === "wrong") return read;
  const { seconds, isOutside, isJob } = read.value;
  return { type: isJob ? "start" : "run", command, isOutside, ...(seconds > 0 && { timeoutMs: seconds * 1000 }) };
}

function look(asked: Asked): Wish {
  const { job } = asked;
  if (typeof job !== "string") return wrong('`job` has to be the name of a job, such as "job-1"');
  if (isGiven(asked.command)) return wrong("either `command` or `job`, not both");
  const read = all({ seconds: secondsOf(asked, "wait"), isToEnd: flagOf(asked, "kill") });
  if (read.type === "wrong") return read;
  const { seconds, isToEnd } = read.value;
  return { type: "look", job, waitMs: seconds * 1000, isToEnd };
}

/** None unless said. */
function secondsOf(asked: Asked, name: "timeout" | "wait"): Argument<number> {
  const seconds = numberIn(asked[name]) ?? 0;
  return seconds >= 0 ? right(Math.min(seconds, LONGEST_SECONDS)) : wrong(`\`${name}\` has to be a number of seconds`);
}

const description =
  "Run a bash command in the workspace, without input. Of a long output you see the beginning and the end. " +
  "Start servers, watchers and other long work with `background`; you get the name of a job, " +
  "by which you later see its new output, wait for it or end it.";

const sandboxDescription =
  " Commands run in a sandbox: they write only in the workspace, in temporary folders and package caches.";

const properties = {
  command: { type: "string", description: "What to run" },
  timeout: { type: "number", description: "End it after so many seconds; default: never" },
  background: { type: "boolean", description: "Start it as a job and do not wait" },
  job: { type: "string", description: "Instead of a command: look at this job" },
  wait: { type: "number", description: "Wait up to so many seconds for the job to end" },
  kill: { type: "boolean", description: "End the job" },
};

const outside = { type: "boolean", description: "Run it outside the sandbox; the user is asked" };

export interface Described {
  readonly description: string;
  readonly parameters: unknown;
}

export const plainBash: Described = { description, parameters: { type: "object", properties } };

export const sandboxedBash: Described = {
  description: description + sandboxDescription,
  parameters: { type: "object", properties: { ...properties, outside } },
};

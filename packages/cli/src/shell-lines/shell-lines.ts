/** Shell lines of the user's own, whoever shows them: run one after the other as a shell runs them, and kept in the log with or without the model being told. */

import type { Agent } from "@pith/agent";
import type { Appended, BashExecutionMessage, Session } from "@pith/context";
import { written } from "../commands/answers.ts";
import type { Ready } from "../working/readied.ts";
import { answeredInstead } from "./answered-instead.ts";
import { type ShellRan, shellRun } from "./shell-run.ts";

export interface ShellLines {
  /** Runs it when those before it have ended, and is done when it is in the log. */
  start(command: string, showing: ShellShowing): Promise<ShellOutcome>;
  /** Ends those that run or wait; false where there are none. */
  stopAll(): boolean;
  /** Whether one of them runs, waits, or is not in the log yet. */
  isBusy(): boolean;
  /** When those that are under way are in the log. */
  ended(): Promise<void>;
}

export interface ShellShowing {
  /** The model is not told of it. */
  readonly isPrivate: boolean;
  /** Told the newest of what it says, while it runs. */
  readonly update?: (output: string) => void;
  /** It has run; while the agent is at work, it comes into the log later. */
  readonly ran?: (ran: ShellRan) => void;
  /** The next that happens to it is that it is in the log. */
  readonly keeping?: () => void;
}

export type ShellOutcome =
  | { readonly type: "ran"; readonly ran: ShellRan; readonly isStopped: boolean }
  /** Before its turn came; nothing of it is kept. */
  | { readonly type: "unrun"; readonly isStopped: true }
  /** It ran, and could not be kept. */
  | { readonly type: "failed"; readonly message: string; readonly ran: ShellRan; readonly isStopped: boolean };

/** The same for everybody who asks for those of one session. */
export function shellLinesOf(ready: Pick<Ready, "built" | "place">): ShellLines {
  const { agent } = ready.built;
  const lines = known.get(agent) ?? new Lines(ready);
  known.set(agent, lines);
  return lines;
}

const known = new WeakMap<Agent, ShellLines>();

class Lines implements ShellLines {
  readonly #ready: Pick<Ready, "built" | "place">;
  /** The newest of them has run. */
  #last: Promise<unknown> = Promise.resolve();
  /** Those that are not in the log yet, by what stops each. */
  readonly #open = new Map<AbortController, Promise<ShellOutcome>>();

  constructor(ready: Pick<Ready, "built" | "place">) {
    this.#ready = ready;
  }

  async start(command: string, showing: ShellShowing): Promise<ShellOutcome> {
    const stop = new AbortController();
    const running = this.#last.then(() => this.#run({ command, ...showing, signal: stop.signal }));
    this.#last = running.catch(() => {});
    const outcome = running.then((ran) => this.#kept(ran, { command, ...showing, signal: stop.signal }));
    this.#open.set(stop, outcome);
    return await outcome.finally(() => this.#open.delete(stop));
  }

  stopAll(): boolean {
    for (const stop of this.#open.keys()) stop.abort();
    return this.#open.size > 0;
  }

  isBusy(): boolean {
    return this.#open.size > 0;
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#open.values());
  }

  /** Null where it was stopped before its turn came. */
  async #run({ command, signal, isPrivate, update = () => {}, ran: tell }: Running): Promise<ShellRan | null> {
    const { built, place } = this.#ready;
    if (signal.aborted) return null;
    const { cwd, extensions } = place;
    const instead = extensions ? await answeredInstead({ command, isPrivate, cwd }, { extensions, signal }) : null;
    if (!instead && signal.aborted) return null;
    const act = { ...place, sessionPath: built.sessionPath, signal, update };
    const ran = instead ? built.agent.session.redacted(instead) : await shellRun(command, act);
    tell?.(ran);
    return ran;
  }

  /** While a run is under way, it comes into the log between two requests. */
  async #kept(ran: ShellRan | null, line: Running): Promise<ShellOutcome> {
    if (ran === null) return { type: "unrun", isStopped: true };
    const append = async (session: Session): Promise<Appended> => {
      line.keeping?.();
      return await session.append({ type: "message", message: messageOf(line, ran) });
    };
    const appended = await this.#ready.built.agent.annotate(append, { isSeen: !line.isPrivate });
    const answer = written(appended, () => ({ type: "quit" }));
    const isStopped = line.signal.aborted;
    return answer.type === "failed"
      ? { type: "failed", message: answer.message, ran, isStopped }
      : { type: "ran", ran, isStopped };
  }
}

interface Running extends ShellShowing {
  readonly command: string;
  readonly signal: AbortSignal;
}

function messageOf({ command, isPrivate }: Running, ran: ShellRan): BashExecutionMessage {
  return {
    role: "bashExecution",
    command,
    output: ran.output,
    exitCode: ran.exitCode,
    cancelled: ran.isCancelled,
    truncated: ran.isTruncated,
    ...(isPrivate && { excludeFromContext: true }),
    timestamp: Date.now(),
  };
}

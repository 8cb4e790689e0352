/** Runs the user's own shell commands one after another and records them in the session; an extension may answer instead. */

import { type Agent, CommandOutput, type Extensions, outputLimit, redactShell } from "@pith/agent";
import { nodeShell, sessionBlobs } from "@pith/agent/node";
import type { AppendResult, BashExecutionMessage, Session } from "@pith/context";
import { blobReference } from "@pith/context/host";
import { written } from "../commands/command.ts";
import type { Place } from "./app-options.ts";
import type { Ready } from "./start.ts";

export interface ShellWish {
  readonly command: string;
  readonly isPrivate: boolean;
  readonly cwd: string;
}

export interface Asked {
  readonly extensions: Pick<Extensions, "dispatch">;
  /** Nobody waits for them any longer. */
  readonly signal: AbortSignal;
}

/** Where an extension answers, nothing is run. Of several answers the last; null where none of them has one. */
export async function answeredInstead(
  { command, isPrivate, cwd }: ShellWish,
  { extensions, signal }: Asked,
): Promise<ShellRan | null> {
  const stopped = Promise.withResolvers<readonly []>();
  const stop = (): void => stopped.resolve([]);
  signal.addEventListener("abort", stop, { once: true });
  const asked = extensions.dispatch({ type: "user_bash", command, excludeFromContext: isPrivate, cwd });
  const answers = await Promise.race([asked, stopped.promise]).finally(() => signal.removeEventListener("abort", stop));
  const result = answers.findLast((answer) => answer.result !== undefined)?.result;
  return result ? await bounded(result) : null;
}

/** As what a shell says: no more of it than a model can take, and nothing that steers. */
async function bounded(result: { readonly output: string; readonly exitCode: number | null }): Promise<ShellRan> {
  const said = new CommandOutput({ limit: outputLimit, blobs: undefined });
  said.write(new TextEncoder().encode(result.output));
  const { text, isTruncated } = await said.take();
  return { output: text.trimEnd(), exitCode: result.exitCode, isCancelled: false, isTruncated };
}

export interface ShellAct extends Pick<Place, "cwd" | "environment" | "vault"> {
  /** The session's file, beside which the whole of a long output is kept; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly signal: AbortSignal;
  /** Told the newest of what it says, while it runs. */
  readonly update: (output: string) => void;
}

export interface ShellRan {
  readonly output: string;
  /** Null where it was stopped, or did not start. */
  readonly exitCode: number | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
}

const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4_096;

/** Runs outside of any sandbox, as the user's own shell would; the output is limited like that of the bash tool. */
export async function shellRun(command: string, act: ShellAct): Promise<ShellRan> {
  const { cwd: root, environment, vault, sessionPath, signal, update } = act;
  const own = nodeShell({ root, environment });
  const said = new CommandOutput({
    limit: outputLimit,
    blobs: sessionPath === null ? undefined : sessionBlobs(sessionPath),
  });
  const updates = setInterval(() => update(said.tail(UPDATE_BYTES)), UPDATE_EVERY_MS);
  const output = (chunk: Uint8Array): void => said.write(chunk);
  try {
    const end = await (vault ? redactShell(own, vault) : own).run(command, { signal, onOutput: output });
    const { text, isTruncated, blob } = await said.take();
    const notes = [
      end.type === "ended" ? null : end.message,
      blob?.type === "kept" ? `[all of it: read ${blobReference(blob.hash)}]` : null,
    ];
    return {
      output: [text.trimEnd(), ...notes].filter((each) => each !== null && each !== "").join("\n"),
      exitCode: end.type === "ended" ? end.exitCode : null,
      isCancelled: end.type === "killed" && end.cause === "abort",
      isTruncated,
    };
  } finally {
    clearInterval(updates);
    said.discard();
  }
}

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
    const ran = instead ? built.agent.session.redact(instead) : await shellRun(command, act);
    tell?.(ran);
    return ran;
  }

  /** While a run is under way, it comes into the log between two requests. */
  async #kept(ran: ShellRan | null, line: Running): Promise<ShellOutcome> {
    if (ran === null) return { type: "unrun", isStopped: true };
    const append = async (session: Session): Promise<AppendResult> => {
      line.keeping?.();
      return await session.append({ type: "message", message: messageOf(line, ran) });
    };
    const appended = await this.#ready.built.agent.appendToSession(append, { isVisibleToModel: !line.isPrivate });
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

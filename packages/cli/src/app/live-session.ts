/** Runs the life of a session the same way in every mode: open it, hold its output until it is shown, switch to another, close it. */

import { type AgentEvent, AppendError, type RunEnd } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { CliArgs } from "../args/args.ts";
import type { CommandResult } from "../commands/command.ts";
import type { SessionStart } from "../extensions/session.ts";
import type { SessionShutdownDetails } from "./build.ts";
import { type App, type Frontend, startApp } from "./start.ts";

export type OpenAppResult =
  | { readonly type: "opened"; readonly app: App }
  /** Code 2 is a usage error, 1 any other failure. */
  | { readonly type: "failed"; readonly code: 1 | 2; readonly message: string };

export async function openApp(args: CliArgs, frontend: Frontend): Promise<OpenAppResult> {
  const app = await startApp(args, frontend);
  if (app.type === "app") return { type: "opened", app };
  return { type: "failed", code: app.type === "mistake" ? 2 : 1, message: app.message };
}

export interface CloseAppOptions {
  /** Why the session is left; default: the program quits. */
  readonly shutdown?: SessionShutdownDetails | undefined;
  /** Called when no more work runs, and before extensions are told that the session ends. */
  readonly onStopped?: () => void;
}

/** Stops the run and the user's shell commands, waits for their last events, and then closes the session. */
export async function closeApp(app: App, { shutdown, onStopped }: CloseAppOptions = {}): Promise<void> {
  const { getUserShell } = await import("./user-shell.ts");
  const shell = getUserShell(app);
  shell.stopAll();
  await app.agent.abort();
  await app.agent.waitForIdle();
  await shell.waitUntilIdle();
  onStopped?.();
  await app.close(shutdown);
}

/** A session that can be left for another one. */
export interface ClosableSession {
  readonly sessionPath: string | null;
  close(shutdown: SessionShutdownDetails): Promise<void>;
}

/** Closes the current session, and returns how the next one starts. The next session is open by now: if it cannot be opened, the current one stays. */
export async function closeForNext(
  current: ClosableSession,
  next: Pick<ClosableSession, "sessionPath">,
  reason: SessionStart["reason"] & SessionShutdownDetails["reason"],
): Promise<SessionStart> {
  await current.close({ reason, ...(next.sessionPath !== null && { targetSessionFile: next.sessionPath }) });
  return { reason, ...(current.sessionPath !== null && { previousSessionFile: current.sessionPath }) };
}

/** The `--trust` flag applies to the folder that the program was started in, and to no other. */
export function limitTrust(args: CliArgs, { from, to }: { readonly from: string; readonly to: string }): CliArgs {
  return { ...args, trustsProject: args.trustsProject && from === to };
}

/** Holds output back until its session is shown, and drops it after the session was left. */
export class OutputGate<Item> {
  readonly #deliver: (item: Item) => void;
  #held: Item[] | null = [];
  #isClosed = false;

  constructor(deliver: (item: Item) => void) {
    this.#deliver = deliver;
  }

  get isOpen(): boolean {
    return this.#held === null && !this.#isClosed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(item: Item): void {
    if (this.#isClosed) return;
    if (this.#held) this.#held.push(item);
    else this.#deliver(item);
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const item of held) this.#deliver(item);
  }

  close(): void {
    this.#held = null;
    this.#isClosed = true;
  }
}

/** Redacts an event before it is shown. The agent has redacted the most frequent ones already. */
export function redactEvent(event: AgentEvent, redaction: Redaction): AgentEvent {
  const { type } = event;
  const isRedacted = type === "message_update" || type === "tool_execution_update" || type === "entry_appended";
  return isRedacted ? event : redaction.redact(event);
}

/** Runs the agent to the end of its run. The frontend receives the events. */
export async function drainRun(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

/** The result of a command that could not append to the session, for example because the disk is full. Other errors are thrown on. */
export function toCommandFailure(error: unknown): CommandResult {
  if (error instanceof AppendError) return { type: "failed", message: error.message };
  throw error;
}

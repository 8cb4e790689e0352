/** Opens, switches and closes a session, delays its output until it is shown, and handles its run, events and errors, for every mode. */

import { type AgentEvent, AppendError, type RunEnd } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { SessionShutdown } from "@pith/host/build-agent";
import type { SessionStart } from "@pith/host/extensions/session";
import type { CliArgs } from "../args/args.ts";
import type { CommandResult } from "../commands/command.ts";
import { type App, type Frontend, startApp } from "./start.ts";
import type { UserShellApp } from "./user-shell.ts";

export type OpenAppResult =
  | { readonly type: "opened"; readonly app: App }
  /** Code 2 is a usage error. Code 1 is any other failure. */
  | { readonly type: "failed"; readonly code: 1 | 2; readonly message: string };

export async function openApp(args: CliArgs, frontend: Frontend): Promise<OpenAppResult> {
  const app = await startApp(args, frontend);
  if (app.type === "app") return { type: "opened", app };
  return { type: "failed", code: app.type === "mistake" ? 2 : 1, message: app.message };
}

export interface CloseAppOptions {
  /** Why the session ends. Default: the program quits. */
  readonly shutdown?: SessionShutdown | undefined;
  /** Called after all work has ended, and before extensions receive `session_shutdown`. */
  readonly onStopped?: () => void;
}

/** Stops the run and the user's shell commands, waits for their last events, and then closes the session. */
export async function closeApp(
  app: UserShellApp & Pick<App, "close">,
  { shutdown, onStopped }: CloseAppOptions = {},
): Promise<void> {
  const { getUserShell } = await import("./user-shell.ts");
  const shell = getUserShell(app);
  shell.stopAll();
  await app.agent.close();
  await app.agent.waitForIdle();
  await shell.waitUntilIdle();
  onStopped?.();
  await app.close(shutdown);
}

/** A session that can be closed to switch to another one. */
export interface ClosableSession {
  readonly sessionPath: string | null;
  close(shutdown: SessionShutdown): Promise<void>;
}

/** Closes the current session, and returns the start event of the next one. Open the next session first: if that fails, the current one stays open. */
export async function closeForNext(
  current: ClosableSession,
  next: Pick<ClosableSession, "sessionPath">,
  reason: SessionStart["reason"] & SessionShutdown["reason"],
): Promise<SessionStart> {
  await current.close({ reason, ...(next.sessionPath !== null && { targetSessionFile: next.sessionPath }) });
  return { reason, ...(current.sessionPath !== null && { previousSessionFile: current.sessionPath }) };
}

/** The `--trust` flag applies only to the folder that the program was started in. */
export function limitTrust(args: CliArgs, { from, to }: { readonly from: string; readonly to: string }): CliArgs {
  return { ...args, trustsProject: args.trustsProject && from === to };
}

/** Queues output until its session is shown, and drops it after the session is closed. */
export class OutputGate<Item> {
  readonly #deliver: (item: Item) => void;
  /** Null after the gate was opened or closed. */
  #pendingItems: Item[] | null = [];
  #isClosed = false;

  constructor(deliver: (item: Item) => void) {
    this.#deliver = deliver;
  }

  get isOpen(): boolean {
    return this.#pendingItems === null && !this.#isClosed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(item: Item): void {
    if (this.#isClosed) return;
    if (this.#pendingItems) this.#pendingItems.push(item);
    else this.#deliver(item);
  }

  open(): void {
    const items = this.#pendingItems ?? [];
    this.#pendingItems = null;
    for (const item of items) this.#deliver(item);
  }

  close(): void {
    this.#pendingItems = null;
    this.#isClosed = true;
  }
}

/** Redacts an event before it is shown. The agent has already redacted the most frequent ones. */
export function redactEvent(event: AgentEvent, redaction: Redaction): AgentEvent {
  const { type } = event;
  const isRedacted = type === "message_update" || type === "tool_execution_update" || type === "entry_appended";
  return isRedacted ? event : redaction.redact(event);
}

/** Iterates a run to its end. The frontend receives the events through `onEvent`. */
export async function drainRun(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

/** Converts a failed append, for example on a full disk, into a command result. Rethrows other errors. */
export function toCommandFailure(error: unknown): CommandResult {
  if (error instanceof AppendError) return { type: "failed", message: error.message };
  throw error;
}

/** Defines the context and the definition of an RPC command, and the options that a client sets. */

import type { PermissionMode, SessionReason } from "@pith/agent";
import type { DeliveryMode, RpcCommand, RpcCommandName, RpcEvent, RpcParams, RpcResult } from "@pith/client";
import type { App } from "../../app/start.ts";
import type { SessionTarget } from "../../args/args.ts";
import type { Fields } from "./parse-command.ts";

export interface RpcContext {
  readonly app: App;
  readonly sendEvent: (event: RpcEvent) => void;
  /** Whether failed requests are retried, and whether a run waits for a retry now. */
  readonly retry: { isEnabled: boolean; isWaiting: boolean };
  /** Sets options of this and every later session. */
  readonly setOptions: (options: ClientOptions) => void;
  /** Opens another session. If that fails, the current session stays open. */
  readonly switchSession: (session: SessionTarget, reason: SwitchReason) => Promise<SwitchResult>;
  /** Closes all open questions without an answer. */
  readonly dismissQuestions: () => void;
  /** A promise while the client has too much unread output. */
  readonly getBackpressure: () => Promise<void> | undefined;
  /** Ends the program after all output is written. */
  readonly quit: () => void;
  /** Reports a bug; the program continues. */
  readonly reportError: (error: unknown) => void;
}

export type SwitchReason = Extract<SessionReason, "new" | "resume" | "fork">;

export type SwitchResult = { readonly type: "switched" } | { readonly type: "failed"; readonly message: string };

/** Options that a client sets. They apply to every session until the program ends. */
export interface ClientOptions {
  readonly steeringMode?: DeliveryMode;
  readonly followUpMode?: DeliveryMode;
  readonly isAutoCompacting?: boolean;
  readonly permissionMode?: PermissionMode;
}

export function applyClientOptions(
  { steeringMode, followUpMode, isAutoCompacting, permissionMode }: ClientOptions,
  { agent, permissionMode: modeControl }: Pick<App, "agent" | "permissionMode">,
): void {
  if (steeringMode !== undefined) agent.setQueueMode("steer", steeringMode);
  if (followUpMode !== undefined) agent.setQueueMode("followUp", followUpMode);
  if (isAutoCompacting !== undefined) agent.setAutoCompactionEnabled(isAutoCompacting);
  if (permissionMode !== undefined) modeControl.set(permissionMode);
}

export interface RpcCommandDefinition<Name extends RpcCommandName> {
  /** What it does, in one line. */
  readonly description: string;
  /** A complete command line. */
  readonly example: RpcCommand<Name>;
  readonly fields: Fields<RpcParams<Name>>;
  /** Absent if the command waits only for session switches. */
  readonly lane?: Lane;
  readonly run: (params: RpcParams<Name>, context: RpcContext) => Promise<Outcome<RpcResult<Name>>>;
}

/**
 * `prompt`: prompts start one after another. `switch`: all later commands wait until the session is switched.
 * `urgent`: the command waits for nothing.
 */
export type Lane = "prompt" | "switch" | "urgent";

/** The compiler checks that no command is missing. */
export type RpcCommandDefinitions<Name extends RpcCommandName = RpcCommandName> = {
  readonly [Each in Name]: RpcCommandDefinition<Each>;
};

export type Outcome<Data> =
  | { readonly type: "done"; readonly data: Data }
  | { readonly type: "failed"; readonly message: string };

export function success<Data>(data: Data): Outcome<Data> {
  return { type: "done", data };
}

export function failure(message: string): Outcome<never> {
  return { type: "failed", message };
}

export function unknownEntry(entryId: string): Outcome<never> {
  return failure(`no entry has the id ${entryId.slice(0, 60)}; get_entries lists all entries`);
}

/** Defines what an RPC command runs on (`RpcContext`), how a command is described (`RpcCommandDefinition`), and the options that a client sets. */

import type { PermissionMode, SessionReason } from "@pith/agent";
import type { DeliveryMode, RpcCommand, RpcCommandName, RpcEvent, RpcParams, RpcResult } from "@pith/client";
import type { App } from "../../app/start.ts";
import type { SessionTarget } from "../../args/args.ts";
import type { Fields } from "./parse-command.ts";

export interface RpcContext {
  readonly app: App;
  readonly sendEvent: (event: RpcEvent) => void;
  /** Whether a provider that is busy is asked again, and whether that is waited for now. */
  readonly retry: { isEnabled: boolean; isWaiting: boolean };
  /** Sets something until the program ends, in whichever session. */
  readonly setOptions: (chosen: ClientOptions) => void;
  /** Goes on with another session; where it cannot be opened, one stays. */
  readonly switchSession: (session: SessionTarget, reason: SwitchReason) => Promise<SwitchResult>;
  /** Leaves all that was asked without an answer. */
  readonly dismissQuestions: () => void;
  /** A promise while whoever reads is slow. */
  readonly getBackpressure: () => Promise<void> | undefined;
  /** Ends the program, once everything is written. */
  readonly quit: () => void;
  /** A fault of the program: told, and not the end of it. */
  readonly reportError: (error: unknown) => void;
}

/** Why one leaves. */
export type SwitchReason = Extract<SessionReason, "new" | "resume" | "fork">;

export type SwitchResult = { readonly type: "gone" } | { readonly type: "failed"; readonly message: string };

/** Options set by the client: they apply to every later session until the program ends. */
export interface ClientOptions {
  readonly steeringMode?: DeliveryMode;
  readonly followUpMode?: DeliveryMode;
  readonly isAutoCompacting?: boolean;
  readonly permissionMode?: PermissionMode;
}

export function applyClientOptions(
  { steeringMode, followUpMode, isAutoCompacting, permissionMode }: ClientOptions,
  app: App,
): void {
  const { agent } = app;
  if (steeringMode !== undefined) agent.setQueueMode("steer", steeringMode);
  if (followUpMode !== undefined) agent.setQueueMode("followUp", followUpMode);
  if (isAutoCompacting !== undefined) agent.setAutoCompactionEnabled(isAutoCompacting);
  if (permissionMode !== undefined) app.permissionMode.set(permissionMode);
}

export interface RpcCommandDefinition<Name extends RpcCommandName> {
  /** What it does, in one line. */
  readonly description: string;
  /** A whole line. */
  readonly example: RpcCommand<Name>;
  readonly fields: Fields<RpcParams<Name>>;
  /** Those that speak begin one after the other; behind those that leave a session everything waits; `urgent` waits for nothing. */
  readonly lane?: "speaking" | "leaving" | "urgent";
  readonly run: (takes: RpcParams<Name>, seat: RpcContext) => Promise<Outcome<RpcResult<Name>>>;
}

/** One for every command: the compiler sees that none is missing. */
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

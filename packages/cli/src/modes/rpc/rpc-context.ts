/** Defines what an RPC command runs on (`Seat`), how a command is described (`Row`), and the options that a client sets. */

import type { PermissionMode, SessionReason } from "@pith/agent";
import type { DeliveryMode, RpcCommand, RpcCommandName, RpcEvent, RpcParams, RpcResult } from "@pith/client";
import type { Ready } from "../../app/start.ts";
import type { SessionWish } from "../../args/args.ts";
import type { Desk } from "../../commands/command.ts";
import type { Fields } from "./parse-command.ts";

export interface Seat {
  readonly ready: Ready;
  readonly desk: Desk;
  readonly tell: (event: RpcEvent) => void;
  /** Whether a provider that is busy is asked again, and whether that is waited for now. */
  readonly retry: { isEnabled: boolean; isWaiting: boolean };
  /** Sets something until the program ends, in whichever session. */
  readonly choose: (chosen: Chosen) => void;
  /** Goes on with another session; where it cannot be opened, one stays. */
  readonly go: (session: SessionWish, reason: Going) => Promise<Gone>;
  /** Leaves all that was asked without an answer. */
  readonly unask: () => void;
  /** A promise while whoever reads is slow. */
  readonly room: () => Promise<void> | undefined;
  /** Ends the program, once everything is written. */
  readonly quit: () => void;
  /** A fault of the program: told, and not the end of it. */
  readonly fault: (error: unknown) => void;
}

/** Why one leaves. */
export type Going = Extract<SessionReason, "new" | "resume" | "fork">;

export type Gone = { readonly type: "gone" } | { readonly type: "failed"; readonly message: string };

/** Options set by the client: they apply to every later session until the program ends. */
export interface Chosen {
  readonly steering?: DeliveryMode;
  readonly followUp?: DeliveryMode;
  readonly isCompacting?: boolean;
  readonly mode?: PermissionMode;
}

export function hold({ steering, followUp, isCompacting, mode }: Chosen, { built }: Pick<Ready, "built">): void {
  const { agent, setMode } = built;
  if (steering !== undefined) agent.setQueueMode("steer", steering);
  if (followUp !== undefined) agent.setQueueMode("followUp", followUp);
  if (isCompacting !== undefined) agent.setAutoCompactionEnabled(isCompacting);
  if (mode !== undefined) setMode(mode);
}

export interface Row<Name extends RpcCommandName> {
  /** What it does, in one line. */
  readonly says: string;
  /** A whole line. */
  readonly example: RpcCommand<Name>;
  readonly fields: Fields<RpcParams<Name>>;
  /** Those that speak begin one after the other; behind those that leave a session everything waits; `urgent` waits for nothing. */
  readonly lane?: "speaking" | "leaving" | "urgent";
  readonly run: (takes: RpcParams<Name>, seat: Seat) => Promise<Outcome<RpcResult<Name>>>;
}

/** One for every command: the compiler sees that none is missing. */
export type Rows<Name extends RpcCommandName = RpcCommandName> = { readonly [Each in Name]: Row<Each> };

export type Outcome<Data> =
  | { readonly type: "done"; readonly data: Data }
  | { readonly type: "failed"; readonly message: string };

export function done<Data>(data: Data): Outcome<Data> {
  return { type: "done", data };
}

export function failed(message: string): Outcome<never> {
  return { type: "failed", message };
}

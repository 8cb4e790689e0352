/** What commands work on: the session that is open now, and the ways to another. */

import type { SessionReason } from "@pith/agent";
import type { SessionWish } from "../../asking/wish.ts";
import type { Desk } from "../../commands/command.ts";
import type { Ready } from "../../working/readied.ts";
import type { RpcEvent } from "../line/rpc-lines.ts";
import type { Chosen } from "./chosen.ts";

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

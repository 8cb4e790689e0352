/** Defines the session type of ACP mode, the editor's capabilities, and the protocol errors. */

import { type ClientCapabilities, RequestError, type SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Ready } from "../../app/start.ts";
import type { Desk } from "../../commands/command.ts";

export interface EditorSession {
  readonly id: string;
  readonly ready: Ready;
  readonly desk: Desk;
  readonly sight: Sight;
  readonly tell: TellEditor;
  /** How often the editor has stopped what was under way. */
  stops(): number;
  /** Comes back when it has ended. */
  stop(): Promise<void>;
  /** Comes back when the last stop has. */
  stopped(): Promise<void>;
  /** A run of the agent, which a stop waits for. */
  during<Outcome>(run: Promise<Outcome>): Promise<Outcome>;
  /** Tells what has changed of mode, model and thinking since it was last told. */
  tellChoices(): Promise<void>;
  close(): Promise<void>;
}

export interface Abilities {
  /** Compactions as things of their own. */
  readonly compactions: boolean;
  /** Words beside the conversation. */
  readonly notices: boolean;
  /** Questions with a form. */
  readonly forms: boolean;
}

export function abilitiesOf(capabilities: ClientCapabilities | undefined): Abilities {
  const { session, elicitation } = capabilities ?? {};
  return { compactions: !!session?.compaction, notices: !!session?.notices, forms: !!elicitation?.form };
}

export interface Sight {
  readonly cwd: string;
  readonly can: Abilities;
}

/** Takes what the editor is told of a session; resolves when it is written, or nobody reads any more. */
export type TellEditor = (update: SessionUpdate) => Promise<void>;

/** A mistake of whoever asked. */
export function wrongly(message: string): RequestError {
  return new RequestError(-32602, message);
}

/** Nobody's mistake, and still it could not be done. */
export function failing(message: string): RequestError {
  return new RequestError(-32603, message);
}

/** Nobody can speak, for want of a key. */
export function keyless(message: string): RequestError {
  return new RequestError(-32000, `${message}. Then begin a new session in the editor`);
}

/** In the code by which libraries know that it is gone already. */
export function unknownSession(sessionId: string): RequestError {
  return new RequestError(-32002, `there is no session "${sessionId}"; session/list names those there are`);
}

export function notOpen(sessionId: string): RequestError {
  return new RequestError(-32002, `session "${sessionId}" is not open; open it with session/load or session/resume`);
}

/** Defines the session type of ACP mode, the editor's capabilities, and the protocol errors. */

import { type ClientCapabilities, RequestError, type SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { App } from "../../app/start.ts";

export interface AcpSession {
  readonly id: string;
  readonly app: App;
  readonly view: ClientView;
  readonly sendUpdate: SendUpdate;
  /** How often the editor has stopped what was under way. */
  stopCount(): number;
  /** Comes back when it has ended. */
  stop(): Promise<void>;
  /** Comes back when the last stop has. */
  waitForStop(): Promise<void>;
  /** A run of the agent, which a stop waits for. */
  trackRun<Outcome>(run: Promise<Outcome>): Promise<Outcome>;
  /** Tells what has changed of mode, model and thinking since it was last told. */
  sendChangedOptions(): Promise<void>;
  close(): Promise<void>;
}

export interface ClientFeatures {
  /** Compactions as things of their own. */
  readonly supportsCompactions: boolean;
  /** Words beside the conversation. */
  readonly supportsNotices: boolean;
  /** Questions with a form. */
  readonly supportsForms: boolean;
}

export function readClientFeatures(capabilities: ClientCapabilities | undefined): ClientFeatures {
  const { session, elicitation } = capabilities ?? {};
  return {
    supportsCompactions: !!session?.compaction,
    supportsNotices: !!session?.notices,
    supportsForms: !!elicitation?.form,
  };
}

export interface ClientView {
  readonly cwd: string;
  readonly features: ClientFeatures;
}

/** Takes what the editor is told of a session; resolves when it is written, or nobody reads any more. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

/** A mistake of whoever asked. */
export function invalidParams(message: string): RequestError {
  return new RequestError(-32602, message);
}

/** Nobody's mistake, and still it could not be done. */
export function internalError(message: string): RequestError {
  return new RequestError(-32603, message);
}

/** Nobody can speak, for want of a key. */
export function authRequired(message: string): RequestError {
  return new RequestError(-32000, `${message}. Then begin a new session in the editor`);
}

/** In the code by which libraries know that it is gone already. */
export function sessionNotFound(sessionId: string): RequestError {
  return new RequestError(-32002, `there is no session "${sessionId}"; session/list names those there are`);
}

export function sessionNotOpen(sessionId: string): RequestError {
  return new RequestError(-32002, `session "${sessionId}" is not open; open it with session/load or session/resume`);
}

/** Defines the sessions of ACP mode, the features of an editor, and the protocol errors. */

import { type ClientCapabilities, RequestError, type SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { App } from "../../app/start.ts";

export interface AcpSession {
  readonly id: string;
  readonly app: App;
  readonly view: ClientView;
  readonly sendUpdate: SendUpdate;
  /** How often `stop` was called. */
  stopCount(): number;
  /** Aborts the running work. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Resolves when the last `stop` is done. */
  waitForStop(): Promise<void>;
  /** Registers a run of the agent, so that `stop` waits for it. */
  trackRun<Outcome>(run: Promise<Outcome>): Promise<Outcome>;
  /** Sends the mode, model and thinking level if they have changed since the last call. */
  sendChangedOptions(): Promise<void>;
  close(): Promise<void>;
}

export interface ClientFeatures {
  /** Whether compactions have their own updates. */
  readonly supportsCompactions: boolean;
  /** Whether notices can be shown outside the conversation. */
  readonly supportsNotices: boolean;
  /** Whether questions can be asked with a form. */
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

/** Sends an update of a session to the editor. Resolves when it is written or the editor has disconnected. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

/** For a request that is invalid. */
export function invalidParams(message: string): RequestError {
  return new RequestError(-32602, message);
}

/** For a valid request that failed. */
export function internalError(message: string): RequestError {
  return new RequestError(-32603, message);
}

/** For a request that needs an API key. */
export function authRequired(message: string): RequestError {
  return new RequestError(-32000, endSentence(message));
}

/** Adds a full stop if the text does not end with one. */
export function endSentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

/** Uses the error code that client libraries recognise as a missing session. */
export function sessionNotFound(sessionId: string): RequestError {
  return new RequestError(-32002, `no session has the id "${sessionId}"; session/list lists all sessions`);
}

export function sessionNotOpen(sessionId: string): RequestError {
  return new RequestError(-32002, `session "${sessionId}" is not open; open it with session/load or session/resume`);
}

/** What is answered where something cannot be done: an error of the protocol, with a sentence that says what to do. */

import { RequestError } from "@agentclientprotocol/sdk/unstable";

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

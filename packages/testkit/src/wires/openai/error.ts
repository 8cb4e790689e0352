/** An error in OpenAI's spelling: as the body of an answer, or inside the stream of a reply. */

import type { ProviderError } from "../../script.ts";
import type { ServerEvent } from "../wire.ts";

/** The same for both protocols. */
export function errorBody({ type, code, message }: ProviderError, status: number): unknown {
  return { error: { message, type: type ?? typeOf(status), param: null, code: code ?? null } };
}

function typeOf(status: number): string {
  if (status >= 500) return "server_error";
  return status === 429 ? "rate_limit_exceeded" : "invalid_request_error";
}

/** With a code the response has failed; without one the stream itself is in trouble. Both have been seen. */
export function errorEvent({ type = "server_error", code, message }: ProviderError): ServerEvent {
  if (code === undefined)
    return {
      event: "error",
      data: { type: "error", sequence_number: 1, error: { type, code: null, message, param: null } },
    };
  const response = { id: "resp_failed", object: "response", status: "failed", output: [], error: { code, message } };
  return { event: "response.failed", data: { type: "response.failed", sequence_number: 1, response } };
}

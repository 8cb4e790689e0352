/** Why Anthropic would refuse a request: the first of its checks that finds fault, in the API's own words where they are known. */

import { hasLoneSurrogate } from "../shape.ts";
import type { Refusal, WireRequest } from "../wire.ts";
import { blockFaults } from "./checks/blocks.ts";
import { conversationFaults } from "./checks/conversation.ts";
import { fieldFaults } from "./checks/fields.ts";
import { settingFaults } from "./checks/settings.ts";

export function refusal(request: WireRequest): Refusal | null {
  const { headers, body, bytes } = request;
  if (!headers["x-api-key"] && !headers.authorization)
    return refused(401, "authentication_error", "x-api-key header is required");
  if (bytes > MOST_BYTES) return refused(413, "request_too_large", "Request exceeds the maximum size");
  if (!headers["anthropic-version"])
    return refused(400, "invalid_request_error", "anthropic-version: header is required");
  if (hasLoneSurrogate(body))
    return refused(400, "invalid_request_error", "The request body is not valid JSON: no low surrogate in string");
  for (const message of faults(body)) return refused(400, "invalid_request_error", message);
  return null;
}

const MOST_BYTES = 32 * 1024 * 1024;

function* faults(body: WireRequest["body"]): Generator<string> {
  yield* settingFaults(body);
  yield* fieldFaults(body);
  yield* blockFaults(body);
  yield* conversationFaults(body);
}

function refused(status: number, type: string, message: string): Refusal {
  return { status, type, message };
}

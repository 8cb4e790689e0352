/** Why Google would refuse a request: the first of its checks that finds fault, in the API's own words where they are known. */

import { hasLoneSurrogate } from "../shape.ts";
import type { Refusal, WireRequest } from "../wire.ts";
import { conversationFaults } from "./checks/conversation.ts";
import { fieldFaults } from "./checks/fields.ts";
import { partFaults } from "./checks/parts.ts";
import { searchFaults } from "./checks/searches.ts";
import { settingFaults } from "./checks/settings.ts";
import { signatureFaults } from "./checks/signatures.ts";
import { toolFaults } from "./checks/tools.ts";
import { addressed } from "./path.ts";

export function refusal(request: WireRequest): Refusal | null {
  const { headers, query, path, body, bytes } = request;
  if (!headers["x-goog-api-key"] && !headers.authorization && !query.get("key")) return nobody;
  if (bytes > MOST_BYTES) return invalid(`Request payload size exceeds the limit: ${MOST_BYTES} bytes.`);
  if (hasLoneSurrogate(body)) return invalid("Invalid JSON payload received. Missing low surrogate.");
  for (const message of faults(body, addressed(path)?.model ?? "")) return invalid(message);
  return null;
}

const MOST_BYTES = 20 * 1024 * 1024;

const nobody: Refusal = {
  status: 403,
  type: "PERMISSION_DENIED",
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

function* faults(body: WireRequest["body"], model: string): Generator<string> {
  yield* fieldFaults(body);
  yield* settingFaults(body);
  yield* toolFaults(body);
  yield* partFaults(body);
  yield* conversationFaults(body, model);
  yield* searchFaults(body, model);
  yield* signatureFaults(body, model);
}

function invalid(message: string): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message };
}

/** Lists the protocols of the server and finds the protocol of a path. */

import { anthropic } from "./anthropic/anthropic.ts";
import { google } from "./google/google.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";
import type { Protocol } from "./protocol.ts";

const protocols: readonly Protocol[] = [anthropic, openaiResponses, openaiChat, google];

export function findProtocol(path: string): Protocol | undefined {
  return protocols.find(({ matchesPath }) => matchesPath(path));
}

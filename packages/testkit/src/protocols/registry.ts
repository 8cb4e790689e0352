/** Lists the protocols that the server speaks and finds the one of a path. */

import { anthropic } from "./anthropic/anthropic.ts";
import { google } from "./google/google.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";
import type { Wire } from "./protocol.ts";

export const wires: readonly Wire[] = [anthropic, openaiResponses, openaiChat, google];

export function wireFor(path: string): Wire | undefined {
  return wires.find(({ owns }) => owns(path));
}

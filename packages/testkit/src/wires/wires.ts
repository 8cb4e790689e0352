/** The protocols the server speaks. */

import { anthropic } from "./anthropic/anthropic.ts";
import { google } from "./google/google.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";
import type { Wire } from "./wire.ts";

export const wires: readonly Wire[] = [anthropic, openaiResponses, openaiChat, google];

export function wireFor(path: string): Wire | undefined {
  return wires.find(({ owns }) => owns(path));
}

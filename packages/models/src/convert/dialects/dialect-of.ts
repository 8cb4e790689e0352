/** The dialect of a wire protocol, by pi's name for it. */

import type { ModelName } from "@pith/context";
import { anthropic } from "./anthropic.ts";
import { anyOther } from "./any-other.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";

export function dialectOf({ api, provider }: ModelName): Dialect {
  switch (api) {
    case "anthropic-messages":
      return anthropic;
    case "openai-responses":
      return openaiResponses;
    case "openai-completions":
      return openaiCompletions(provider);
    case "google-generative-ai":
      return gemini;
    default:
      return anyOther;
  }
}

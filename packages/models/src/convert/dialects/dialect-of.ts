/** The dialect of a wire protocol, by pi's name for it. */

import { anthropic } from "./anthropic.ts";
import { anyOther } from "./any-other.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";

export function dialectOf({ api }: { readonly api: string }): Dialect {
  return dialects.get(api) ?? anyOther;
}

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ["anthropic-messages", anthropic],
  ["openai-responses", openaiResponses],
  ["openai-completions", openaiCompletions],
  ["google-generative-ai", gemini],
]);

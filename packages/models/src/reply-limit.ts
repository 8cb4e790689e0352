/** Bounds the size of one reply: its text, thinking, tool arguments and what else is kept of it. */

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Delta } from "./convert/index.ts";
import { megabytes, TooLarge } from "./network/response-limits.ts";

/** Bytes of one reply of a model that may write so many tokens: 16 for each, at least 1 MB and at most 4 MB. */
export function replyLimit(maxTokens: number): number {
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, maxTokens * BYTES_PER_TOKEN));
}

// A token has three to four bytes in a long text, and more only in runs of spaces and the like.
const BYTES_PER_TOKEN = 16;
const LEAST_BYTES = 1024 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

/** Blocks of one reply: text, thoughts and calls in turn. */
const MOST_BLOCKS = 1024;

/** Counts what is kept of a reply. */
export class ReplyMeter {
  readonly #most: number;
  #left: number;
  #blocks = 0;

  constructor(maxTokens: number) {
    this.#most = replyLimit(maxTokens);
    this.#left = this.#most;
  }

  /** The part with as much of its text as there is room for, and the error where that is not all of it. */
  take(
    part: LanguageModelV4StreamPart,
    delta: Delta | null,
  ): { readonly part: LanguageModelV4StreamPart; readonly error: TooLarge | null } {
    if (BEGINNINGS.has(part.type)) this.#blocks += 1;
    const text = delta === null ? "" : delta.type === "tool-call-delta" ? delta.json : delta.text;
    const room = this.#left;
    this.#left -= Buffer.byteLength(text) + sizeBeside(part);
    if (this.#left >= 0 && this.#blocks <= MOST_BLOCKS) return { part, error: null };
    return { part: shorten(part, room), error: this.#tooLarge() };
  }

  #tooLarge(): TooLarge {
    const what = this.#left < 0 ? `more than ${megabytes(this.#most)}` : `more than ${MOST_BLOCKS} blocks`;
    return new TooLarge(
      `sent ${what} in one reply, so it was stopped and none of its tool calls were run; ask for a shorter answer, or for one part at a time`,
    );
  }
}

const BEGINNINGS: ReadonlySet<string> = new Set(["text-start", "reasoning-start", "tool-input-start", "tool-call"]);

/** What is kept beside the text: signatures, and results of tools that run at the provider. */
function sizeBeside(part: LanguageModelV4StreamPart): number {
  const metadata =
    "providerMetadata" in part && part.providerMetadata ? JSON.stringify(part.providerMetadata).length : 0;
  return metadata + (part.type === "tool-result" ? JSON.stringify(part.result).length : 0);
}

/** A call that came whole does not count as whole once it is cut: it becomes an unfinished one. */
function shorten(part: LanguageModelV4StreamPart, bytes: number): LanguageModelV4StreamPart {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return { ...part, delta: firstBytes(part.delta, bytes) };
    default:
      // Nothing of it is kept.
      return { type: "raw", rawValue: null };
  }
}

function firstBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, bytes)), { stream: true });
}

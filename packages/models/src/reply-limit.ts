/** Bounds the size of one reply: its text, thinking, tool arguments and what else is kept of it. */

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Delta } from "./convert/index.ts";
import { formatMegabytes, SizeLimitError } from "./network/response-limits.ts";

/** Bytes of one reply of a model that may write so many tokens: 16 for each, at least 1 MB and at most 4 MB. */
export function maxReplyBytes(maxTokens: number): number {
  return Math.min(MAX_BYTES, Math.max(MIN_BYTES, maxTokens * BYTES_PER_TOKEN));
}

// A token has three to four bytes in a long text, and more only in runs of spaces and the like.
const BYTES_PER_TOKEN = 16;
const MIN_BYTES = 1024 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;

/** Blocks of one reply: text, thoughts and calls in turn. */
const MAX_BLOCKS = 1024;

/** Counts what is kept of a reply. */
export class ReplyMeter {
  readonly #maxBytes: number;
  #remainingBytes: number;
  #blockCount = 0;

  constructor(maxTokens: number) {
    this.#maxBytes = maxReplyBytes(maxTokens);
    this.#remainingBytes = this.#maxBytes;
  }

  /** The part with as much of its text as there is room for, and the error where that is not all of it. */
  addPart(
    part: LanguageModelV4StreamPart,
    delta: Delta | null,
  ): { readonly part: LanguageModelV4StreamPart; readonly error: SizeLimitError | null } {
    if (BLOCK_START_TYPES.has(part.type)) this.#blockCount += 1;
    const text = delta === null ? "" : delta.type === "tool-call-delta" ? delta.json : delta.text;
    const remainingBytes = this.#remainingBytes;
    this.#remainingBytes -= Buffer.byteLength(text) + metadataSize(part);
    if (this.#remainingBytes >= 0 && this.#blockCount <= MAX_BLOCKS) return { part, error: null };
    return { part: truncatePart(part, remainingBytes), error: this.#sizeLimitError() };
  }

  #sizeLimitError(): SizeLimitError {
    const excess =
      this.#remainingBytes < 0 ? `more than ${formatMegabytes(this.#maxBytes)}` : `more than ${MAX_BLOCKS} blocks`;
    return new SizeLimitError(
      `sent ${excess} in one reply, so it was stopped and none of its tool calls were run; ask for a shorter answer, or for one part at a time`,
    );
  }
}

const BLOCK_START_TYPES: ReadonlySet<string> = new Set([
  "text-start",
  "reasoning-start",
  "tool-input-start",
  "tool-call",
]);

/** What is kept beside the text: signatures, and results of tools that run at the provider. */
function metadataSize(part: LanguageModelV4StreamPart): number {
  const metadata =
    "providerMetadata" in part && part.providerMetadata ? JSON.stringify(part.providerMetadata).length : 0;
  return metadata + (part.type === "tool-result" ? JSON.stringify(part.result).length : 0);
}

/** A call that came whole does not count as whole once it is cut: it becomes an unfinished one. */
function truncatePart(part: LanguageModelV4StreamPart, maxBytes: number): LanguageModelV4StreamPart {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return { ...part, delta: truncateToBytes(part.delta, maxBytes) };
    default:
      // Nothing of it is kept.
      return { type: "raw", rawValue: null };
  }
}

function truncateToBytes(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, maxBytes)), { stream: true });
}

/** Bounds the size of one reply: its text, thinking, tool arguments and metadata. */

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Delta } from "./convert/index.ts";
import { formatMegabytes, SizeLimitError } from "./network/response-limits.ts";

/** The most bytes of one reply: 16 for each token, at least 1 MB and at most 4 MB. */
export function maxReplyBytes(maxTokens: number): number {
  return Math.min(MAX_BYTES, Math.max(MIN_BYTES, maxTokens * BYTES_PER_TOKEN));
}

// A token of text has three to four bytes; only runs of spaces and the like have more.
const BYTES_PER_TOKEN = 16;
const MIN_BYTES = 1024 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;

/** The most blocks of one reply. */
const MAX_BLOCKS = 1024;

/** Counts the stored bytes and blocks of a reply. */
export class ReplyMeter {
  readonly #maxBytes: number;
  #remainingBytes: number;
  #blockCount = 0;

  constructor(maxTokens: number) {
    this.#maxBytes = maxReplyBytes(maxTokens);
    this.#remainingBytes = this.#maxBytes;
  }

  /** Returns the part, cut to the remaining bytes, and an error if it exceeds a limit. */
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

/** The size of what is stored beside the text: signatures and results of provider tools. */
function metadataSize(part: LanguageModelV4StreamPart): number {
  const metadata =
    "providerMetadata" in part && part.providerMetadata ? JSON.stringify(part.providerMetadata).length : 0;
  return metadata + (part.type === "tool-result" ? JSON.stringify(part.result).length : 0);
}

/** A complete call is dropped, since cut it would be incomplete. */
function truncatePart(part: LanguageModelV4StreamPart, maxBytes: number): LanguageModelV4StreamPart {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return { ...part, delta: truncateToBytes(part.delta, maxBytes) };
    default:
      // Nothing of the part is stored.
      return { type: "raw", rawValue: null };
  }
}

function truncateToBytes(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, maxBytes)), { stream: true });
}

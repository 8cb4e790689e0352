/** What a tool of the provider's own was asked and has found, kept beside a text that everyone else reads, pi too. */

import type { JSONValue, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { TextBlock } from "@pith/context";

/** As the provider's package gave it, to be handed back as it came. */
export interface Served {
  readonly id: string;
  readonly name: string;
  readonly input: JSONValue;
  readonly output: JSONValue;
  readonly failed?: true;
  /** It came after a thought, without which OpenAI refuses it. */
  readonly thought?: true;
  readonly beside?: { readonly call?: SharedV4ProviderMetadata; readonly result?: SharedV4ProviderMetadata };
}

/** A text block with a field that pi passes over. */
export interface ServedBlock extends TextBlock {
  readonly pith: { readonly served: Served };
}

export function servedBlock(text: string, served: Served): ServedBlock {
  return { type: "text", text, pith: { served } };
}

/** What a block keeps; null for any other block. It comes from a file, so nothing in it is taken on trust. */
export function servedIn(block: unknown): Served | null {
  if (!isRecord(block) || block.type !== "text" || !isRecord(block.pith) || !isRecord(block.pith.served)) return null;
  const { id, name, input, output, beside } = block.pith.served;
  if (typeof id !== "string" || typeof name !== "string" || input === undefined || output === undefined) return null;
  if (beside !== undefined && !(isRecord(beside) && Object.values(beside).every(isMetadata))) return null;
  return block.pith.served as unknown as Served;
}

function isMetadata(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

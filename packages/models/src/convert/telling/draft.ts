/** A reply while it comes in: its blocks in the order of their start, and how it ended, if it has. */

import type {
  JSONValue,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";

export interface Draft {
  readonly blocks: readonly DraftBlock[];
  readonly usage: LanguageModelV4Usage | null;
  readonly finish: LanguageModelV4FinishReason | null;
  /** The first error that came in the stream. */
  readonly error: { readonly thrown: unknown } | null;
}

export type DraftBlock = DraftText | DraftThinking | DraftCall | DraftServed;

/** What the provider said beside the words, by the name of its package. */
export type Metadata = Readonly<SharedV4ProviderMetadata>;

export interface DraftText {
  readonly kind: "text";
  readonly id: string;
  readonly text: string;
  readonly metadata: Metadata;
}

/** OpenAI's summaries come part by part; they are one thought. */
export interface DraftThinking {
  readonly kind: "thinking";
  readonly parts: readonly { readonly id: string; readonly text: string }[];
  readonly metadata: Metadata;
}

export interface DraftCall {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly json: string;
  /** Whether the provider said that this is all of it. */
  readonly whole: boolean;
  readonly metadata: Metadata;
}

/** A tool that runs at the provider. */
export interface DraftServed {
  readonly kind: "served";
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly metadata: Metadata;
  /** Null until it comes. */
  readonly result: ServedResult | null;
}

export interface ServedResult {
  readonly output: JSONValue;
  readonly failed: boolean;
  readonly metadata: Metadata;
}

export function emptyDraft(): Draft {
  return { blocks: [], usage: null, finish: null, error: null };
}

/** The thought as people read it. */
export function thinkingText({ parts }: DraftThinking): string {
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join(PART_BREAK);
}

export const PART_BREAK = "\n\n";

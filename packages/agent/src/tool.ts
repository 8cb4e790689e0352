/** What an agent can do besides speaking: a tool as the model is told of it, and how it is run. */

import type { ImageBlock, TextBlock, Tool as ToolSchema } from "@pith/context";

export interface Tool extends ToolSchema {
  /** Whether running it twice does no more than once. One that is not is never run again by itself. */
  readonly isIdempotent: boolean;
  /** What it throws becomes a result that says so. */
  run(call: ToolCall): Promise<ToolOutput>;
}

export interface ToolCall {
  readonly id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Told what comes while it runs. */
  readonly update: (text: string) => void;
}

export interface ToolOutput {
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly isError?: boolean;
  /** For screens and for the log, not for the model. */
  readonly details?: unknown;
}

/** Secrets as the agent meets them: what stands in the log for each, and the way back to what it stands for. */

import type { Redaction } from "@pith/context";

export interface Secrets extends Redaction {
  /** Arguments with the true values in them, for the tool that needs them and for nobody else. */
  restored<Value>(value: Value): Promise<Restored<Value>>;
  /** For a text that comes in pieces. */
  stream(): TextStream;
  /** What was found since this was asked last. */
  found(): readonly FoundSecret[];
}

export type Restored<Value> =
  | { readonly type: "restored"; readonly value: Value }
  /** Of these nobody knows the value any more: they were seen before the program was started again. */
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

/** Pieces in, pieces out; however it is cut, the same comes out. */
export interface TextStream {
  /** What can be passed on now. */
  write(text: string): string;
  /** The rest. */
  end(): string;
}

export interface FoundSecret {
  /** What kind it is, for people: "GitHub token", or the name of the variable that holds it. */
  readonly family: string;
  readonly placeholder: string;
}

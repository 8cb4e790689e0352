/** Whether a call may be run: asked before every one of them, and never answered from what a model has read. */

import type { Intent, Leave } from "../tool.ts";

/** The permissions of an agent, as its loop sees them. */
export interface Permits {
  permit(act: Act, asking: { readonly signal: AbortSignal }): Promise<Permit>;
}

export interface Act {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Null where the tool does not say what it is about to do. */
  readonly intent: Intent | null;
  /** It was begun before and nobody knows whether it was done: whoever permits it knows that it may be done twice. */
  readonly isAgain?: boolean;
}

export type Permit =
  | { readonly type: "permitted"; readonly leave?: Leave }
  /** `why` is told to the model. */
  | { readonly type: "refused"; readonly why: string };

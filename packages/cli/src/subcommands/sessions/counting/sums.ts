/** What many sessions hold and have cost together. */

import type { Usage } from "@pith/context";

export interface Sums {
  readonly sessions: number;
  readonly damaged: number;
  readonly bytes: { readonly logs: number; readonly blobs: number };
  readonly entries: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly compactions: number;
  readonly usage: Usage;
  readonly biggest: readonly Sized[];
}

export interface Sized {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly words: string;
  readonly cost: number;
}

/** Where a transcript is read from: the port behind which the log lies. */

import type { Block } from "../../state/block.ts";
import type { PageMark } from "./transcript-state.ts";

export interface TranscriptSource {
  /** What the session is called. */
  readonly title: string;
  /** From the end to the beginning: tells where the pages lie, and of the first of them what they say. */
  marks(tell: (told: ToldPages) => void, signal: AbortSignal): Promise<void>;
  read(mark: PageMark): Promise<readonly Block[]>;
}

export interface ToldPages {
  readonly marks: readonly PageMark[];
  /** Of those of them that were read whole, in their order from the first. */
  readonly pages: readonly (readonly Block[])[];
  /** Whether nothing lies before them. */
  readonly isLast: boolean;
  /** What the last of them says, if it is. */
  readonly beginning?: readonly Block[];
}

/** Where a transcript is read from: the port behind which the log lies. */

import type { Block } from "../../state/block.ts";
import type { PageMark } from "./transcript-state.ts";

export interface TranscriptSource {
  /** What the session is called. */
  readonly title: string;
  /** From the end to the beginning: tells where the pages lie, and of the first of them what they say; then what is written meanwhile. */
  marks(tell: (told: ToldPages) => void, signal: AbortSignal, grow: (page: GrownPage) => void): Promise<void>;
  read(mark: PageMark): Promise<readonly Block[]>;
}

/** The newest page with what was written since it was read. */
export interface GrownPage {
  readonly mark: PageMark;
  readonly blocks: readonly Block[];
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

/** Words as somebody sends them off: what is said, and what goes with it. */

import type { ImageBlock } from "@pith/context";

export interface Written {
  /** With long pastes in their places. */
  readonly text: string;
  /** As it stood in the editor: only what is seen there names files to be said, and no paste does so unseen. */
  readonly typed: string;
  readonly pictures: readonly Picture[];
  /** It is said when the work under way is done, and not before its next request. */
  readonly isForLater?: true;
}

export interface Picture {
  /** What stands for it in the words, such as `[picture 1: 340 KB png]`. */
  readonly marker: string;
  readonly image: ImageBlock;
}

export function justWords(text: string): Written {
  return { text, typed: text, pictures: [] };
}

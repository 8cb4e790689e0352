/** What is known of a page of text: its lines, and where one looks. */

import type { LineInput } from "../../widgets/line-input.ts";

export interface PageLine {
  /** Already plain, and no wider than what it was made for. */
  readonly text: string;
  readonly isHeading?: true;
}

export interface PagerState {
  /** The first line that is seen. */
  readonly top: number;
  /** What is being typed to search for; null while nothing is. */
  readonly typing: LineInput | null;
  readonly query: string;
}

export const pagerStart: PagerState = { top: 0, typing: null, query: "" };

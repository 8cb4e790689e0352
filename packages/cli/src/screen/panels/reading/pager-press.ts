/** What keys do on a page of text. Pure. */

import { emptyLine, typedInto } from "../../widgets/line-input.ts";
import type { Length } from "../../widgets/list.ts";
import { scrolled, scrolledTo } from "../../widgets/scroll.ts";
import { goesOn, isWayOut, type Pressed } from "../panel.ts";
import type { PageLine, PagerState } from "./pager-state.ts";

export interface Paged {
  readonly lines: readonly PageLine[];
  /** Those seen at once. */
  readonly rows: number;
}

export function pagerPress(state: PagerState, key: string, paged: Paged): Pressed<PagerState, null> | null {
  const next = state.typing ? whileTyping(state, key, paged) : whileReading(state, key, paged);
  return next && goesOn(next);
}

function whileTyping(state: PagerState, key: string, paged: Paged): PagerState | null {
  const typing = state.typing ?? emptyLine;
  if (isWayOut(key)) return { ...state, typing: null };
  if (key === "enter") return found({ ...state, typing: null, query: typing.text }, paged, { step: 1, isHere: true });
  const typed = typedInto(typing, key);
  return typed && found({ ...state, typing: typed, query: typed.text }, paged, { step: 1, isHere: true });
}

function whileReading(state: PagerState, key: string, paged: Paged): PagerState | null {
  const top = scrolled(state.top, key, lengthOf(paged));
  if (top !== null) return { ...state, top };
  if (key === "/") return { ...state, typing: emptyLine };
  if (key === "n") return found(state, paged, { step: 1, isHere: false });
  return key === "N" ? found(state, paged, { step: -1, isHere: false }) : null;
}

function lengthOf({ lines, rows }: Paged): Length {
  return { count: lines.length, rows };
}

interface Searching {
  readonly step: 1 | -1;
  /** Whether the line one stands on counts. */
  readonly isHere: boolean;
}

/** The next line with the words, once round. */
function found(state: PagerState, paged: Paged, { step, isHere }: Searching): PagerState {
  const { lines } = paged;
  const wanted = state.query.toLowerCase();
  if (wanted === "") return state;
  for (let away = isHere ? 0 : 1; away <= lines.length; away++) {
    const at = (state.top + step * away + 2 * lines.length) % Math.max(1, lines.length);
    if (lines[at]?.text.toLowerCase().includes(wanted)) return { ...state, top: scrolledTo(at, lengthOf(paged)) };
  }
  return state;
}

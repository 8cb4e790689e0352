/** What keys do on a page of text. Pure. */

import { emptyLine, typedInto } from "../../../widgets/line-input.ts";
import { goesOn, type Pressed } from "../../panel.ts";
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
  if (key === "escape" || key === "ctrl+c") return { ...state, typing: null };
  if (key === "enter") return found({ ...state, typing: null, query: typing.text }, paged, { step: 1, isHere: true });
  const typed = typedInto(typing, key);
  return typed && found({ ...state, typing: typed, query: typed.text }, paged, { step: 1, isHere: true });
}

function whileReading(state: PagerState, key: string, paged: Paged): PagerState | null {
  const { lines, rows } = paged;
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, down: 1, k: -1, j: 1, pageUp: -rows, pageDown: rows, space: rows, " ": rows },
    ...{ home: -lines.length, g: -lines.length, end: lines.length, G: lines.length },
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step !== undefined) return { ...state, top: within(state.top + step, paged) };
  if (key === "/") return { ...state, typing: emptyLine };
  if (key === "n") return found(state, paged, { step: 1, isHere: false });
  return key === "N" ? found(state, paged, { step: -1, isHere: false }) : null;
}

function within(top: number, { lines, rows }: Paged): number {
  return Math.max(0, Math.min(top, lines.length - rows));
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
    if (lines[at]?.text.toLowerCase().includes(wanted)) return { ...state, top: within(at, paged) };
  }
  return state;
}

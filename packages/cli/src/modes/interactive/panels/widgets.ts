/** Provides the parts that panels share: the hint line, line input, list selection and text scrolling. */

import { plain, plainLine } from "../../../text/safe-text.ts";
import { pastedLine } from "../keys/input.ts";
import type { Theme } from "../render/theme.ts";
import { CURSOR_MARKER, visibleWidth } from "../terminal/pi-tui.ts";

export interface HintLook {
  readonly width: number;
  readonly theme: Theme;
}

/** Such as `Enter takes it · Esc closes`. Where there is no room for all hints, the last one, which is the way out, stays. */
export function hintLine(said: readonly string[], { width, theme }: HintLook): string {
  const hints = said.map(plainLine);
  for (let count = hints.length - 1; count > 0; count--) {
    const line = ` ${[...hints.slice(0, count), ...hints.slice(-1)].join(" · ")}`;
    if (visibleWidth(line) <= width) return theme.dim(line);
  }
  return theme.dim(` ${hints.at(-1) ?? ""}`);
}

export interface LineInput {
  readonly text: string;
  /** In letters from its beginning. */
  readonly cursor: number;
}

export const emptyLine: LineInput = { text: "", cursor: 0 };

export function lineOf(text: string): LineInput {
  return { text, cursor: text.length };
}

/** Null where the key is no typing. */
export function typedInto({ text, cursor }: LineInput, key: string): LineInput | null {
  const [before, behind] = [text.slice(0, cursor), text.slice(cursor)];
  switch (key) {
    case "backspace":
      return { text: withoutLast(before) + behind, cursor: withoutLast(before).length };
    case "delete":
      return { text: before + withoutFirst(behind), cursor };
    case "left":
      return { text, cursor: withoutLast(before).length };
    case "right":
      return { text, cursor: text.length - withoutFirst(behind).length };
    case "home":
    case "ctrl+a":
      return { text, cursor: 0 };
    case "end":
    case "ctrl+e":
      return { text, cursor: text.length };
    case "ctrl+u":
      return { text: behind, cursor: 0 };
    case "ctrl+w": {
      const kept = before.replace(/\S+\s*$/, "");
      return { text: kept + behind, cursor: kept.length };
    }
    case "space":
      return { text: `${before} ${behind}`, cursor: cursor + 1 };
    default: {
      const words = pastedLine(key) ?? (isSign(key) ? key : null);
      return words === null ? null : { text: before + words + behind, cursor: cursor + words.length };
    }
  }
}

export function drawLine({ text, cursor }: LineInput, theme: Theme): string {
  const at = [...segments(text.slice(cursor))][0]?.segment ?? " ";
  const [before, behind] = [plain(text.slice(0, cursor)), plain(text.slice(cursor + at.length))];
  return `${before}${CURSOR_MARKER}${theme.selected(plain(at))}${behind}`;
}

/** A key that is no sign has a name of several letters: `up`, `ctrl+c`. */
function isSign(key: string): boolean {
  return [...segments(key)].length === 1 && !/[\p{Cc}\p{Cs}]/u.test(key);
}

function withoutLast(text: string): string {
  const last = [...segments(text)].at(-1)?.segment ?? "";
  return text.slice(0, text.length - last.length);
}

function withoutFirst(text: string): string {
  return text.slice([...segments(text)][0]?.segment.length ?? 0);
}

const segmenter = new Intl.Segmenter();

function segments(text: string): Iterable<Intl.SegmentData> {
  return segmenter.segment(text);
}

export interface Walk {
  readonly at: number;
  /** The first row that is seen. */
  readonly top: number;
}

export const atTop: Walk = { at: 0, top: 0 };

/** Null where the key is no walking. `rows` are those seen at once. */
export function walked(walk: Walk, key: string, { count, rows }: Length): Walk | null {
  switch (key) {
    case "up":
      return walkTo(walk, walk.at - 1, { count, rows });
    case "down":
      return walkTo(walk, walk.at + 1, { count, rows });
    case "pageUp":
      return walkTo(walk, walk.at - rows, { count, rows });
    case "pageDown":
      return walkTo(walk, walk.at + rows, { count, rows });
    case "home":
      return walkTo(walk, 0, { count, rows });
    case "end":
      return walkTo(walk, count - 1, { count, rows });
    default:
      return null;
  }
}

export interface Length {
  readonly count: number;
  readonly rows: number;
}

/** As near as there are rows, seen. */
export function walkTo({ top }: Walk, wanted: number, { count, rows }: Length): Walk {
  const at = Math.max(0, Math.min(wanted, count - 1));
  const last = Math.max(0, count - rows);
  return { at, top: Math.max(0, Math.min(Math.max(at - rows + 1, Math.min(top, at)), last)) };
}

/** Null where the key is no scrolling. */
export function scrolled(top: number, key: string, { count, rows }: Length): number | null {
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, k: -1, down: 1, j: 1 },
    ...{ pageUp: -rows, b: -rows, pageDown: rows, space: rows, " ": rows },
    ...{ home: -count, g: -count, end: count, G: count },
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? null : scrolledTo(top + step, { count, rows });
}

/** As far as there are lines. */
export function scrolledTo(top: number, { count, rows }: Length): number {
  return Math.max(0, Math.min(top, count - rows));
}

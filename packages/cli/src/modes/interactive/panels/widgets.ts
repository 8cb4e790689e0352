/** Implements the parts that panels share: the hint line, line input, list selection and text scrolling. */

import { escapeControls, escapeLine } from "@pith/host/text/safe-text";
import type { RenderContext, Theme } from "../render/theme.ts";
import { parsePastedLine } from "../terminal/key-input.ts";
import { CURSOR_MARKER, visibleWidth } from "../terminal/pi-tui.ts";

/** Renders e.g. `Enter select · Esc cancel`. If not all hints fit, the last one stays, since it says how to close the panel. */
export function renderHints(
  texts: readonly string[],
  { width, theme }: Pick<RenderContext, "width" | "theme">,
): string {
  const hints = texts.map(escapeLine);
  for (let count = hints.length - 1; count > 0; count--) {
    const line = ` ${[...hints.slice(0, count), ...hints.slice(-1)].join(" · ")}`;
    if (visibleWidth(line) <= width) return theme.dim(line);
  }
  return theme.dim(` ${hints.at(-1) ?? ""}`);
}

export interface LineInput {
  readonly text: string;
  /** The offset in `text`. */
  readonly cursor: number;
}

export const emptyInput: LineInput = { text: "", cursor: 0 };

export function createInput(text: string): LineInput {
  return { text, cursor: text.length };
}

/** Null if the key does not edit text. */
export function editInput({ text, cursor }: LineInput, key: string): LineInput | null {
  const [before, after] = [text.slice(0, cursor), text.slice(cursor)];
  switch (key) {
    case "backspace":
      return { text: removeLastCharacter(before) + after, cursor: removeLastCharacter(before).length };
    case "delete":
      return { text: before + removeFirstCharacter(after), cursor };
    case "left":
      return { text, cursor: removeLastCharacter(before).length };
    case "right":
      return { text, cursor: text.length - removeFirstCharacter(after).length };
    case "home":
    case "ctrl+a":
      return { text, cursor: 0 };
    case "end":
    case "ctrl+e":
      return { text, cursor: text.length };
    case "ctrl+u":
      return { text: after, cursor: 0 };
    case "ctrl+w": {
      const remaining = before.replace(/\S+\s*$/, "");
      return { text: remaining + after, cursor: remaining.length };
    }
    case "space":
      return { text: `${before} ${after}`, cursor: cursor + 1 };
    default: {
      const inserted = parsePastedLine(key) ?? (isCharacter(key) ? key : null);
      return inserted === null ? null : { text: before + inserted + after, cursor: cursor + inserted.length };
    }
  }
}

export function renderInput({ text, cursor }: LineInput, theme: Theme): string {
  const cursorCharacter = [...splitCharacters(text.slice(cursor))][0]?.segment ?? " ";
  const [before, after] = [
    escapeControls(text.slice(0, cursor)),
    escapeControls(text.slice(cursor + cursorCharacter.length)),
  ];
  return `${before}${CURSOR_MARKER}${theme.selected(escapeControls(cursorCharacter))}${after}`;
}

/** Keys that are not characters have names of several letters, such as `up` or `ctrl+c`. */
function isCharacter(key: string): boolean {
  return [...splitCharacters(key)].length === 1 && !/[\p{Cc}\p{Cs}]/u.test(key);
}

function removeLastCharacter(text: string): string {
  const last = [...splitCharacters(text)].at(-1)?.segment ?? "";
  return text.slice(0, text.length - last.length);
}

function removeFirstCharacter(text: string): string {
  return text.slice([...splitCharacters(text)][0]?.segment.length ?? 0);
}

const segmenter = new Intl.Segmenter();

function splitCharacters(text: string): Iterable<Intl.SegmentData> {
  return segmenter.segment(text);
}

export interface ListPosition {
  readonly index: number;
  /** The first visible row. */
  readonly top: number;
}

export const listStart: ListPosition = { index: 0, top: 0 };

/** Null if the key does not move the selection. `rows` is the number of visible rows. */
export function moveByKey(position: ListPosition, key: string, { count, rows }: ListSize): ListPosition | null {
  switch (key) {
    case "up":
      return moveTo(position, position.index - 1, { count, rows });
    case "down":
      return moveTo(position, position.index + 1, { count, rows });
    case "pageUp":
      return moveTo(position, position.index - rows, { count, rows });
    case "pageDown":
      return moveTo(position, position.index + rows, { count, rows });
    case "home":
      return moveTo(position, 0, { count, rows });
    case "end":
      return moveTo(position, count - 1, { count, rows });
    default:
      return null;
  }
}

export interface ListSize {
  readonly count: number;
  readonly rows: number;
}

/** Clamps the target to the list, and scrolls so that it is visible. */
export function moveTo({ top }: ListPosition, target: number, { count, rows }: ListSize): ListPosition {
  const index = Math.max(0, Math.min(target, count - 1));
  const last = Math.max(0, count - rows);
  return { index, top: Math.max(0, Math.min(Math.max(index - rows + 1, Math.min(top, index)), last)) };
}

/** Null if the key does not scroll. */
export function scrollByKey(top: number, key: string, { count, rows }: ListSize): number | null {
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageUp: -rows,
    b: -rows,
    pageDown: rows,
    space: rows,
    " ": rows,
    home: -count,
    g: -count,
    end: count,
    G: count,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? null : clampScroll(top + step, { count, rows });
}

export function clampScroll(top: number, { count, rows }: ListSize): number {
  return Math.max(0, Math.min(top, count - rows));
}

/** One line that is typed within a panel, such as a search. Pure. */

import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import type { Theme } from "../drawing/theme.ts";
import { pastedLine } from "../keys/pasted-line.ts";

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

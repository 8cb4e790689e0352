/** The live region: what is not finished, what is under way, what waits, where one types, and the footer. Never higher than the screen. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import { drawBlock } from "../drawing/draw-block.ts";
import { fitted } from "../drawing/lines/wrapped.ts";
import type { Theme } from "../drawing/theme.ts";
import type { ScreenState } from "../state/screen-state.ts";
import type { Size } from "../terminal/main-screen.ts";
import { footer } from "./footer.ts";
import { queueLines } from "./queue-lines.ts";
import { statusRow, widgetRows } from "./sign-lines.ts";
import { statusLines } from "./status-lines.ts";

export interface FrameParts {
  readonly state: ScreenState;
  readonly theme: Theme;
  /** The editor, or what is asked in its place; given the rows it may take. */
  readonly input: (size: Size) => readonly string[];
  readonly now: number;
}

export function frame({ state, theme, input, now }: FrameParts, size: Size): readonly string[] {
  const { width, height } = size;
  const brush: Brush = {
    width,
    theme,
    isUnfolded: state.isUnfolded,
    now,
    ...(state.keymap && { keymap: state.keymap }),
  };
  const below = [
    ...statusLines(state, brush),
    ...queueLines(state, brush),
    ...hintLines(state, brush),
    ...widgetRows(state.signs, brush, height),
  ];
  const foot = [...footer(state.facts, brush), ...statusRow(state.signs, brush)];
  const typed = input({ width, height: Math.max(3, height - below.length - foot.length) });
  const room = Math.max(0, height - below.length - foot.length - typed.length);
  const blocks =
    room === 0 ? [] : [...state.blocks, ...state.shell].flatMap((block) => drawBlock(block, { ...brush, most: room }));
  const lines = [...blocks.slice(-room), ...below, ...typed, ...foot];
  return lines.slice(-height).map((line) => fitted(line, width));
}

/** Two lines at most: it is no more than a hint. */
function hintLines({ hint }: ScreenState, { theme, width }: Brush): readonly string[] {
  if (hint === null) return [];
  const lines = wrapTextWithAnsi(plain(hint.replaceAll(/\s+/g, " ")), Math.max(1, width - 2));
  return lines.slice(0, 2).map((line) => theme.dim(` ${line}`));
}

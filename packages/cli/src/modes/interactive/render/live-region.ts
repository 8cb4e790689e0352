/** Draws the live region: open blocks, status, queue, widgets, editor and footer. It is never higher than the screen. */

import { keyTold } from "../../../settings/keymap-text.ts";
import { amount } from "../../../text/format.ts";
import { clipped, plain } from "../../../text/safe-text.ts";
import { type ScreenState, type Signs, statusWords, type Work, widgetLines } from "../state/screen-state.ts";
import { truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import type { Size } from "../terminal/screens.ts";
import { drawBlock } from "./block.ts";
import { footer } from "./footer.ts";
import { fitted } from "./text.ts";
import type { Brush, Theme } from "./theme.ts";

/** Rows for words; what is more is counted. */
const MOST_ROWS = 4;

export function queueLines({ queue }: Pick<ScreenState, "queue">, { theme, width, keymap }: Brush): readonly string[] {
  const waiting = [
    ...queue.steering.map((text) => ({ kind: "next", text })),
    ...queue.followUp.map((text) => ({ kind: "afterwards", text })),
  ];
  if (waiting.length === 0) return [];
  const row = ({ kind, text }: { readonly kind: string; readonly text: string }): string =>
    truncateToWidth(
      `  ${theme.accent(`↳ ${kind.padEnd(10)}`)} ${theme.dim(plain(text.replaceAll(/\s+/g, " ")))}`,
      width,
    );
  const more = waiting.length - MOST_ROWS;
  const back = keyTold("takeBack", `takes ${waiting.length === 1 ? "it" : "them"} back`, keymap);
  const end = [more > 0 ? `and ${more} more` : "", back].filter((text) => text !== "").join("; ");
  const last = end === "" ? [] : [theme.dim(truncateToWidth(`  ${end}`, width))];
  return ["", ...waiting.slice(0, MOST_ROWS).map(row), ...last];
}

export function widgetRows(signs: Signs, { width, theme }: Brush, height: number): readonly string[] {
  const lines = widgetLines(signs);
  const most = Math.max(1, Math.floor(height / 3));
  const seen = lines.length <= most ? lines : lines.slice(0, most - 1);
  const more = lines.length - seen.length;
  const rows = seen.map((line) => truncateToWidth(` ${line}`, width, "…"));
  return more === 0 ? rows : [...rows, theme.dim(truncateToWidth(` and ${more} more lines`, width, "…"))];
}

/** One line, or none. */
export function statusRow(signs: Signs, { width, theme }: Brush): readonly string[] {
  const words = statusWords(signs);
  return words.length === 0 ? [] : [theme.dim(truncateToWidth(words.join(" · "), width, "…"))];
}

export function statusLines({ work }: ScreenState, { theme, now, width, keymap }: Brush): readonly string[] {
  if (work.type === "idle") return [];
  const [doing = "", ...more] = toldOf(work, now).filter((text) => text !== "");
  // How to stop it is never what there is no room for.
  const stops = keyTold("stop", "stops it", keymap);
  const end = ` · ${elapsed(now - work.since)}${stops && ` · ${stops}`}`;
  const head = `${theme.accent(`● ${plain(doing)}`)}${theme.dim(plain(more.map((text) => ` · ${text}`).join("")))}`;
  return ["", ` ${truncateToWidth(head, Math.max(1, width - end.length - 1), "…")}${theme.dim(end)}`];
}

type UnderWay = Exclude<Work, { type: "idle" }>;

function toldOf(work: UnderWay, now: number): readonly string[] {
  switch (work.type) {
    case "running":
      return [work.doing, soFar(work.letters)];
    case "retrying":
      return [
        `asking again in ${Math.max(0, Math.ceil((work.at - now) / 1000))} s`,
        clipped(work.why.replaceAll(/\s+/g, " "), LONG),
      ];
    case "compacting":
      return [reasons[work.reason], work.step];
    case "summarising":
      return ["summing up the branch you leave", work.step];
  }
}

const LONG = 60;

const reasons = {
  manual: "compacting",
  threshold: "compacting: it is full",
  overflow: "compacting: it was refused as too long",
} as const;

/** About: a token is four letters of most languages, and the exact count comes with the reply. */
function soFar(letters: number): string {
  return letters < LETTERS_OF_A_TOKEN ? "" : `about ${amount(letters / LETTERS_OF_A_TOKEN)} tokens`;
}

const LETTERS_OF_A_TOKEN = 4;

function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

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

/** Redraws once a second while work is under way, since the status line shows the elapsed time. */
export class Ticking {
  readonly #tick: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  follow({ type }: Work): void {
    if (type === "idle") this.stop();
    else this.#timer ??= setInterval(this.#tick, SECOND).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}

const SECOND = 1_000;

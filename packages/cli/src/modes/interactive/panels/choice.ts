/** Defines the panels that choose one of a few or one of many options, and the side-by-side layout of a list and its preview. */

import { keyNamed } from "../../../settings/keymap-text.ts";
import { plain } from "../../../text/safe-text.ts";
import { cell, fitted } from "../render/text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { answered, goesOn, type Panel, type Sight } from "./panel.ts";
import {
  atTop,
  drawLine,
  emptyLine,
  hintLine,
  type LineInput,
  typedInto,
  type Walk,
  walked,
  walkTo,
} from "./widgets.ts";

export interface Choice<Value> {
  readonly title: string;
  /** Lines between the title and what can be chosen; theirs are the inks, and they are wrapped. */
  readonly body?: (sight: Sight) => readonly string[];
  readonly options: readonly Option<Value>[];
  /** Where the walk begins. */
  readonly at?: number;
}

export interface Option<Value> {
  /** Takes it at once, such as `y`. */
  readonly key?: string;
  readonly label: string;
  readonly says?: string;
  readonly value: Value;
  /** ASK3: it permits something for longer than now, so its key only leads to it, and Enter takes it. */
  readonly isLasting?: true;
}

/** What a key takes, or where it leads; null where it is of no option. */
export function optionPressed<Value>(options: readonly Option<Value>[], key: string, at: number): OptionPressed<Value> {
  const named = key === "enter" ? at : options.findIndex((option) => option.key === key);
  const option = options[named];
  if (!option) return null;
  return option.isLasting && key !== "enter" ? { type: "moved", at: named } : { type: "taken", option };
}

export type OptionPressed<Value> =
  | { readonly type: "taken"; readonly option: Option<Value> }
  | { readonly type: "moved"; readonly at: number }
  | null;

export function choice<Value>({ title, body, options, at = 0 }: Choice<Value>): Panel<Walk, Value> {
  const length = { count: options.length, rows: options.length };
  return {
    start: { ...atTop, at },
    spoken: { title, lines: (sight) => body?.(sight) ?? [], options },
    press: (walk, key) => {
      const pressed = optionPressed(options, key, walk.at);
      if (pressed?.type === "taken") return answered(pressed.option.value);
      if (pressed) return goesOn(walkTo(walk, pressed.at, length));
      const moved = walked(walk, key, length);
      return moved ? goesOn(moved) : null;
    },
    draw: (walk, sight) => {
      const chosen = options.map((option, row) => drawOption(option, row === walk.at, sight));
      const head = [sight.theme.border("─".repeat(sight.width)), sight.theme.strong(` ${plain(title)}`)];
      const room = Math.max(0, sight.height - head.length - chosen.length);
      const between = (body?.(sight) ?? []).flatMap((line) => setIn(line, sight.width)).slice(0, room);
      return [...head, ...between, ...chosen];
    },
  };
}

/** What goes on in the next row stands below its beginning. */
function setIn(line: string, width: number): readonly string[] {
  return wrapTextWithAnsi(line, Math.max(1, width - 1)).map((row, at) => (at === 0 ? row : ` ${row}`));
}

function drawOption<Value>(option: Option<Value>, isChosen: boolean, { width, theme }: Sight): string {
  const { label, says = "" } = option;
  const short = theme.dim(keyShown(option));
  const words = ` ${isChosen ? "❯" : " "} ${plain(label)}`;
  const line = `${isChosen ? theme.accent(words) : words}${short}${says === "" ? "" : theme.dim(`  ${plain(says)}`)}`;
  return truncateToWidth(line, width, "…");
}

/** ` (y)`; ` (y, Enter)` where the key alone only leads to it. */
export function keyShown<Value>({ key, isLasting }: Option<Value>): string {
  if (key === undefined) return "";
  return isLasting ? ` (${key}, Enter)` : ` (${key})`;
}

export interface Pick<Value> {
  readonly title: string;
  readonly rows: readonly PickRow<Value>[];
  /** Keys that take a row, too, and what they mean; Enter needs none. */
  readonly also?: Readonly<Record<string, string>>;
  /** How one leaves it without taking any; later, unless said. */
  readonly leave?: string;
}

export interface PickRow<Value> {
  readonly label: string;
  readonly says: string;
  readonly value: Value;
}

export interface Picked<Value> {
  readonly value: Value;
  /** By which key. */
  readonly key: string;
}

export interface Picking {
  readonly typed: LineInput;
  readonly walk: Walk;
}

export function pick<Value>(wish: Pick<Value>): Panel<Picking, Picked<Value>> {
  const { title, rows, also = {} } = wish;
  return {
    start: { typed: emptyLine, walk: atTop },
    spoken: {
      title,
      lines: () => [],
      options: rows.map(({ value, ...row }) => ({ ...row, value: { value, key: "enter" } })),
    },
    press: ({ typed, walk }, key) => {
      const left = matching(rows, typed.text);
      const row = key === "enter" || Object.hasOwn(also, key) ? left[walk.at] : undefined;
      if (row) return answered({ value: row.value, key });
      const moved = walked(walk, key, { count: left.length, rows: ROWS });
      if (moved) return goesOn({ typed, walk: moved });
      const next = typedInto(typed, key);
      return next ? goesOn({ typed: next, walk: atTop }) : null;
    },
    draw: (state, sight) => drawn(wish, state, sight),
  };
}

/** Seen at once. */
const ROWS = 8;

function matching<Value>(rows: readonly PickRow<Value>[], typed: string): readonly PickRow<Value>[] {
  const wanted = typed.toLowerCase().split(/\s+/);
  return rows.filter(({ label, says }) => wanted.every((word) => `${label} ${says}`.toLowerCase().includes(word)));
}

function drawn<Value>(
  { title, rows, also = {}, leave = "Esc later" }: Pick<Value>,
  { typed, walk }: Picking,
  sight: Sight,
): string[] {
  const { width, theme } = sight;
  const left = matching(rows, typed.text);
  const seen = left.slice(walk.top, walk.top + Math.max(1, Math.min(ROWS, sight.height - 4)));
  const column = Math.min(44, Math.max(...rows.map(({ label }) => visibleWidth(plain(label)))));
  const hints = [
    "typing searches",
    "Enter takes it",
    ...Object.entries(also).map(([key, does]) => `${keyNamed(key)} ${does}`),
    leave,
  ];
  const more = left.length > seen.length ? theme.dim(`  ${walk.at + 1} of ${left.length}`) : "";
  return [
    theme.border("─".repeat(width)),
    `${theme.strong(` ${plain(title)}`)}${more}`,
    ...(typed.text === "" ? [] : [` ${theme.dim("search:")} ${drawLine(typed, theme)}`]),
    ...(left.length === 0 ? [theme.dim("   nothing has this in its name")] : []),
    ...seen.map((row, at) => drawRow(row, { isChosen: walk.top + at === walk.at, column, sight })),
    hintLine(hints, sight),
  ].map((line) => fitted(line, width));
}

interface RowSight {
  readonly isChosen: boolean;
  readonly column: number;
  readonly sight: Sight;
}

function drawRow<Value>({ label, says }: PickRow<Value>, { isChosen, column, sight: { theme } }: RowSight): string {
  const words = ` ${isChosen ? "❯" : " "} ${cell(plain(label), column)}`;
  return `${isChosen ? theme.accent(words) : words}  ${theme.dim(plain(says))}`;
}

export interface SideBySide {
  readonly list: number;
  readonly beside: number;
}

/** How wide each is, with a line between them; null where the terminal is too narrow for that. */
export function sideBySide(width: number): SideBySide | null {
  if (width < WIDE) return null;
  const list = Math.floor(width * SHARE);
  return { list, beside: width - list - GAP };
}

const WIDE = 110;
const SHARE = 0.6;
const GAP = 3;

/** One of many: typing narrows the list, the arrows walk it, Enter takes. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import { cell } from "../../drawing/lines/columns.ts";
import { fitted } from "../../drawing/lines/wrapped.ts";
import { keyNamed } from "../../keys/key-hint.ts";
import { answered, goesOn, type Panel, type Sight } from "../../panels/panel.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine, emptyLine, type LineInput, typedInto } from "../../widgets/line-input.ts";
import { atTop, type Walk, walked } from "../../widgets/list.ts";

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

/** Who shall speak: the models that one's keys and this machine allow, searched by typing. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import { cell } from "../../drawing/lines/columns.ts";
import { fitted } from "../../drawing/lines/wrapped.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine, emptyLine, type LineInput, typedInto } from "../../widgets/line-input.ts";
import { atTop, type Walk, walked } from "../../widgets/list.ts";
import type { Sight } from "../panel.ts";
import { answered, goesOn, type Panel } from "../panel.ts";
import { joined, type ModelRow, priceTold, rowsFor, windowTold } from "./model-rows.ts";

export interface ModelList {
  readonly rows: readonly ModelRow[];
  /** Who speaks now, as `provider/model`. */
  readonly speaking: string;
  /** More that are found while somebody looks already. */
  readonly more: (signal: AbortSignal) => Promise<readonly ModelRow[]>;
}

export interface ModelState {
  readonly rows: readonly ModelRow[];
  readonly typed: LineInput;
  readonly walk: Walk;
}

/** `isForGood`: also in sessions that begin later. */
export interface ChosenName {
  readonly name: string;
  readonly isForGood: boolean;
}

export function modelPanel({ rows, speaking, more }: ModelList): Panel<ModelState, ChosenName> {
  return {
    start: { rows, typed: emptyLine, walk: atTop },
    learns: async (learn, signal) => {
      const found = await more(signal);
      learn((state) => ({ ...state, rows: joined(state.rows, found) }));
    },
    press: (state, key) => {
      const fitting = rowsFor(state.rows, state.typed.text, speaking);
      const taken = key === "enter" || key === "ctrl+s" ? fitting[state.walk.at] : undefined;
      if (taken) return answered({ name: taken.name, isForGood: key === "ctrl+s" });
      const walk = walked(state.walk, key, { count: fitting.length, rows: ROWS });
      if (walk) return goesOn({ ...state, walk });
      const typed = typedInto(state.typed, key);
      return typed ? goesOn({ ...state, typed, walk: atTop }) : null;
    },
    draw: (state, sight) => drawn(state, speaking, sight),
  };
}

/** Seen at once. */
const ROWS = 10;

function drawn({ rows, typed, walk }: ModelState, speaking: string, sight: Sight): readonly string[] {
  const { theme, width, height } = sight;
  const fitting = rowsFor(rows, typed.text, speaking);
  const room = Math.max(1, Math.min(ROWS, height - 5));
  const seen = fitting.slice(Math.max(walk.top, walk.at - room + 1)).slice(0, room);
  const longest = Math.max(24, ...seen.map(({ name }) => visibleWidth(plain(name))));
  // Where there is no room for both, the name matters more than what it costs.
  const isNarrow = width - 36 < 24;
  const column = Math.min(longest, isNarrow ? Math.max(10, width - 4) : width - 36);
  const place = fitting.length > seen.length ? theme.dim(`  ${walk.at + 1} of ${fitting.length}`) : "";
  const titles = theme.dim(`   ${"".padEnd(column)}  ${"window".padStart(10)}  price per million, in / out`);
  const marked = (row: ModelRow): boolean => row === fitting[walk.at];
  const lines = [
    theme.border("─".repeat(width)),
    `${theme.strong(" Who shall speak?")}${place}  ${theme.dim("search:")} ${drawLine(typed, theme)}`,
    ...(seen.length === 0 ? [theme.dim(`   ${rows.length === 0 ? NONE : UNFOUND}`)] : isNarrow ? [] : [titles]),
    ...seen.map((row) =>
      rowLine(row, { isChosen: marked(row), isSpeaking: row.name === speaking, isNarrow, column }, sight),
    ),
    hintLine(["Enter takes it", "Ctrl+S also from now on", "Esc leaves it as it is"], sight),
  ];
  return lines.map((line) => fitted(line, width));
}

const NONE = "no key is set, and no server answers here; /model provider/model names one";
const UNFOUND = "no model has this in its name; /model provider/model takes any";

interface Mark {
  readonly isChosen: boolean;
  readonly isSpeaking: boolean;
  readonly isNarrow: boolean;
  readonly column: number;
}

function rowLine(row: ModelRow, { isChosen, isSpeaking, isNarrow, column }: Mark, { theme }: Sight): string {
  const words = ` ${isChosen ? "❯" : " "} ${cell(plain(row.name), column)}`;
  if (isNarrow) return isChosen ? theme.accent(words) : words;
  const facts = `  ${windowTold(row).padStart(10)}  ${priceTold(row)}${isSpeaking ? "  (speaks now)" : ""}`;
  return `${isChosen ? theme.accent(words) : words}${theme.dim(facts)}`;
}

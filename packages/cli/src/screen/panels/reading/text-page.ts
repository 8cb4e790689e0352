/** A page of text that one scrolls through; where there is something to decide, the answers stand below it. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import type { Length } from "../../widgets/list.ts";
import { scrolled, scrolledTo } from "../../widgets/scroll.ts";
import type { Option } from "../choice.ts";
import { answered, goesOn, type Panel, type Sight } from "../panel.ts";

export interface TextPage<Value> {
  readonly title: string;
  /** Within the width; theirs are the inks. */
  readonly lines: (sight: Sight) => readonly string[];
  /** None: there is nothing but to look. */
  readonly options?: readonly Option<Value>[];
  /** The answer that is chosen at first. */
  readonly at?: number;
}

export interface PageState {
  readonly top: number;
  readonly at: number;
}

export function textPage<Value>(page: TextPage<Value>): Panel<PageState, Value> {
  const { options = [], at = 0 } = page;
  return {
    start: { top: 0, at },
    ...(options.length > 0 && { spoken: { title: page.title, lines: page.lines, options } }),
    press: (state, key, sight) => {
      const taken = key === "enter" ? options[state.at] : options.find((option) => option.key === key);
      if (taken) return answered(taken.value);
      if (key === "left" || key === "right" || key === "tab") return goesOn({ ...state, at: beside(state.at, key) });
      const top = sight ? scrolled(state.top, key, extentOn(page, sight)) : null;
      return top === null ? null : goesOn({ ...state, top });
    },
    draw: (state, sight) => drawn(page, state, sight),
  };

  function beside(now: number, key: string): number {
    const count = Math.max(1, options.length);
    return (now + (key === "left" ? count - 1 : 1)) % count;
  }
}

/** How long the text is, and how much of it is seen at once. */
function extentOn<Value>({ lines, options = [] }: TextPage<Value>, sight: Sight): Length {
  const foot = options.length === 0 ? 0 : 1 + optionLines(options, 0, sight).length;
  return { count: lines(sight).length, rows: Math.max(1, sight.height - HEAD - foot - 1) };
}

/** A title and a ruler. */
const HEAD = 2;

function drawn<Value>(page: TextPage<Value>, { top, at }: PageState, sight: Sight): readonly string[] {
  const { theme, width } = sight;
  const { options = [] } = page;
  const { count, rows } = extentOn(page, sight);
  const first = scrolledTo(top, { count, rows });
  const seen = page.lines(sight).slice(first, first + rows);
  const head = [theme.strong(` ${plain(page.title)}`), theme.border("─".repeat(width))];
  const blank = Array.from({ length: rows - seen.length }, () => "");
  const foot = options.length === 0 ? [] : ["", ...optionLines(options, at, sight)];
  const part = count > rows ? [`↑↓ ${first + 1}–${Math.min(first + rows, count)} of ${count}`] : [];
  const hints = [...part, ...(options.length > 0 ? ["←→ walk", "Enter answers"] : []), "Esc closes"];
  return [...head, ...seen, ...blank, ...foot, hintLine(hints, sight)].map((line) => truncateToWidth(line, width, "…"));
}

/** Side by side; where there is no room for that, one below the other, so that none is missing. */
function optionLines<Value>(options: readonly Option<Value>[], at: number, { theme, width }: Sight): readonly string[] {
  const shown = options.map(({ key, label }, place) => {
    const words = `${place === at ? "❯" : " "} ${plain(label)}`;
    return `${place === at ? theme.accent(words) : words}${key ? theme.dim(` (${key})`) : ""}`;
  });
  const beside = ` ${shown.join("   ")}`;
  return visibleWidth(beside) <= width ? [beside] : shown.map((each) => ` ${each}`);
}

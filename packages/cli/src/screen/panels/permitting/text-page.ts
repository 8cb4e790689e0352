/** A page of text that one scrolls through; where there is something to decide, the answers stand below it. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
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
    press: (state, key) => {
      const taken = key === "enter" ? options[state.at] : options.find((option) => option.key === key);
      if (taken) return answered(taken.value);
      if (key === "left" || key === "right" || key === "tab") return goesOn({ ...state, at: beside(state.at, key) });
      const top = scrolled(state.top, key);
      return top === null ? null : goesOn({ ...state, top });
    },
    draw: (state, sight) => drawn(page, state, sight),
  };

  function beside(now: number, key: string): number {
    const count = Math.max(1, options.length);
    return (now + (key === "left" ? count - 1 : 1)) % count;
  }
}

function scrolled(top: number, key: string): number | null {
  const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageUp: -15, pageDown: 15, space: 15, " ": 15 };
  if (key === "home") return 0;
  if (key === "end") return Number.MAX_SAFE_INTEGER;
  const step = steps[key];
  return step === undefined ? null : Math.max(0, Math.min(top, ENOUGH) + step);
}

/** No text here is longer; beyond it nobody could tell one step. */
const ENOUGH = 1_000_000;

function drawn<Value>(page: TextPage<Value>, { top, at }: PageState, sight: Sight): readonly string[] {
  const { theme, width, height } = sight;
  const { options = [] } = page;
  const lines = page.lines(sight);
  const head = [theme.strong(` ${plain(page.title)}`), theme.border("─".repeat(width))];
  const foot = options.length === 0 ? [] : ["", ...optionLines(options, at, sight)];
  const room = Math.max(1, height - head.length - foot.length - 1);
  const first = Math.max(0, Math.min(top, lines.length - room));
  const seen = lines.slice(first, first + room);
  const blank = Array.from({ length: room - seen.length }, () => "");
  const keys = keyLine({ first, room, count: lines.length, hasOptions: options.length > 0 });
  return [...head, ...seen, ...blank, ...foot, theme.dim(keys)].map((line) => truncateToWidth(line, width, "…"));
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

interface Extent {
  readonly first: number;
  readonly room: number;
  readonly count: number;
  readonly hasOptions: boolean;
}

function keyLine({ first, room, count, hasOptions }: Extent): string {
  const part = count > room ? [`↑ ↓ ${first + 1}–${Math.min(first + room, count)} of ${count}`] : [];
  const decide = hasOptions ? ["← → Enter"] : [];
  return ` ${[...part, ...decide, "Esc closes"].join(" · ")}`;
}

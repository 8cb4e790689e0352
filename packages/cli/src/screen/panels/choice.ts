/** One of a few: walked through with the arrows, taken with Enter or by its own key. */

import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import { atTop, type Walk, walked } from "../widgets/list.ts";
import { answered, goesOn, type Panel, type Sight } from "./panel.ts";

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
}

export function choice<Value>({ title, body, options, at = 0 }: Choice<Value>): Panel<Walk, Value> {
  const length = { count: options.length, rows: options.length };
  return {
    start: { ...atTop, at },
    spoken: { title, lines: (sight) => body?.(sight) ?? [], options },
    press: (walk, key) => {
      const taken = key === "enter" ? options[walk.at] : options.find((option) => option.key === key);
      if (taken) return answered(taken.value);
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

function drawOption<Value>(
  { key, label, says = "" }: Option<Value>,
  isChosen: boolean,
  { width, theme }: Sight,
): string {
  const short = key === undefined ? "" : theme.dim(` (${key})`);
  const words = ` ${isChosen ? "❯" : " "} ${plain(label)}`;
  const line = `${isChosen ? theme.accent(words) : words}${short}${says === "" ? "" : theme.dim(`  ${plain(says)}`)}`;
  return truncateToWidth(line, width, "…");
}

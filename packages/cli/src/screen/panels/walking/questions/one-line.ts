/** A question that is answered with one line. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../../../printing/plain.ts";
import { hintLine } from "../../../widgets/hint-line.ts";
import { drawLine, emptyLine, type LineInput, typedInto } from "../../../widgets/line-input.ts";
import { answered, goesOn, type Panel } from "../../panel.ts";

export interface LineQuestion {
  readonly title: string;
  /** What its keys do. */
  readonly hints: readonly string[];
}

/** An empty line is an answer, too. */
export function oneLinePanel({ title, hints }: LineQuestion): Panel<LineInput, string> {
  return {
    start: emptyLine,
    press: (line, key) => {
      if (key === "enter") return answered(line.text.trim());
      const typed = typedInto(line, key);
      return typed && goesOn(typed);
    },
    draw: (line, { width, theme }) => [
      theme.border("─".repeat(width)),
      theme.strong(` ${plain(title)}`),
      ...wrapTextWithAnsi(` ${drawLine(line, theme)}`, width),
      hintLine(hints, { width, theme }),
    ],
  };
}

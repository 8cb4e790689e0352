/** What a compaction would do, to be confirmed: what is dropped, kept and pinned, what it costs, and what it should look at. */

import { CURSOR_MARKER, truncateToWidth } from "@earendil-works/pi-tui";
import { amount, costTold, counted } from "../../../printing/amounts.ts";
import { plain } from "../../../printing/plain.ts";
import type { Theme } from "../../drawing/theme.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine, type LineInput, lineOf, typedInto } from "../../widgets/line-input.ts";
import { answered, goesOn, type Panel } from "../panel.ts";

export interface PreviewFacts {
  readonly tokens: { readonly before: number; readonly after: number };
  readonly dropped: Share;
  readonly kept: Share;
  /** Messages of the user's own among what is dropped, and the tokens there are for them. */
  readonly words: Share;
  readonly pins: number;
  /** Who tells it. */
  readonly by: string;
  /** In dollars; null where nobody knows. */
  readonly price: number | null;
}

export interface Share {
  readonly count: number;
  readonly tokens: number;
}

/** Answers what it should look at; empty for nothing special. */
export function preview(facts: PreviewFacts, focus: string): Panel<LineInput, string> {
  return {
    start: lineOf(focus),
    press: (line, key) => {
      if (key === "enter") return answered(line.text.trim());
      const typed = typedInto(line, key);
      return typed ? goesOn(typed) : null;
    },
    draw: (line, { width, height, theme }) => {
      const lines = [...drawHead(facts, theme), ...drawRows(facts, theme)];
      const foot = [
        focusLine(line, theme),
        hintLine(["Enter compacts", "type what it should look at", "Esc leaves all as it is"], { width, theme }),
      ];
      const border = theme.border("─".repeat(width));
      return [border, ...lines.slice(0, Math.max(0, height - 3)), ...foot].map((each) =>
        truncateToWidth(each, width, "…"),
      );
    },
  };
}

function drawHead({ tokens }: PreviewFacts, theme: Theme): readonly string[] {
  const less = theme.dim(`, ${amount(Math.max(0, tokens.before - tokens.after))} less`);
  return [theme.strong(" Compact now?"), ` ${amount(tokens.before)} → about ${amount(tokens.after)} tokens${less}`];
}

function drawRows({ dropped, kept, words, pins, by, price }: PreviewFacts, theme: Theme): readonly string[] {
  const rows: readonly (readonly [string, string, string])[] = [
    ["dropped", share(dropped, "entry", "entries"), "told in short"],
    ["kept", share(kept, "entry", "entries"), "as they were said"],
    ["your words", counted(words.count, "message"), `word for word, up to ${amount(words.tokens)} tokens`],
    ["pinned", counted(pins, "pin"), pins === 0 ? "/pin keeps what must stay" : "word for word"],
    ["recoverable", "all of it", "search, /tree, /undo takes it back"],
    ["told by", plain(by), price === null ? "" : `about ${costTold(price)}`],
  ];
  return rows.map(([name, figure, says]) => ` ${theme.dim(name.padEnd(12))} ${figure.padEnd(28)} ${theme.dim(says)}`);
}

function share({ count, tokens }: Share, one: string, many: string): string {
  return `${counted(count, one, many)}, ${amount(tokens)} tokens`;
}

function focusLine(line: LineInput, theme: Theme): string {
  const hint =
    line.text === "" ? `${CURSOR_MARKER}${theme.selected(" ")}${theme.dim(" nothing special")}` : drawLine(line, theme);
  return ` ${theme.dim("look at".padEnd(12))} ${hint}`;
}

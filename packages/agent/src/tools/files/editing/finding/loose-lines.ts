/** Whole lines that are the wanted ones apart from blanks at their ends, and tabs or blanks at their starts. What comes in their place is indented as the file is. */

import type { Replacement } from "../../arguments.ts";
import { alike } from "../alike.ts";
import type { Splice } from "../text-file.ts";
import { type Indent, indentBetween, indented } from "./indent.ts";
import { plainSigns } from "./plain-signs.ts";
import type { SearchedText } from "./searched-text.ts";

export function looseLines({ lines, trimmed }: SearchedText, edit: Replacement): readonly Splice[] {
  const wanted = wantedLines(edit);
  if (wanted.old.every((line) => line.trim() === "")) return [];
  if (wanted.old.length * lines.length > MOST_COMPARED) return [];
  const keys = wanted.old.map((line) => plainSigns(line).trim());
  const froms = [...trimmed.keys()].filter((from) => keys.every((key, at) => trimmed[from + at] === key));
  if (froms.length === 0) return [];
  const starts = startsOf(lines);
  return froms.flatMap((from) => {
    const there = lines.slice(from, from + keys.length);
    const indent = indentBetween(there, wanted.old);
    if (indent === null) return [];
    const start = starts[from] ?? 0;
    const end = start + there.join("\n").length + (wanted.takesBreak && from + there.length < lines.length ? 1 : 0);
    return [{ start, end, text: instead(there, wanted, indent).join("\n") }];
  });
}

/** A text that repeats itself is compared at each of its lines to the end of the wanted ones. */
const MOST_COMPARED = 100_000_000;

interface WantedLines {
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** The line end behind the last line goes too. */
  readonly takesBreak: boolean;
}

function wantedLines({ oldText, newText }: Replacement): WantedLines {
  if (!oldText.endsWith("\n")) return { old: oldText.split("\n"), new: newText.split("\n"), takesBreak: false };
  const takesBreak = !newText.endsWith("\n");
  return {
    old: oldText.slice(0, -1).split("\n"),
    new: (takesBreak ? newText : newText.slice(0, -1)).split("\n"),
    takesBreak,
  };
}

function startsOf(lines: readonly string[]): readonly number[] {
  let place = 0;
  return lines.map((line) => {
    const start = place;
    place += line.length + 1;
    return start;
  });
}

/** Lines that the replacement leaves as they were stay as the file has them; the others take its way of indenting. */
function instead(there: readonly string[], wanted: WantedLines, indent: Indent): readonly string[] {
  const { head, tail } = alike(wanted.old, wanted.new);
  return wanted.new.map((line, at) => {
    const fromEnd = wanted.new.length - at;
    if (at < head) return there[at] ?? line;
    if (fromEnd <= tail) return there[there.length - fromEnd] ?? line;
    return indented(line, indent);
  });
}

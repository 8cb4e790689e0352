/** A text that may have a name and what is said of it in two columns: what does not fit goes on in its own column. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { type Margins, shownText, wrapped } from "./wrapped.ts";

export function inColumns(text: string, margins: Pick<Margins, "width" | "ink">): readonly string[] {
  return text.split("\n").flatMap((line) => rowsOf(shownText(line), margins));
}

function rowsOf(line: string, margins: Pick<Margins, "width" | "ink">): readonly string[] {
  const { width, ink = (row) => row } = margins;
  const [, name, gap, said] = COLUMNS.exec(line.slice(0, LONGEST)) ?? [];
  if (!name || !gap || !said || visibleWidth(line) <= width - 2) return wrapped(line, margins);
  const column = 2 + visibleWidth(name + gap);
  if (column <= width / 2)
    return wrapped(said, { ...margins, mark: ink(`  ${name}${gap}`), indent: " ".repeat(column) });
  return [...wrapped(name, margins), ...wrapped(said, { ...margins, indent: " ".repeat(6) })];
}

/** A line that is set in, since all else may be a text of many gaps. */
const COLUMNS = /^( {2}\S+(?: \S+)*)( {2,})(\S.*)$/;
/** What is longer has no columns. */
const LONGEST = 1_000;

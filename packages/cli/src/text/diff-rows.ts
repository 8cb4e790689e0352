/** Reads a unified diff as numbered rows, for the screen and for exported pages. */

export interface DiffRow {
  /** The line number: in the old file for a removed line, otherwise in the new file. Null for the row between two hunks. */
  readonly number: number | null;
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

export function parseDiff(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldLine, newLine] = [0, 0];
  for (const line of diff.trimEnd().split("\n")) {
    const hunk = HUNK_HEADER.exec(line);
    if (hunk) {
      if (rows.length > 0) rows.push({ number: null, sign: " ", text: "" });
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
    } else if (oldLine === 0 && newLine === 0) continue;
    else if (line.startsWith("-")) rows.push({ number: oldLine++, sign: "-", text: line.slice(1) });
    else if (line.startsWith("+")) rows.push({ number: newLine++, sign: "+", text: line.slice(1) });
    else if (line.startsWith("\\")) continue;
    else {
      rows.push({ number: newLine++, sign: " ", text: line.slice(1) });
      oldLine++;
    }
  }
  return rows;
}

const HUNK_HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Returns e.g. `+3 −1`. */
export function formatChangeCount(diff: string): string {
  const rows = parseDiff(diff);
  const count = (sign: DiffRow["sign"]): number => rows.filter((row) => row.sign === sign).length;
  return `+${count("+")} −${count("-")}`;
}

/**
 * Highlights each side of the diff as one text, because the color of a line depends on earlier lines. Rows are missing in the result if
 * `highlight` returns null.
 */
export function highlightRows(
  rows: readonly DiffRow[],
  highlight: (code: string) => readonly string[] | null,
): ReadonlyMap<DiffRow, string> {
  const highlightSide = (skipped: DiffRow["sign"]): readonly (readonly [DiffRow, string])[] => {
    const sideRows = rows.filter(({ sign }) => sign !== skipped);
    const lines = highlight(sideRows.map(({ text }) => text).join("\n"));
    return lines ? sideRows.map((row, index) => [row, lines[index] ?? ""] as const) : [];
  };
  // An unchanged line is on both sides; the new side wins.
  return new Map([...highlightSide("+"), ...highlightSide("-")]);
}

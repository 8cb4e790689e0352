/** Renders a diff for an exported page: line numbers, signs and the syntax colors of the changed file. All text is escaped. */

import { type DiffRow, highlightRows, parseDiff } from "../text/diff-rows.ts";
import { highlightToHtml } from "../text/highlight-code.ts";
import { escapeHtml, MAX_HIGHLIGHT_CHARS, renderCode } from "./markdown-html.ts";

/** A diff without hunks is shown as it is. */
export function renderDiffHtml(diff: string, language: string): string {
  const rows = parseDiff(diff);
  if (rows.length === 0) return renderCode(diff, "diff");
  const highlighted = highlightRows(rows, (code) => highlightLines(code, language));
  const digits = Math.max(...rows.map(({ number }) => `${number ?? ""}`.length));
  const lines = rows.map((row) => renderRow(row, highlighted.get(row) ?? escapeHtml(row.text), digits));
  return `<pre class="diff"><code>${lines.join("")}</code></pre>`;
}

/** The number and the sign are not part of the code: they are not selected with it. */
function renderRow({ number, sign }: DiffRow, html: string, digits: number): string {
  if (number === null) return `<span class="row"><span class="gutter">${"⋮".padStart(digits)}</span></span>`;
  const gutter = `<span class="gutter">${`${number}`.padStart(digits)} ${sign} </span>`;
  return `<span class="row${ROW_CLASSES[sign]}">${gutter}${html}</span>`;
}

const ROW_CLASSES: Readonly<Record<DiffRow["sign"], string>> = { "+": " added", "-": " removed", " ": "" };

/** Null if the language is unknown. A span that covers several lines is closed at the end of each and opened again. */
function highlightLines(code: string, language: string): readonly string[] | null {
  const html = code.length > MAX_HIGHLIGHT_CHARS ? null : highlightToHtml(code, language);
  if (html === null) return null;
  const openTags: string[] = [];
  const lines: string[] = [""];
  const append = (text: string): void => {
    lines[lines.length - 1] += text;
  };
  for (const [piece] of html.matchAll(/<[^>]*>|\n|[^<\n]+/g)) {
    if (piece === "\n") {
      append("</span>".repeat(openTags.length));
      lines.push(openTags.join(""));
      continue;
    }
    if (piece === "</span>") openTags.pop();
    else if (piece.startsWith("<")) openTags.push(piece);
    append(piece);
  }
  return lines;
}

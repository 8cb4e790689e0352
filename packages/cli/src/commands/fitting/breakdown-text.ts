/** What tools, files and single entries take of a context, as lines; the most of each. */

import { amount, counted } from "../../printing/amounts.ts";
import { shortId } from "../walking/short-id.ts";
import type { ContextReport } from "./context-report.ts";

export function breakdownText({ tools, files, biggest }: ContextReport): readonly string[] {
  return [
    ...table(
      "By tool",
      tools.map(({ tool, results, tokens }) => ({ name: tool, tokens, more: counted(results, "result") })),
    ),
    ...table(
      "By file",
      files.map(({ path, results, tokens }) => ({ name: path, tokens, more: counted(results, "result") })),
    ),
    ...table(
      "Biggest entries",
      biggest.map(({ id, kind, words, tokens, frees }) => ({
        name: `${shortId(id)} ${kind}: ${words}`,
        tokens,
        more: freed(frees),
      })),
    ),
  ];
}

interface Row {
  readonly name: string;
  readonly tokens: number;
  readonly more: string;
}

function table(title: string, rows: readonly Row[]): readonly string[] {
  const shown = rows.filter(({ tokens }) => tokens > 0).slice(0, MOST);
  if (shown.length === 0) return [];
  const names = shown.map(({ name }) => cut(name));
  const widest = Math.max(...names.map((name) => name.length));
  const line = ({ tokens, more }: Row, at: number): string =>
    `  ${(names[at] ?? "").padEnd(widest)} ${amount(tokens).padStart(9)}  ${more}`;
  return [title, ...shown.map(line)];
}

const MOST = 5;

/** Of a path its end tells most, of everything else its beginning. */
function cut(name: string): string {
  if (name.length <= WIDEST) return name;
  return name.includes(" ") ? `${name.slice(0, WIDEST - 1)}…` : `…${name.slice(1 - WIDEST)}`;
}

const WIDEST = 48;

/** What becomes free without it. */
export function freed({ compaction, moving }: ContextReport["biggest"][number]["frees"]): string {
  const moved = `moving before it frees ${amount(moving)}`;
  return compaction > 0 ? `a compaction frees it; ${moved}` : `a compaction keeps it; ${moved}`;
}

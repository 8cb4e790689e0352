/** The entry one is at, whole: what it is, and all its words as far as there is room. Pure. */

import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { type Entry, entryWords } from "@pith/context";
import type { Outline } from "../../../../commands/walking/outlining/outline.ts";
import { shortId } from "../../../../commands/walking/short-id.ts";
import { plain } from "../../../../printing/plain.ts";
import { drawBlock } from "../../../drawing/draw-block.ts";
import type { Theme } from "../../../drawing/theme.ts";
import { kindNames } from "../rows/sieve.ts";
import type { TreeRow } from "../rows/tree-rows.ts";
import type { TreeState } from "../tree/tree-state.ts";

export interface PreviewLook {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly now: number;
}

/** Always as many lines as it has room. */
export function drawPreview(row: TreeRow | undefined, state: TreeState, look: PreviewLook): readonly string[] {
  const { width, height, theme } = look;
  if (!row) return Array.from({ length: height }, () => "");
  const { outline, shown, shownFrom } = state;
  const words = shown?.id === row.id ? wholeOf(shown, look) : [];
  const from = Math.min(shownFrom, Math.max(0, words.length - (height - 2)));
  const seen = words.slice(from, from + height - 2);
  const rest = words.length - from - seen.length;
  const more = rest > 0 ? [...seen.slice(0, -1), theme.dim(`… ${rest + 1} more lines: space, shift+↑↓`)] : seen;
  const lines = [headOf(row, outline, theme), "", ...more].map((line) => truncateToWidth(line, width));
  return Array.from({ length: height }, (_, at) => lines[at] ?? "");
}

function headOf({ id, isOnWay }: TreeRow, { nodes, labels }: Outline, theme: Theme): string {
  const sketch = nodes.get(id);
  const label = labels.get(id);
  const facts = [
    ...(sketch ? [kindNames[sketch.kind]] : []),
    shortId(id),
    isOnWay ? "on the way" : "on another branch",
    ...(label === undefined ? [] : [`[${label}]`]),
  ];
  return theme.dim(plain(facts.join(" · ")));
}

function wholeOf(entry: Entry, look: PreviewLook): readonly string[] {
  const { width, theme, now } = look;
  const { text, isMarkdown } = textOf(entry);
  const bounded = text.slice(0, MOST_LETTERS);
  if (!isMarkdown) return wrapTextWithAnsi(plain(bounded).replaceAll("\t", "    "), width);
  const block = { kind: "answered", id: entry.id, text: bounded, isOpen: false, printed: 0 } as const;
  const lines = drawBlock(block, { width, theme, isUnfolded: true, now });
  return lines[0]?.trim() === "" ? lines.slice(1) : lines;
}

/** More than a screen ever shows, and little enough to be wrapped at every key. */
const MOST_LETTERS = 20_000;

function textOf(entry: Entry): { readonly text: string; readonly isMarkdown: boolean } {
  if (entry.type === "compaction" || entry.type === "branch_summary") return { text: entry.summary, isMarkdown: true };
  if (entry.type !== "message") return { text: entryWords(entry) || dataOf(entry), isMarkdown: false };
  const { message } = entry;
  if (message.role !== "assistant") return { text: entryWords(entry), isMarkdown: false };
  const calls = message.content.flatMap((part) =>
    part.type === "toolCall" ? [`→ ${part.name} ${JSON.stringify(part.arguments)}`] : [],
  );
  return { text: [entryWords(entry), ...calls].filter(Boolean).join("\n\n"), isMarkdown: calls.length === 0 };
}

function dataOf({ type, id: _, parentId: __, timestamp: ___, ...rest }: Entry): string {
  return `${type.replaceAll("_", " ")}\n${JSON.stringify(rest, null, 2)}`;
}

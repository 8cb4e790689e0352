/** Draws the preview of the selected tree entry: what it is, and its full text as far as there is room. */

import type { Entry } from "@pith/context";
import { entryText } from "@pith/context/host";
import { shortId } from "../../../../sessions/entries.ts";
import type { SketchKind } from "../../../../sessions/tree-outline.ts";
import { plain } from "../../../../text/safe-text.ts";
import { drawBlock } from "../../render/block.ts";
import type { Theme } from "../../render/theme.ts";
import { wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import { kindNames, rowAt, type TreeState } from "./state.ts";

export interface PreviewLook {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** What Enter does. */
  readonly enter: "go" | "fork";
}

/** Always as many lines as it has room. */
export function drawPreview(state: TreeState, look: PreviewLook): readonly string[] {
  const { height, theme } = look;
  const head = [...headOf(state, look), ""];
  const words = wordsOf(state, look);
  const from = Math.min(state.shownFrom, mostScrolled(state, look));
  const seen = words.slice(from, from + Math.max(0, height - head.length));
  const rest = words.length - from - seen.length;
  const more = rest > 0 ? [...seen.slice(0, -1), theme.dim(`… ${rest + 1} more lines · Space, Shift+↑↓`)] : seen;
  const lines = [...head, ...more];
  return Array.from({ length: height }, (_, at) => lines[at] ?? "");
}

/** Lines that can be scrolled away. */
export function mostScrolled(state: TreeState, look: PreviewLook): number {
  const room = look.height - headOf(state, look).length - 1;
  return Math.max(0, wordsOf(state, look).length - Math.max(1, room));
}

/** What it is, where it stands, and what Enter does. */
function headOf(state: TreeState, { width, theme, enter }: PreviewLook): readonly string[] {
  const { outline, layout, at } = state;
  const twig = rowAt(state)?.twig;
  if (!twig) return [];
  const { id, kind, isOnWay } = twig;
  const label = outline.labels.get(id);
  const isHere = layout.isHere && layout.end === at;
  const facts = [
    kindNames[kind],
    shortId(id),
    isHere ? "you stand here" : isOnWay ? "on the way" : "on another branch",
    ...(label === undefined ? [] : [`[${label}]`]),
    ...(enter === "fork" ? ["Enter: fork before it"] : isHere ? [] : [`Enter: ${goingTo(kind)}`]),
  ];
  return wrapTextWithAnsi(theme.dim(plain(facts.join(" · ")).replaceAll(/\s+/g, " ")), Math.max(1, width)).slice(0, 2);
}

/** What was said is said anew; behind everything else one goes on. */
function goingTo(kind: SketchKind): string {
  return SAID.includes(kind) ? "say it anew" : "go on behind it";
}

const SAID: readonly SketchKind[] = ["you", "program", "note"];

function wordsOf(state: TreeState, look: PreviewLook): readonly string[] {
  const { shown } = state;
  return shown && shown.id === rowAt(state)?.twig.id ? wholeOf(shown, look) : [];
}

/** Drawn once for a width: a page is drawn anew with every key, and with all that happens meanwhile. */
function wholeOf(entry: Entry, { width, theme }: PreviewLook): readonly string[] {
  const key = `${width} ${theme.name}`;
  const known = drawn.get(entry);
  if (known?.key === key) return known.lines;
  const { text, isMarkdown } = textOf(entry);
  const lines = linesOf(entry.id, { text: text.slice(0, MOST_LETTERS), isMarkdown }, { width, theme });
  // Inks of code may come a moment later.
  if (!text.includes("```")) drawn.set(entry, { key, lines });
  return lines;
}

const drawn = new WeakMap<Entry, { readonly key: string; readonly lines: readonly string[] }>();

function linesOf(id: string, { text, isMarkdown }: Told, { width, theme }: Pick<PreviewLook, "width" | "theme">) {
  if (!isMarkdown) return wrapTextWithAnsi(plain(text).replaceAll("\t", "    "), width);
  const block = { kind: "answered", id, text, isOpen: false, printed: 0 } as const;
  const lines = drawBlock(block, { width, theme, isUnfolded: true, now: 0 });
  return lines[0]?.trim() === "" ? lines.slice(1) : lines;
}

/** More than a screen ever shows, and little enough to be wrapped at every key. */
const MOST_LETTERS = 20_000;

interface Told {
  readonly text: string;
  readonly isMarkdown: boolean;
}

function textOf(entry: Entry): Told {
  if (entry.type === "compaction" || entry.type === "branch_summary") return { text: entry.summary, isMarkdown: true };
  if (entry.type !== "message") return { text: entryText(entry) || dataOf(entry), isMarkdown: false };
  const { message } = entry;
  if (message.role !== "assistant") return { text: entryText(entry), isMarkdown: false };
  const calls = message.content.flatMap((part) =>
    part.type === "toolCall" ? [`→ ${part.name} ${JSON.stringify(part.arguments)}`] : [],
  );
  return { text: [entryText(entry), ...calls].filter(Boolean).join("\n\n"), isMarkdown: calls.length === 0 };
}

function dataOf({ type, id: _, parentId: __, timestamp: ___, ...rest }: Entry): string {
  return `${type.replaceAll("_", " ")}\n${JSON.stringify(rest, null, 2)}`;
}

/** Defines the tree page's state and filters, and how the state changes as entries are read. */

import type { Entry } from "@pith/context";
import {
  emptyOutline,
  type Growth,
  grown,
  type Outline,
  relabelled,
  type SketchKind,
  type Twig,
} from "../../../../sessions/tree-outline.ts";
import { emptyLine, type LineInput } from "../widgets.ts";
import { type Layout, noRows, type TreeRow, treeRows } from "./rows.ts";

export interface Sieve {
  /** For people. */
  readonly name: string;
  readonly passes: (twig: Twig, outline: Outline) => boolean;
}

export const treeSieves: readonly Sieve[] = [
  { name: "talk and tools", passes: ({ kind }) => kind !== "other" && kind !== "calls" },
  { name: "no tools", passes: ({ kind }) => kind !== "other" && kind !== "calls" && kind !== "tool" },
  { name: "yours", passes: ({ kind }) => kind === "you" },
  { name: "labelled", passes: ({ id }, { labels }) => labels.has(id) },
  { name: "all", passes: () => true },
];

/** Messages that somebody could say anew. */
export const forkSieves: readonly Sieve[] = [
  { name: "this branch", passes: ({ kind, isOnWay }) => kind === "you" && isOnWay },
  { name: "every branch", passes: ({ kind }) => kind === "you" },
];

/** What is named by somebody is never hidden by its kind alone. */
export function passing(sieve: Sieve, query: string, outline: Outline): (twig: Twig) => boolean {
  const { labels } = outline;
  const keepsLabels = sieve.name === "talk and tools";
  const isFound = finding(query, outline);
  return (twig) => (sieve.passes(twig, outline) || (keepsLabels && labels.has(twig.id))) && isFound(twig);
}

/** Every word of the query, in what is shown or in the label; in whatever case. */
function finding(query: string, { labels }: Outline): (twig: Twig) => boolean {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const isNamed = (id: string, word: string) => labels.get(id)?.toLowerCase().includes(word) ?? false;
  return ({ id, sought }) => {
    for (const word of wanted) if (!sought.includes(word) && !isNamed(id, word)) return false;
    return true;
  };
}

/** The names that a row may bear, as wide as the widest. */
export const kindNames: Readonly<Record<SketchKind, string>> = {
  you: "you",
  program: "program",
  reply: "reply",
  calls: "calls",
  tool: "tool",
  shell: "shell",
  compaction: "compaction",
  left: "summary",
  pin: "pin",
  draft: "draft",
  note: "note",
  lost: "lost",
  other: "noted",
};

export interface TreeState {
  readonly outline: Outline;
  readonly sieves: readonly Sieve[];
  /** Which of them is used. */
  readonly sieve: number;
  readonly folded: ReadonlySet<string>;
  readonly query: LineInput;
  readonly label: LineInput;
  /** What keys are for. */
  readonly mode: "walking" | "searching" | "labelling";
  /** All that is shown, as it follows from the above. */
  readonly layout: Layout;
  /** How many there are, whatever part of them is shown. */
  readonly branches: number;
  /** The row one is at. */
  readonly at: number;
  /** The entry one is at, whole, once it was read. */
  readonly shown: Entry | null;
  /** Lines of it that were scrolled away. */
  readonly shownFrom: number;
  /** The entry to be at once it is shown: where one stands, until somebody walks. */
  readonly wanted: string | null;
  /** What went wrong, for people. */
  readonly trouble: string | null;
}

export interface TreeStart extends Pick<Outline, "leaf"> {
  readonly sieves: readonly Sieve[];
  /** The page as it was left a moment ago: one comes back to it. */
  readonly before?: TreeState;
}

/** What was read is not read again, unless something was written since. */
export function treeStart({ sieves, before, leaf }: TreeStart): TreeState {
  const { sieve = 0, folded = new Set<string>(), query = emptyLine } = before ?? {};
  const typing = { query, label: emptyLine, mode: "walking" as const };
  const shown = { layout: noRows, branches: before?.branches ?? 1, at: 0, shown: null, shownFrom: 0, trouble: null };
  const at = before && rowAt(before)?.twig.id;
  const state = { outline: emptyOutline(leaf), sieves, sieve, folded, ...typing, ...shown, wanted: at ?? "" };
  return before && isStill(before, leaf) ? laid(state, { outline: before.outline }) : state;
}

/** Whether nothing more is to be read of it. */
export function isStill({ outline }: TreeState, leaf: string | null): boolean {
  return outline.reach !== "growing" && outline.leaf === leaf;
}

export function rowAt({ layout, at }: Pick<TreeState, "layout" | "at">): TreeRow | undefined {
  return layout.rows[at];
}

/** More of the session was read. Rows are laid anew when there is half as much again: each time all of them are. */
export function withGrowth(state: TreeState, growth: Growth): TreeState {
  const outline = grown(state.outline, growth);
  const isMore = outline.nodes.size > state.layout.places.length * 1.5;
  if (!isMore && growth.reach === "growing" && !growth.labels) return { ...state, outline };
  return laid(state, { outline });
}

export function withLabel(state: TreeState, id: string, label: string): TreeState {
  return laid(state, { outline: relabelled(state.outline, id, label) });
}

/** Whatever changes what is shown: one stays at the same entry, or at the nearest before it that is still shown. */
export function laid(
  state: TreeState,
  change: Partial<Pick<TreeState, "outline" | "sieve" | "folded" | "query">>,
): TreeState {
  const next = { ...state, ...change };
  const { outline, sieves, sieve, folded, query } = next;
  const [first] = sieves;
  const used = sieves[sieve] ?? first;
  if (!used) return next;
  const layout = treeRows(outline, { passes: passing(used, query.text, outline), folded });
  const isAll = sieve === 0 && query.text === "" && folded.size === 0;
  const branches = isAll ? layout.branches : state.branches;
  return { ...next, layout, branches, at: placeIn(layout, state, outline) };
}

function placeIn({ rows, end, places }: Layout, state: TreeState, { nodes }: Outline): number {
  const beginning = end === -1 ? Math.max(0, rows.length - 1) : end;
  const from = state.wanted ?? rowAt(state)?.twig.id;
  for (let twig = nodes.get(from ?? ""); twig; twig = nodes.get(twig.parentId ?? "")) {
    const place = places[twig.number] ?? 0;
    if (place > 0) return place - 1;
    // What is wanted may still come; until then one is where one stands.
    if (state.wanted !== null) return beginning;
  }
  return beginning;
}

/** At another row, as near as there is one. */
export function walkedTo(state: TreeState, wanted: number): TreeState {
  const at = Math.max(0, Math.min(wanted, state.layout.rows.length - 1));
  return { ...state, at, wanted: null, shownFrom: at === state.at ? state.shownFrom : 0, trouble: null };
}

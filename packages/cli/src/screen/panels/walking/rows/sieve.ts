/** Which entries a tree shows: by kind, by label, by the words one looks for. Pure. */

import { type Outline, wordsIn } from "../../../../commands/walking/outlining/outline.ts";
import type { Sketch, SketchKind } from "../../../../commands/walking/outlining/sketch.ts";

export interface Sieve {
  /** For people. */
  readonly name: string;
  readonly passes: (sketch: Sketch, outline: Outline) => boolean;
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
  { name: "this branch", passes: ({ id, kind }, { way }) => kind === "you" && way.has(id) },
  { name: "every branch", passes: ({ kind }) => kind === "you" },
];

/** What is named by somebody is never hidden by its kind alone. */
export function passing(sieve: Sieve, query: string, outline: Outline): (sketch: Sketch) => boolean {
  const isLabelled = (id: string) => sieve.name === "talk and tools" && outline.labels.has(id);
  const isFound = finding(query, outline);
  return (sketch) => (sieve.passes(sketch, outline) || isLabelled(sketch.id)) && isFound(sketch);
}

/** Every word of the query, in what is shown or in the label; in whatever case. */
function finding(query: string, outline: Outline): (sketch: Sketch) => boolean {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return () => true;
  return (sketch) => {
    const label = outline.labels.get(sketch.id);
    const text = label === undefined ? sought(sketch, outline) : `${sought(sketch, outline)} ${label.toLowerCase()}`;
    return wanted.every((word) => text.includes(word));
  };
}

function sought(sketch: Sketch, outline: Outline): string {
  const known = texts.get(sketch);
  if (known !== undefined) return known;
  const text = wordsIn(outline, sketch).toLowerCase();
  texts.set(sketch, text);
  return text;
}

/** What was looked through once: a search is asked again with every letter. */
const texts = new WeakMap<Sketch, string>();

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

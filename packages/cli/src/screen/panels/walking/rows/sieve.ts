/** Which entries a tree shows: by kind, by label, by the words one looks for. Pure. */

import type { Outline, Twig } from "../../../../commands/walking/outlining/outline.ts";
import type { SketchKind } from "../../../../commands/walking/outlining/sketch-kind.ts";

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

/** A session's tree as far as it was read: who follows whom, and what each is in a few words. It only ever grows. */

import type { Sketch } from "./sketch.ts";

export interface Outline {
  readonly nodes: ReadonlyMap<string, Sketch>;
  /** In the order in which they were written; null has the roots. */
  readonly children: ReadonlyMap<string | null, readonly string[]>;
  /** Calls of tools in a few words, by their ids. */
  readonly calls: ReadonlyMap<string, string>;
  /** What is read begins with it, as long as the roots are not. */
  readonly top: string | null;
  /** Where one stands; null before the first entry. */
  readonly leaf: string | null;
  /** All from the first that was read to where one stands. */
  readonly way: ReadonlySet<string>;
  readonly labels: ReadonlyMap<string, string>;
  /** Whether all of the session is in it, more is coming, or it is too long for that. */
  readonly reach: "whole" | "growing" | "cut";
}

/** Entries that follow one another: what was known of its children makes room. */
export interface Family {
  readonly parentId: string | null;
  readonly children: readonly Sketch[];
}

export interface Growth extends Pick<Outline, "top" | "reach"> {
  readonly families: readonly Family[];
  /** Where they were read just now. */
  readonly labels?: Outline["labels"];
}

export function emptyOutline(leaf: string | null): Outline {
  const registers: Registers = { nodes: new Map(), children: new Map(), calls: new Map(), way: new Set() };
  return { ...registers, top: null, leaf, labels: new Map(), reach: "growing" };
}

/** What an outline is kept in. */
interface Registers {
  readonly nodes: Map<string, Sketch>;
  readonly children: Map<string | null, readonly string[]>;
  readonly calls: Map<string, string>;
  readonly way: Set<string>;
}

/** The next outline has the registers of the one before, with more in them: a copy of a hundred thousand would be felt. */
export function grown(outline: Outline, { families, ...told }: Growth): Outline {
  const { nodes, children, calls, way } = outline as Outline & Registers;
  for (const family of families) {
    children.set(
      family.parentId,
      family.children.map(({ id }) => id),
    );
    for (const sketch of family.children) {
      nodes.set(sketch.id, sketch);
      for (const [id, words] of sketch.calls ?? []) calls.set(id, words);
    }
  }
  const known = outline.top === null ? outline.leaf : (nodes.get(outline.top)?.parentId ?? null);
  for (let id = known; id !== null && nodes.has(id) && !way.has(id); id = nodes.get(id)?.parentId ?? null) way.add(id);
  return { ...outline, ...told };
}

/** Those that what is read begins with. */
export function rootsOf({ children, top }: Outline): readonly string[] {
  return children.get(null) ?? (top === null ? [] : [top]);
}

/** With another name for an entry; an empty one takes it away. */
export function relabelled(outline: Outline, id: string, label: string): Outline {
  const labels = new Map(outline.labels);
  if (label === "") labels.delete(id);
  else labels.set(id, label);
  return { ...outline, labels };
}

/** What is shown of it in one line. */
export function wordsIn({ calls }: Outline, { kind, words, callId, isFailed }: Sketch): string {
  const call = callId === undefined ? undefined : calls.get(callId);
  if (kind !== "tool" || call === undefined) return words;
  return isFailed ? `${call}: ${words.slice(words.indexOf(" ") + 1)}` : call;
}

/** All lines of a session in memory, as the tree that they mean. */

import type { BranchSummaryEntry, Entry } from "../entry.ts";
import type { Line } from "./codec/placed-lines.ts";
import { known, type Lines } from "./lines.ts";
import { ancestry, branchSummaries, commonAncestor, type GrowingTree, grow, labels, treeOf } from "./tree.ts";
import { type Window, windowAt } from "./window.ts";

export class HeldLines implements Lines {
  readonly #tree: GrowingTree;
  readonly #texts: Map<string, () => string | null>;
  #leaf: string | null;
  #name: string | undefined;

  constructor(lines: readonly Line[]) {
    this.#tree = treeOf(lines.map((line) => line.entry));
    this.#texts = new Map(lines.map((line) => [line.entry.id, line.text]));
    this.#leaf = lines.findLast((line) => line.entry.type !== "gap")?.entry.id ?? null;
    for (const { entry } of lines) this.#rename(entry);
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  get count(): number {
    return this.#tree.entries.size;
  }

  /** In file order, beginning with the one that has so many before it. */
  entriesFrom(at: number): readonly Entry[] {
    return [...this.#tree.entries.values()].slice(at);
  }

  take(entry: Entry, text: string): void {
    grow(this.#tree, entry);
    this.#texts.set(entry.id, () => text);
    this.#leaf = entry.id;
    this.#rename(entry);
  }

  has(id: string): boolean {
    return this.#tree.entries.has(id);
  }

  entry(id: string): Entry | undefined {
    return this.#tree.entries.get(id);
  }

  text(id: string): string | undefined {
    return this.#tree.entries.get(id)?.type === "gap" ? undefined : (this.#texts.get(id)?.() ?? undefined);
  }

  children(id: string | null): readonly Entry[] {
    return this.#tree.children.get(id) ?? [];
  }

  ancestry(leaf: string | null): Iterable<Entry> {
    return ancestry(this.#tree, known(this, leaf));
  }

  window(leaf: string | null): Window {
    return windowAt(this.ancestry(leaf));
  }

  commonAncestor(one: string | null, other: string | null): string | null {
    return commonAncestor(this.#tree, known(this, one), known(this, other));
  }

  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[] {
    return branchSummaries(this.#tree.entries.values(), fromIds);
  }

  labels(): ReadonlyMap<string, string> {
    return labels(this.#tree.entries.values());
  }

  name(): string | undefined {
    return this.#name;
  }

  #rename(entry: Entry): void {
    if (entry.type === "session_info") this.#name = entry.name?.trim() || undefined;
  }
}

/** What every store of lines answers alike, and what each must ask before it writes. Where the lines are kept is its own. */

import type { BranchSummaryEntry, Entry, Header } from "../entry.ts";
import { type FormatLimits, formatLimits } from "../limits.ts";
import { checkBatch } from "./check-batch.ts";
import { entryText } from "./codec/line/write-line.ts";
import type { Lines } from "./lines.ts";
import type { Appended, Fence, Store } from "./store.ts";
import type { Window } from "./window.ts";

export abstract class LineStore implements Store {
  abstract readonly header: Header;
  abstract append(batch: readonly Entry[], fence: Fence): Promise<Appended>;
  /** The lines, once every question about them can be answered. */
  protected abstract lines(): Promise<Lines>;

  async leaf(): Promise<string | null> {
    return (await this.lines()).leaf;
  }

  async window(leaf: string | null): Promise<Window> {
    return (await this.lines()).window(leaf);
  }

  async entry(id: string): Promise<Entry | undefined> {
    return (await this.lines()).entry(id);
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    return (await this.lines()).children(id);
  }

  async branch(leaf: string | null): Promise<readonly Entry[]> {
    return [...(await this.lines()).ancestry(leaf)].reverse();
  }

  async commonAncestor(one: string | null, other: string | null): Promise<string | null> {
    return (await this.lines()).commonAncestor(one, other);
  }

  async branchSummaries(fromIds: ReadonlySet<string>): Promise<readonly BranchSummaryEntry[]> {
    return (await this.lines()).branchSummaries(fromIds);
  }

  async labels(): Promise<ReadonlyMap<string, string>> {
    return (await this.lines()).labels();
  }

  async name(): Promise<string | undefined> {
    return (await this.lines()).name();
  }

  async line(id: string): Promise<string | undefined> {
    return (await this.lines()).text(id);
  }
}

/** What to do about a batch: write these texts, or nothing, because it is here already or its writer has not seen the leaf. */
export type Verdict = Appended | { readonly type: "to-write"; readonly texts: readonly string[] };

/** Throws for a batch that no caller may ask for. */
export function verdict(
  lines: Lines,
  batch: readonly Entry[],
  { expectedLeaf }: Fence,
  limits: FormatLimits = formatLimits,
): Verdict {
  const texts = batch.map((entry) => entryText(entry, limits));
  const { leaf } = lines;
  if (batch.every((entry, at) => lines.has(entry.id) && lines.text(entry.id) === texts[at]))
    return { type: "appended", leaf };
  if (expectedLeaf !== leaf) return { type: "leaf-moved", leaf };
  checkBatch(batch, { above: () => lines.ancestry(batch[0]?.parentId ?? null), has: (id) => lines.has(id) });
  return { type: "to-write", texts };
}

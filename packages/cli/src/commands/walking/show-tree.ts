/** `/tree` without a target: the tree as text, its newest part where it is long. */

import { mistake } from "../../asking/mistake.ts";
import { told } from "../answers.ts";
import type { Answer, Desk } from "../command.ts";
import { drawTree, type TreeLine } from "./draw-tree.ts";
import { findEntry } from "./find-entry.ts";
import { shortId } from "./short-id.ts";
import { treePart } from "./tree-part.ts";

/** `from`: the part that leads to this entry, instead of to where one stands. */
export async function showTree({ agent: { session } }: Desk, from?: string): Promise<Answer> {
  const { store, leaf } = session;
  const found = from === undefined ? null : await findEntry(from, session);
  if (found?.type === "mistake") return mistake(found.message);
  const part = await treePart(found ? { end: found.entry.id, stopsThere: true } : { end: leaf }, store);
  const lines = drawTree(part, { labels: await store.labels(), leaf });
  if (lines.length === 0) return told("nothing was said yet", { leaf, entries: [] });
  const shown = lines.slice(-MOST_LINES);
  const earlier = earlierThan(lines.slice(0, -MOST_LINES), part.before);
  const more = earlier === null ? [] : [`… what lies before: /tree --from ${shortId(earlier)}`];
  return told([...more, ...shown.map(({ text }) => text)].join("\n"), { leaf, entries: shown.map(asData), earlier });
}

const MOST_LINES = 150;

/** What to ask for next; null where all is shown. */
function earlierThan(cut: readonly TreeLine[], before: string | null): string | null {
  const last = cut.findLast(({ isOnBranch }) => isOnBranch) ?? cut.at(-1);
  return last?.id ?? before;
}

function asData({ text: _, ...line }: TreeLine): object {
  return line;
}

/** Writes one branch of a session as a new file: lines as they were, except around labels, which are collected at the end. */

import type { Entry } from "../entry.ts";
import { withMembers } from "../format/edit-json.ts";
import { entryText } from "../format/entry-line.ts";
import { numberedText } from "../format/entry-number.ts";
import { encodeSession, newHeader } from "../format/session-file.ts";
import type { Ports } from "../runtime.ts";
import type { Store } from "./store.ts";

export interface ForkPlan {
  /** The end of the branch to take; where we stand, if not said. */
  readonly leaf?: string | null;
  readonly cwd?: string;
  /** What the new header names as its origin: the path of the file. */
  readonly parentSession?: string;
}

export async function forked(
  store: Store,
  plan: ForkPlan & { readonly leaf: string | null },
  ports: Ports,
): Promise<Uint8Array> {
  const branch = await store.branch(plan.leaf);
  const kept = branch.filter((entry) => entry.type !== "label");
  const behind = entriesBehindLabels(branch);
  const lines = await Promise.all(
    kept.map((entry, at) => rechained(store, entry, { behind, parentId: kept[at - 1]?.id ?? null })),
  );
  // NUM4: what stays behind keeps its numbers, so the new session goes on behind the last of them all.
  const lastNumber = await store.lastNumber();
  const named = await labelLines(store, kept, { lastNumber, ports });
  const { cwd = store.header.cwd, parentSession } = plan;
  const header = newHeader({ cwd, lastNumber, ...(parentSession !== undefined && { parentSession }) }, ports);
  return encodeSession([JSON.stringify(header), ...lines, ...named], ports.checksum);
}

async function rechained(
  store: Store,
  entry: Entry,
  { behind, parentId }: { behind: ReadonlyMap<string, string>; parentId: string | null },
): Promise<string> {
  const changes: Record<string, string> = {};
  if (entry.parentId !== parentId) changes.parentId = JSON.stringify(parentId);
  if (entry.type === "compaction") {
    const kept = behind.get(entry.firstKeptEntryId);
    if (kept !== undefined) changes.firstKeptEntryId = JSON.stringify(kept);
  }
  const text = (await store.line(entry.id)) ?? entryText(entry);
  return numberedText(Object.keys(changes).length === 0 ? text : withMembers(text, changes), entry.number);
}

// A compaction may have kept a label first, and labels do not come along: the entry behind it takes its place.
function entriesBehindLabels(branch: readonly Entry[]): ReadonlyMap<string, string> {
  const behind = new Map<string, string>();
  let next: string | null = null;
  for (const entry of branch.toReversed()) {
    if (entry.type !== "label") next = entry.id;
    else if (next !== null) behind.set(entry.id, next);
  }
  return behind;
}

async function labelLines(
  store: Store,
  kept: readonly Entry[],
  { lastNumber, ports }: { readonly lastNumber: number; readonly ports: Ports },
): Promise<readonly string[]> {
  const labels = await store.labels();
  const timestamp = new Date(ports.now()).toISOString();
  let parentId = kept.at(-1)?.id ?? null;
  return kept
    .filter((entry) => labels.has(entry.id))
    .map((entry, at) => {
      const id = ports.entryId();
      const text = JSON.stringify({
        type: "label",
        id,
        parentId,
        timestamp,
        number: lastNumber + at + 1,
        targetId: entry.id,
        label: labels.get(entry.id),
      });
      parentId = id;
      return text;
    });
}

/** Writes one branch of a session as a new session file. Lines stay as they are; labels are collected at the end. */

import type { Entry } from "../entry.ts";
import { setJsonMembers } from "../format/edit-json-text.ts";
import { serializeEntry, setEntryNumberInLine } from "../format/entry-line.ts";
import { createHeader, encodeSession } from "../format/session-file.ts";
import type { Runtime } from "../runtime.ts";
import type { Store } from "./store.ts";

/** Options for a fork. */
export interface ForkOptions {
  /** The end of the branch to fork; the current leaf by default. */
  readonly leaf?: string | null;
  /** The working directory of the new session; that of the old one by default. */
  readonly cwd?: string;
  /** The path of the forked file, for the new header. */
  readonly parentSession?: string;
}

/** Returns the bytes of a new session file that holds one branch of the store. */
export async function forkBranch(
  store: Store,
  options: ForkOptions & { readonly leaf: string | null },
  runtime: Runtime,
): Promise<Uint8Array> {
  const branch = await store.branchEntries(options.leaf);
  const entries = branch.filter((entry) => entry.type !== "label");
  const replacements = entriesAfterLabels(branch);
  const lines = await Promise.all(
    entries.map((entry, index) => relinkLine(store, entry, { replacements, parentId: entries[index - 1]?.id ?? null })),
  );
  // NUM4: numbers continue after the highest one of the original session, so no number refers to two entries.
  const lastNumber = await store.lastNumber();
  const labelTexts = await createLabelLines(store, entries, { lastNumber, runtime });
  const { cwd = store.header.cwd, parentSession } = options;
  const header = createHeader({ cwd, lastNumber, ...(parentSession !== undefined && { parentSession }) }, runtime);
  return encodeSession([JSON.stringify(header), ...lines, ...labelTexts], runtime.checksum);
}

async function relinkLine(
  store: Store,
  entry: Entry,
  { replacements, parentId }: { replacements: ReadonlyMap<string, string>; parentId: string | null },
): Promise<string> {
  const changes: Record<string, string> = {};
  if (entry.parentId !== parentId) changes.parentId = JSON.stringify(parentId);
  if (entry.type === "compaction") {
    const firstKeptId = replacements.get(entry.firstKeptEntryId);
    if (firstKeptId !== undefined) changes.firstKeptEntryId = JSON.stringify(firstKeptId);
  }
  const text = (await store.line(entry.id)) ?? serializeEntry(entry);
  return setEntryNumberInLine(Object.keys(changes).length === 0 ? text : setJsonMembers(text, changes), entry.number);
}

// FORK2: the first entry that a compaction keeps may be a label. Labels are not copied, so the next entry replaces it.
function entriesAfterLabels(branch: readonly Entry[]): ReadonlyMap<string, string> {
  const replacements = new Map<string, string>();
  let next: string | null = null;
  for (const entry of branch.toReversed()) {
    if (entry.type !== "label") next = entry.id;
    else if (next !== null) replacements.set(entry.id, next);
  }
  return replacements;
}

async function createLabelLines(
  store: Store,
  entries: readonly Entry[],
  { lastNumber, runtime }: { readonly lastNumber: number; readonly runtime: Runtime },
): Promise<readonly string[]> {
  const labels = await store.labels();
  const timestamp = new Date(runtime.now()).toISOString();
  let parentId = entries.at(-1)?.id ?? null;
  return entries
    .filter((entry) => labels.has(entry.id))
    .map((entry, index) => {
      const id = runtime.entryId();
      const text = JSON.stringify({
        type: "label",
        id,
        parentId,
        timestamp,
        number: lastNumber + index + 1,
        targetId: entry.id,
        label: labels.get(entry.id),
      });
      parentId = id;
      return text;
    });
}

/** Reads what a file contains after a crash: through the store, from its end and its index, and by decoding every line. */

import { readFileSync } from "node:fs";
import type { Entry } from "../../../src/entry.ts";
import { decodeSession } from "../../../src/format/session-file.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { formatLimits } from "../../../src/settings.ts";

export interface EntryPlace {
  readonly id: string;
  readonly parentId: string | null;
}

export interface FileContents {
  /** Every entry, in file order. */
  readonly entries: readonly EntryPlace[];
  /** The ids from the root to the leaf, from the index. */
  readonly branch: readonly string[];
  /** The same, from the end of the file; the files of these tests have no compaction. */
  readonly window: readonly string[];
  readonly damage: readonly string[];
  /** Where the intact part ends; the bytes after it are torn. */
  readonly end: number;
}

export async function readContents(path: string): Promise<FileContents> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") throw new Error(`${path} does not open: ${JSON.stringify(opened)}`);
  const { store } = opened;
  const session = await Session.open(store, nodeRuntime);
  const branch = await store.branchEntries(await store.leaf());
  await store.close();
  const whole = decodeSession(readFileSync(path), { checksum: nodeRuntime.checksum, limits: formatLimits });
  return {
    entries: whole.lines.map(({ entry }) => place(entry)),
    branch: ids(branch),
    window: ids(session.branch.entries),
    damage: [...new Set([...store.damage, ...whole.damage].map(({ kind }) => kind))],
    end: whole.end,
  };
}

/** Lists the faults. `extras` are the possible sizes of a batch that was written but not acknowledged. */
export function findFaults(
  found: FileContents,
  known: readonly EntryPlace[],
  extras: readonly number[],
): readonly string[] {
  const { entries } = found;
  const extra = entries.length - known.length;
  const branch = JSON.stringify(branchOf(entries));
  return [
    ...findLost(found, known).map(({ id }) => `acknowledged entry ${id} is lost`),
    ...(isSame(entries.slice(0, known.length), known) ? [] : ["the entries are not in the order they were written in"]),
    ...(extras.includes(extra) ? [] : [`${extra} entries that nobody was told of, not one of ${extras}`]),
    ...(JSON.stringify(found.branch) === branch ? [] : ["the branch is not what its parents say"]),
    ...(JSON.stringify(found.window) === branch ? [] : ["the end of the file tells another branch"]),
    ...found.damage.filter((kind) => !TORN.includes(kind)).map((kind) => `damage that no kill leaves: ${kind}`),
  ];
}

export function findLost({ entries }: FileContents, known: readonly EntryPlace[]): readonly EntryPlace[] {
  const parents = new Map(entries.map(({ id, parentId }) => [id, parentId]));
  return known.filter(({ id, parentId }) => parents.get(id) !== parentId);
}

export const emptyContents: FileContents = { entries: [], branch: [], window: [], damage: [], end: 0 };

/** The damage that a kill may leave at the end of a file. */
const TORN: readonly string[] = ["torn-tail", "torn-batch", "nul-bytes"];

function branchOf(entries: readonly EntryPlace[]): readonly string[] {
  const parents = new Map(entries.map(({ id, parentId }) => [id, parentId]));
  const branch: string[] = [];
  for (let id = entries.at(-1)?.id ?? null; id !== null; id = parents.get(id) ?? null) branch.push(id);
  return branch.reverse();
}

function isSame(one: readonly EntryPlace[], other: readonly EntryPlace[]): boolean {
  return one.every(({ id, parentId }, at) => id === other[at]?.id && parentId === other[at]?.parentId);
}

function place({ id, parentId }: Entry): EntryPlace {
  return { id, parentId };
}

function ids(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ id }) => id);
}

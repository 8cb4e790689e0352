/** What a file holds when it is opened anew: by the store from its end and through its index, and by the codec line by line. */

import { readFileSync } from "node:fs";
import type { Entry } from "../../../src/entry.ts";
import { decodeSession } from "../../../src/format/session-file.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { formatLimits } from "../../../src/settings.ts";

export interface Known {
  readonly id: string;
  readonly parentId: string | null;
}

export interface Reading {
  /** Every entry, in file order. */
  readonly entries: readonly Known[];
  /** The ids from the root to the leaf, as the index tells them. */
  readonly branch: readonly string[];
  /** The same, as the end of the file tells them; the files of these tests hold no compaction. */
  readonly window: readonly string[];
  readonly damage: readonly string[];
  /** How many bytes count; what follows was torn. */
  readonly end: number;
}

export async function readingOf(path: string): Promise<Reading> {
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

/** All that is wrong with what was found; `extras` are the sizes that an act may have which nobody heard the end of. */
export function wrongIn(found: Reading, known: readonly Known[], extras: readonly number[]): readonly string[] {
  const { entries } = found;
  const extra = entries.length - known.length;
  const branch = JSON.stringify(branchOf(entries));
  return [
    ...lostFrom(found, known).map(({ id }) => `acknowledged entry ${id} is lost`),
    ...(isSame(entries.slice(0, known.length), known) ? [] : ["the entries are not in the order they were written in"]),
    ...(extras.includes(extra) ? [] : [`${extra} entries that nobody was told of, not one of ${extras}`]),
    ...(JSON.stringify(found.branch) === branch ? [] : ["the branch is not what its parents say"]),
    ...(JSON.stringify(found.window) === branch ? [] : ["the end of the file tells another branch"]),
    ...found.damage.filter((kind) => !TORN.includes(kind)).map((kind) => `damage that no kill leaves: ${kind}`),
  ];
}

export function lostFrom({ entries }: Reading, known: readonly Known[]): readonly Known[] {
  const parents = new Map(entries.map(({ id, parentId }) => [id, parentId]));
  return known.filter(({ id, parentId }) => parents.get(id) !== parentId);
}

export const nothingRead: Reading = { entries: [], branch: [], window: [], damage: [], end: 0 };

/** What a kill may leave at the end of a file. */
const TORN: readonly string[] = ["torn-tail", "torn-batch", "nul-bytes"];

function branchOf(entries: readonly Known[]): readonly string[] {
  const parents = new Map(entries.map(({ id, parentId }) => [id, parentId]));
  const branch: string[] = [];
  for (let id = entries.at(-1)?.id ?? null; id !== null; id = parents.get(id) ?? null) branch.push(id);
  return branch.reverse();
}

function isSame(one: readonly Known[], other: readonly Known[]): boolean {
  return one.every(({ id, parentId }, at) => id === other[at]?.id && parentId === other[at]?.parentId);
}

function place({ id, parentId }: Entry): Known {
  return { id, parentId };
}

function ids(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ id }) => id);
}

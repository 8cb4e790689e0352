/** Collects all data of a store, so that two stores of the same session can be compared. */

import { buildSessionContext } from "../../../src/context/build-context.ts";
import type { Entry } from "../../../src/entry.ts";
import type { Damage } from "../../../src/format/damage.ts";
import type { Store } from "../../../src/session/store.ts";

export interface StoreContents {
  /** Asked first, before the store has had reason to look at every line. No member: whoever wants to compares it. */
  readonly atOnce: { readonly leaf: string | null; readonly messages: unknown };
  readonly leaf: string | null;
  /** Each with its children, in file order. */
  readonly tree: readonly unknown[];
  readonly entries: readonly Entry[];
  readonly contexts: Readonly<Record<string, unknown>>;
  /** Of all but gaps. */
  readonly lines: readonly (string | false | undefined)[];
  readonly labels: unknown;
  readonly name: string | undefined;
}

export async function readEverything(store: Store): Promise<StoreContents> {
  const first = await store.leaf();
  const context = buildSessionContext(await store.loadBranch(first));
  const { tree, entries } = await readTree(store);
  const contexts: Record<string, unknown> = {};
  for (const { id } of entries) contexts[id] = buildSessionContext(await store.loadBranch(id));
  const found = {
    leaf: await store.leaf(),
    tree,
    entries,
    contexts,
    lines: await Promise.all(entries.map(({ id, type }) => type !== "gap" && store.line(id))),
    labels: [...(await store.labels())],
    name: await store.name(),
  };
  const atOnce = { leaf: first, messages: context.messages };
  return Object.defineProperty({ ...found, atOnce }, "atOnce", { enumerable: false });
}

export function damageText(damage: readonly Damage[]): string {
  return damage.map(({ kind, line }) => `${kind}@${line}`).join(" ");
}

// Without recursion: a chain may be deeper than the stack.
async function readTree(store: Store): Promise<{ tree: readonly string[]; entries: readonly Entry[] }> {
  const entries: Entry[] = [];
  const tree: string[] = [];
  const ahead: Entry[] = [...(await store.children(null))].reverse();
  for (let entry = ahead.pop(); entry; entry = ahead.pop()) {
    if (entries.length > 100_000) throw new Error("the tree does not end");
    entries.push(entry);
    tree.push(`${entry.parentId} > ${entry.id}`);
    ahead.push(...[...(await store.children(entry.id))].reverse());
  }
  return { tree, entries };
}

/** A branch as somebody reads it: who said or did what, in order, without secrets and without what only machines need. */

import type { Redaction, Store } from "@pith/context";
import { readBlob } from "@pith/context/node";
import type { Mistake } from "../asking/mistake.ts";
import { plain } from "../printing/plain.ts";
import { entryMeant } from "../subcommands/sessions/finding/entry-meant.ts";
import type { Block } from "./blocks.ts";
import { type Item, itemOf } from "./items.ts";

export type ReadBranch =
  | {
      readonly type: "branch";
      readonly title: string;
      readonly facts: readonly Fact[];
      readonly items: readonly Item[];
      /** Hashes of blobs that were lost or changed. */
      readonly missing: readonly string[];
    }
  | Mistake;

/** A word and what it stands for. */
export type Fact = readonly [name: string, value: string];

export interface Reading {
  /** The session's file. */
  readonly path: string;
  /** The beginning of its id, or its label. */
  readonly leaf: string | undefined;
  readonly redaction: Redaction;
}

export async function readBranch(store: Store, { path, leaf, redaction }: Reading): Promise<ReadBranch> {
  const end = leaf === undefined ? null : await entryMeant(store, leaf);
  if (end?.type === "mistake") return end;
  const at = end ? end.entry.id : await store.leaf();
  const missing: string[] = [];
  const items: Item[] = [];
  for (const entry of await store.branch(at)) {
    const item = itemOf(redaction.redacted(entry));
    if (item) items.push({ ...item, blocks: await withPictures(item.blocks, { path, missing }) });
  }
  const { id, cwd, timestamp } = store.header;
  const name = redaction.redacted((await store.name()) || firstWords(items) || `session ${id}`);
  const facts: readonly Fact[] = [
    ["session", id],
    ["folder", redaction.redacted(cwd)],
    ["begun", timestamp],
  ];
  return { type: "branch", title: plain(name), facts, items, missing };
}

interface Pictures {
  readonly path: string;
  readonly missing: string[];
}

/** A picture that lies beside the session is brought into its place; where it is lost, the words about it stay. */
async function withPictures(blocks: readonly Block[], { path, missing }: Pictures): Promise<readonly Block[]> {
  const shown: Block[] = [];
  for (const block of blocks) {
    const blob = block.type === "text" ? block.blob : undefined;
    if (!blob?.mimeType.startsWith("image/")) {
      shown.push(block);
      continue;
    }
    const read = await readBlob(path, blob.hash);
    if (read.type !== "read") missing.push(blob.hash);
    const { mimeType } = blob;
    shown.push(
      read.type === "read" ? { type: "picture", data: Buffer.from(read.bytes).toString("base64"), mimeType } : block,
    );
  }
  return shown;
}

function firstWords(items: readonly Item[]): string {
  const said = items.find(({ kind }) => kind === "user")?.blocks.find((block) => block.type === "text");
  return said?.type === "text" ? said.text.replace(/\s+/g, " ").trim().slice(0, 80) : "";
}

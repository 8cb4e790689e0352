/** Reads a branch as items for a reader: who said or did what, in order, without secrets and without internal state. */

import { type Entry, type Redaction, readReceipt } from "@pith/context";
import { describeAttachment, parseBlobBlock, splitContent } from "@pith/context/host";
import { readBlob } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { entryMeant } from "../sessions/entries.ts";
import { plain } from "../text/safe-text.ts";
import type { Mistake } from "../text/usage-error.ts";

type BlobInfo = NonNullable<ReturnType<typeof parseBlobBlock>>;

export type Block =
  /** With `blob`, it only says what lies elsewhere. */
  | { readonly type: "text"; readonly text: string; readonly blob?: BlobInfo }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly text: string }
  | { readonly type: "output"; readonly text: string }
  /** What the user attached and did not type. */
  | { readonly type: "attachment"; readonly name: string; readonly text: string }
  /** Base64. */
  | { readonly type: "picture"; readonly data: string; readonly mimeType: string };

/** Of whatever stands there: files are not checked block by block. */
export function blocksOf(content: unknown): readonly Block[] {
  if (Array.isArray(content)) return content.flatMap(shown);
  return typeof content === "string" ? [{ type: "text", text: plain(content) }] : [];
}

function shown(block: Readonly<Record<string, unknown>> | null): readonly Block[] {
  switch (block?.type) {
    case "text": {
      const blob = parseBlobBlock(block);
      return [{ type: "text", text: plainly(block.text), ...(blob && { blob }) }];
    }
    case "thinking":
      return block.thinking ? [{ type: "thinking", text: plainly(block.thinking) }] : [];
    case "toolCall":
      return [{ type: "call", name: plainly(block.name), text: plain(JSON.stringify(block.arguments ?? {}, null, 2)) }];
    case "image":
      return isPicture(block.mimeType)
        ? [{ type: "picture", data: plainly(block.data), mimeType: block.mimeType }]
        : [];
    default:
      return [];
  }
}

export function plainly(text: unknown): string {
  return plain(String(text ?? ""));
}

/** A page must not be told by a session what to make of its bytes. */
export function isPicture(mimeType: unknown): mimeType is string {
  return ["image/png", "image/jpeg", "image/gif", "image/webp"].some((known) => known === mimeType);
}

export interface Item {
  readonly kind: "user" | "assistant" | "result" | "failure" | "summary" | "note";
  /** Who speaks, or what is done. */
  readonly heading: string;
  readonly time: string;
  readonly blocks: readonly Block[];
}

/** Null for what is state and not said: it is nothing to read. */
export function itemOf(entry: Entry): Item | null {
  const item = toldItem(entry);
  return item && { ...item, heading: plainly(item.heading), time: String(entry.timestamp) };
}

type Told = Omit<Item, "time">;

function toldItem(entry: Entry): Told | null {
  switch (entry.type) {
    case "message":
      return messageItem(entry);
    case "compaction":
      return { kind: "summary", heading: compactionHeading(entry), blocks: blocksOf(entry.summary) };
    case "branch_summary":
      return {
        kind: "summary",
        heading: "What happened on a branch that was left",
        blocks: blocksOf(entry.summary),
      };
    case "custom_message":
      return entry.display ? { kind: "note", heading: entry.customType, blocks: blocksOf(entry.content) } : null;
    case "model_change":
      return { kind: "note", heading: `Model: ${entry.provider}/${entry.modelId}`, blocks: [] };
    case "gap":
      return { kind: "note", heading: `Something was lost here: ${entry.why}`, blocks: [] };
    default:
      return null;
  }
}

function messageItem({ message }: Extract<Entry, { type: "message" }>): Told | null {
  switch (message.role) {
    case "user":
      return { kind: "user", heading: "User", blocks: userBlocks(message.content) };
    case "assistant":
      return {
        kind: "assistant",
        heading: `${message.provider}/${message.model}`,
        blocks: blocksOf(message.content),
      };
    case "toolResult":
      return {
        kind: message.isError ? "failure" : "result",
        heading: `${message.toolName}${message.isError ? " failed" : ""}`,
        blocks: blocksOf(message.content).map(asOutput),
      };
    case "bashExecution":
      return {
        kind: "result",
        heading: `! ${message.command}`,
        blocks: [{ type: "output", text: plainly(message.output) }],
      };
    default:
      return null;
  }
}

function userBlocks(content: unknown): readonly Block[] {
  const { typed, attachments } = splitContent(content);
  const all = blocksOf(content);
  if (attachments.length === 0) return all;
  const pictures = all.filter((block) => block.type === "picture" || (block.type === "text" && block.blob));
  const texts = attachments.filter(({ kind, text }) => kind !== "image" && text !== "");
  return [
    ...(typed === "" ? [] : [{ type: "text" as const, text: plain(typed) }]),
    ...texts.map((each) => ({ type: "attachment" as const, name: describeAttachment(each), text: plain(each.text) })),
    ...pictures,
  ];
}

/** A picture that lies elsewhere is still to be brought here. */
function asOutput(block: Block): Block {
  if (block.type !== "text" || block.blob?.mimeType.startsWith("image/")) return block;
  return { type: "output", text: block.text };
}

function compactionHeading(entry: Extract<Entry, { type: "compaction" }>): string {
  const receipt = readReceipt(entry);
  if (!receipt) return `Compaction of ${entry.tokensBefore} tokens`;
  const { before, after } = receipt.tokens;
  return `Compaction: ${before} → ${after} tokens, summary by ${receipt.by ?? "code"}`;
}

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
  for (const entry of await store.branchEntries(at)) {
    const item = itemOf(redaction.redact(entry));
    if (item) items.push({ ...item, blocks: await withPictures(item.blocks, { path, missing }) });
  }
  const { id, cwd, timestamp } = store.header;
  const name = redaction.redact((await store.name()) || firstWords(items) || `session ${id}`);
  const facts: readonly Fact[] = [
    ["session", id],
    ["folder", redaction.redact(cwd)],
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
  const blocks = items.find(({ kind }) => kind === "user")?.blocks ?? [];
  const said = blocks.find((block) => block.type === "text");
  const attached = blocks.find((block) => block.type === "attachment");
  if (!said && attached?.type === "attachment") return attached.name;
  return said?.type === "text" ? said.text.replace(/\s+/g, " ").trim().slice(0, 80) : "";
}

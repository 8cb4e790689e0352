/** Reads a branch as a list of transcript items for export, without secrets and internal state. */

import { type Entry, type Redaction, readReceipt, type ToolResultMessage } from "@pith/context";
import { addToTotals, describeAttachment, parseBlobBlock, splitContent, zeroTotals } from "@pith/context/host";
import { readBlob } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { formatCost, formatCount } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import type { UsageError } from "@pith/host/text/usage-error";
import { findEntryInStore } from "../sessions/entries.ts";
import { describeAuthor, formatSizes } from "../text/compaction-text.ts";
import { describeToolCall, formatCallEnd } from "../text/tool-call-text.ts";

type BlobInfo = NonNullable<ReturnType<typeof parseBlobBlock>>;

export type Block =
  /** With `blob`, the text only describes content that is stored in a blob. */
  | { readonly type: "text"; readonly text: string; readonly blob?: BlobInfo }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      /** The call in one line. */
      readonly title: string;
      /** As the model wrote them; not safe to show. */
      readonly arguments: Readonly<Record<string, unknown>>;
      /** The arguments as JSON. */
      readonly text: string;
    }
  | { readonly type: "output"; readonly text: string }
  /** Text that the user attached, not typed. */
  | { readonly type: "attachment"; readonly name: string; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** Accepts any value: the blocks in a session file are not validated. */
function toBlocks(content: unknown): readonly Block[] {
  if (Array.isArray(content)) return content.flatMap(convertBlock);
  return typeof content === "string" ? [{ type: "text", text: escapeControls(content) }] : [];
}

function convertBlock(block: Readonly<Record<string, unknown>> | null): readonly Block[] {
  switch (block?.type) {
    case "text": {
      const blob = parseBlobBlock(block);
      return [{ type: "text", text: toPlainText(block.text), ...(blob && { blob }) }];
    }
    case "thinking":
      return block.thinking ? [{ type: "thinking", text: toPlainText(block.thinking) }] : [];
    case "toolCall":
      return [toToolCallBlock(block)];
    case "image":
      return isSupportedImage(block.mimeType)
        ? [{ type: "image", data: toPlainText(block.data), mimeType: block.mimeType }]
        : [];
    default:
      return [];
  }
}

function toToolCallBlock(call: Readonly<Record<string, unknown>>): Block {
  const args = Object(call.arguments ?? {}) as Readonly<Record<string, unknown>>;
  const name = toPlainText(call.name);
  return {
    type: "tool-call",
    id: String(call.id ?? ""),
    name,
    title: escapeControls(describeToolCall(name, args)),
    arguments: args,
    text: escapeControls(JSON.stringify(args, null, 2)),
  };
}

function toPlainText(text: unknown): string {
  return escapeControls(String(text ?? ""));
}

/** Allows only known image types: a session must not choose how a browser interprets its bytes. */
export function isSupportedImage(mimeType: unknown): mimeType is string {
  return ["image/png", "image/jpeg", "image/gif", "image/webp"].some((known) => known === mimeType);
}

export interface TranscriptItem {
  readonly kind: "user" | "assistant" | "result" | "failure" | "summary" | "note";
  /** The author, or the action. */
  readonly heading: string;
  readonly time: string;
  readonly blocks: readonly Block[];
  /** The tool call that this is the result of. */
  readonly callId?: string;
  /** How the call ended, if it did not succeed: `failed`, `denied`, `exit code 1`. */
  readonly end?: string;
  /** The change of a file that the call made. */
  readonly diff?: string;
}

/** Null for entries that only record state. */
function toTranscriptItem(entry: Entry): TranscriptItem | null {
  const item = toUntimedItem(entry);
  return item && { ...item, heading: toPlainText(item.heading), time: String(entry.timestamp) };
}

type UntimedItem = Omit<TranscriptItem, "time">;

function toUntimedItem(entry: Entry): UntimedItem | null {
  switch (entry.type) {
    case "message":
      return toMessageItem(entry);
    case "compaction":
      return { kind: "summary", heading: compactionHeading(entry), blocks: toBlocks(entry.summary) };
    case "branch_summary":
      return { kind: "summary", heading: "Branch summary", blocks: toBlocks(entry.summary) };
    case "custom_message":
      return entry.display ? { kind: "note", heading: entry.customType, blocks: toBlocks(entry.content) } : null;
    case "model_change":
      return { kind: "note", heading: `Model: ${entry.provider}/${entry.modelId}`, blocks: [] };
    case "gap":
      return { kind: "note", heading: `Lost entries: ${entry.why}`, blocks: [] };
    default:
      return null;
  }
}

function toMessageItem({ message }: Extract<Entry, { type: "message" }>): UntimedItem | null {
  switch (message.role) {
    case "user":
      return { kind: "user", heading: "User", blocks: toUserBlocks(message.content) };
    case "assistant":
      return { kind: "assistant", heading: `${message.provider}/${message.model}`, blocks: toBlocks(message.content) };
    case "toolResult":
      return {
        kind: message.isError ? "failure" : "result",
        heading: `${message.toolName}${formatCallEnd(message)}`,
        blocks: toBlocks(message.content).map(toOutputBlock),
        callId: String(message.toolCallId ?? ""),
        ...readEnd(message),
        ...readDiff(message.details),
      };
    case "bashExecution":
      return {
        kind: "result",
        heading: `! ${message.command}`,
        blocks: [{ type: "output", text: toPlainText(message.output) }],
      };
    default:
      return null;
  }
}

function readEnd(message: ToolResultMessage): Pick<TranscriptItem, "end"> {
  const end = formatCallEnd(message).trim();
  if (end === "") return {};
  const { exitCode } = Object(message.details) as { readonly exitCode?: unknown };
  return { end: Number.isInteger(exitCode) ? `exit code ${exitCode}` : end };
}

function readDiff(details: unknown): Pick<TranscriptItem, "diff"> {
  const { diff } = Object(details) as { readonly diff?: unknown };
  return typeof diff === "string" && diff !== "" ? { diff: escapeControls(diff) } : {};
}

function toUserBlocks(content: unknown): readonly Block[] {
  const { typed, attachments } = splitContent(content);
  const allBlocks = toBlocks(content);
  if (attachments.length === 0) return allBlocks;
  const images = allBlocks.filter((block) => block.type === "image" || (block.type === "text" && block.blob));
  const textAttachments = attachments.filter(({ kind, text }) => kind !== "image" && text !== "");
  return [
    ...(typed === "" ? [] : [{ type: "text" as const, text: escapeControls(typed) }]),
    ...textAttachments.map((attachment) => ({
      type: "attachment" as const,
      name: describeAttachment(attachment),
      text: escapeControls(attachment.text),
    })),
    ...images,
  ];
}

/** Keeps an image that is stored in a blob: `loadImages` replaces it later. */
function toOutputBlock(block: Block): Block {
  if (block.type !== "text" || block.blob?.mimeType.startsWith("image/")) return block;
  return { type: "output", text: block.text };
}

function compactionHeading(entry: Extract<Entry, { type: "compaction" }>): string {
  const receipt = readReceipt(entry);
  return [`Compaction: ${formatSizes(entry)}`, ...(receipt ? [describeAuthor(receipt)] : [])].join(", ");
}

export type ReadBranchResult =
  | {
      readonly type: "branch";
      readonly title: string;
      readonly facts: readonly Fact[];
      readonly items: readonly TranscriptItem[];
      /** Hashes of blobs that are missing or damaged. */
      readonly missing: readonly string[];
    }
  | UsageError;

export type Fact = readonly [name: string, value: string];

export interface ReadBranchOptions {
  /** The session's file. */
  readonly path: string;
  /** The start of an entry's id, or its label. Default: the session's current leaf. */
  readonly leaf: string | undefined;
  readonly redaction: Redaction;
}

export async function readBranch(
  store: Store,
  { path, leaf, redaction }: ReadBranchOptions,
): Promise<ReadBranchResult> {
  const leafResult = leaf === undefined ? null : await findEntryInStore(store, leaf);
  if (leafResult?.type === "mistake") return leafResult;
  const leafId = leafResult ? leafResult.entry.id : await store.leaf();
  const missing: string[] = [];
  const items: TranscriptItem[] = [];
  const entries = await store.branchEntries(leafId);
  for (const entry of entries) {
    const item = toTranscriptItem(redaction.redact(entry));
    // The facts name the model that a session begins with.
    if (entry.type === "model_change" && items.length === 0) continue;
    if (item) items.push({ ...item, blocks: await loadImages(item.blocks, { path, missing }) });
  }
  const { id, cwd, timestamp } = store.header;
  const name = redaction.redact((await store.name()) || findFirstUserText(items) || `session ${id}`);
  const facts: readonly Fact[] = [
    ["folder", redaction.redact(cwd)],
    ["started", formatTime(timestamp)],
    ...listTotals(entries, items),
    ["session", id],
  ];
  return { type: "branch", title: escapeControls(name), facts, items, missing };
}

/** `2026-01-02 10:30 UTC`, or the text as it is. */
export function formatTime(time: string): string {
  const [, day, minutes] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(time) ?? [];
  return day === undefined ? time : `${day} ${minutes} UTC`;
}

/** The models, the amounts and the cost of the branch. */
function listTotals(entries: readonly Entry[], items: readonly TranscriptItem[]): readonly Fact[] {
  const { userMessages, toolCalls, usage } = entries.reduce(addToTotals, zeroTotals);
  const models = [...new Set(items.filter(({ kind }) => kind === "assistant").map(({ heading }) => heading))];
  const changedFiles = new Set(items.flatMap(({ blocks }) => blocks.flatMap((block) => findChangedFile(block) ?? [])));
  const amounts = [
    formatCount(userMessages, "message"),
    formatCount(toolCalls, "tool call"),
    ...(changedFiles.size > 0 ? [`${formatCount(changedFiles.size, "file")} changed`] : []),
  ];
  return [
    ...(models.length > 0 ? [["model", models.join(", ")] as const] : []),
    ["content", amounts.join(", ")],
    ...(usage.cost.total > 0 ? [["cost", formatCost(usage.cost.total)] as const] : []),
  ];
}

/** The path of the file that a call changes. Null if it is not a call that changes one. */
export function findChangedFile(block: Block): string | null {
  if (block.type !== "tool-call" || (block.name !== "edit" && block.name !== "write")) return null;
  return typeof block.arguments.path === "string" ? block.arguments.path : null;
}

/** Replaces the description of an image in a blob by the image. If the blob is missing, the description stays. */
async function loadImages(
  blocks: readonly Block[],
  { path, missing }: { readonly path: string; readonly missing: string[] },
): Promise<readonly Block[]> {
  const loadedBlocks: Block[] = [];
  for (const block of blocks) {
    const blob = block.type === "text" ? block.blob : undefined;
    if (!blob?.mimeType.startsWith("image/")) {
      loadedBlocks.push(block);
      continue;
    }
    const result = await readBlob(path, blob.hash);
    if (result.type !== "read") missing.push(blob.hash);
    const { mimeType } = blob;
    loadedBlocks.push(
      result.type === "read" ? { type: "image", data: Buffer.from(result.bytes).toString("base64"), mimeType } : block,
    );
  }
  return loadedBlocks;
}

function findFirstUserText(items: readonly TranscriptItem[]): string {
  const blocks = items.find(({ kind }) => kind === "user")?.blocks ?? [];
  const textBlock = blocks.find((block) => block.type === "text");
  const attachment = blocks.find((block) => block.type === "attachment");
  if (!textBlock && attachment?.type === "attachment") return attachment.name;
  return textBlock?.type === "text" ? textBlock.text.replace(/\s+/g, " ").trim().slice(0, 80) : "";
}

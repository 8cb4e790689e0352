/** Shrinks the kept tail: messages too big for it become head, tail and a handle; images too heavy for the request become marks. */

import { markOf } from "../context/attachments.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { entryBytes, entryTokens, type Fit } from "../context/context-size.ts";
import { sendable } from "../context/sanitize-message.ts";
import type { ContextEditEntry, EditedContent, Entry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import { ledgerOf } from "../ledger/collect-ledger.ts";
import type { LedgerImage } from "../ledger/ledger.ts";
import { imageMark } from "../ledger/render-ledger.ts";
import type { AgentMessage, AssistantMessage, ImageBlock, TextBlock, ToolCallBlock } from "../message.ts";
import { entryReference } from "../references.ts";
import { withMarkOf } from "../session/blobs.ts";
import type { Window } from "../session/loaded-branch.ts";
import { isEditable } from "../session/store.ts";
import { evenShare, LEAST, type Shortening, shortArguments, shortened, shortText } from "../text/truncate.ts";
import { messageTokens, textTokens } from "../tokens/estimate-tokens.ts";
import type { Budget, Rung } from "./budget.ts";
import { isShown } from "./cut-point.ts";

/** A context edit before it has a place. */
export type Reduction = Pick<ContextEditEntry, "type" | "targetId" | "replacement" | "pith">;

export interface Reducing {
  /** Of its texts, the arguments of its calls and images that stay. Reasoning does not count; a mark always has room. */
  readonly tokens: number;
  /** What stands for an image that cannot stay, asked once for each, in their order; null leaves it, or all, where it is. */
  readonly imageMark: ((image: ImageBlock) => string | null) | null;
  /** Of the window: what they have removed does not come back. */
  readonly edits: readonly ContextEditEntry[];
}

/** Null for an entry that no edit can change, and for one that is small enough. */
export function reduced(entry: Entry, { tokens, imageMark, edits }: Reducing): Reduction | null {
  const message = isEditable(entry) ? entryMessage(entry, latestEdit(edits, entry)) : null;
  const how = { tokens: Math.max(LEAST, tokens), handle: entryReference(entry), imageMark };
  const content = message && reducedContent(message, how);
  if (content === null) return null;
  return { type: "context_edit", targetId: entry.id, replacement: { content }, pith: { reduced: true } };
}

interface Handled extends Shortening, Pick<Reducing, "imageMark"> {}

function reducedContent(message: AgentMessage, how: Handled): EditedContent | null {
  switch (message.role) {
    case "user":
    case "toolResult":
    case "custom":
      return typeof message.content === "string"
        ? changed(message.content, shortened(message.content, how))
        : reducedBlocks(message.content, how);
    case "assistant":
      return reducedReply(message.content, how);
    case "system":
    case "bashExecution":
    case "compactionSummary":
    case "branchSummary":
      return null;
  }
}

// Many texts are shortened as one, in the place of the first: a mark for each would be more than what they say.
function reducedBlocks(content: Shown, how: Handled): EditedContent | null {
  if (!Array.isArray(content)) return null;
  const blocks = how.imageMark ? withMarks(content, how.imageMark) : content;
  const texts = blocks.filter(isText).map(({ text }) => text);
  const tokens = besideImages(blocks, how.tokens);
  if (total(texts.map(textTokens)) <= tokens) return changed(content, blocks);
  if (blocks.some((block) => markOf(block) !== null)) return reducedAttachments(blocks, { tokens, handle: how.handle });
  const text = shortened(texts.join("\n"), { tokens, handle: how.handle });
  const first = blocks.findIndex(isText);
  return blocks.flatMap((block, at) => {
    if (!isText(block)) return [block];
    return at === first ? [{ type: "text", text }] : [];
  });
}

// WORD2: what the user typed and what was attached stay apart, and what was typed gives way last.
function reducedAttachments(blocks: Shown, { tokens, handle }: Shortening): EditedContent {
  const isAttached = (block: unknown): boolean => markOf(block) !== null;
  const sizes = blocks.map((block) => (isText(block) ? textTokens(block.text) : 0));
  const typed = total(sizes.filter((_, at) => !isAttached(blocks[at])));
  const own = Math.min(typed, Math.max(Math.floor(tokens * TYPED), LEAST));
  const attached = sizes.filter((_, at) => isAttached(blocks[at]));
  const most = { attached: evenShare(attached, tokens - own), typed: own };
  return blocks.map((block, at) => {
    const share = isAttached(block) ? most.attached : most.typed;
    if (!isText(block) || (sizes[at] ?? 0) <= share) return block;
    return { ...block, text: shortText(block.text, { tokens: share, handle }) };
  });
}

/** Of all: what the typed text may have, at most, beside attachments. */
const TYPED = 0.5;

type Shown = readonly (TextBlock | ImageBlock)[];

/** The same list where all images stay. */
function withMarks(content: Shown, markOf: NonNullable<Reducing["imageMark"]>): Shown {
  const marks = content.map((block) => (block?.type === "image" ? markOf(block) : null));
  if (marks.every((mark) => mark === null)) return content;
  return content.map((block, at) => {
    const mark = marks[at] ?? null;
    return mark === null ? block : withMarkOf(block, { type: "text", text: mark });
  });
}

// Where images take it all, words still say what they show.
function besideImages(blocks: Shown, tokens: number): number {
  const images = blocks.filter((block) => block?.type === "image");
  const sent = sendable({ role: "user", content: images, timestamp: 0 }, undefined);
  return Math.max(LEAST, Math.floor(tokens * WORDS), sent ? tokens - messageTokens(sent) : tokens);
}

type Said = AssistantMessage["content"][number];

// Reasoning stays as it came, and so does every id and signature: OpenAI refuses the id of a call without its reasoning.
function reducedReply(content: AssistantMessage["content"], how: Handled): AssistantMessage["content"] | null {
  const said = withoutNeighbours(Array.isArray(content) ? content : []);
  const sizes = said.map(saidTokens);
  if (total(sizes) <= how.tokens) return null;
  const most = evenShare(sizes, how.tokens);
  const short = { handle: how.handle, tokens: most };
  return said.map((block, at): Said => {
    if ((sizes[at] ?? 0) <= most) return block;
    if (isText(block)) return { ...block, text: shortText(block.text, short) };
    return isCall(block) ? { ...block, arguments: shortArguments(block.arguments, short) } : block;
  });
}

// Texts that follow each other become one; none is moved past a call or past reasoning, which must stay before what it led to.
function withoutNeighbours(content: AssistantMessage["content"]): readonly Said[] {
  const said: Said[] = [];
  for (const block of content) {
    const last = said.at(-1);
    if (isText(last) && isText(block)) said[said.length - 1] = { ...last, text: `${last.text}\n${block.text}` };
    else said.push(block);
  }
  return said;
}

function saidTokens(block: Said): number {
  if (isText(block)) return textTokens(block.text);
  return isCall(block) ? textTokens(JSON.stringify(block.arguments)) : 0;
}

function changed<Content>(before: Content, after: Content): Content | null {
  return after === before ? null : after;
}

// Files are not checked block by block; what is no text, call or image passes as it is.
function isText(block: unknown): block is TextBlock {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

function isCall(block: unknown): block is ToolCallBlock {
  return isObject(block) && block.type === "toolCall" && isObject(block.arguments);
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Of all: what texts may have beside images, at least. */
const WORDS = 0.25;

export interface ReductionParts {
  readonly window: Window;
  readonly budget: Budget;
  readonly rung: Rung;
  readonly fit: Fit;
}

/** In the order of the log; from the newest on, as much as there is room for stays as it is. */
export function reductions(kept: readonly Entry[], parts: ReductionParts): readonly Reduction[] {
  const { edits } = parts.window;
  const made: Reduction[] = [];
  let bytes = 0;
  for (const entry of kept.toReversed().filter((each) => isShown(each, edits))) {
    const weight = entryBytes(entry, latestEdit(edits, entry));
    // KEEP8: what is newest may fill the wire; what is older stays within its part of it.
    const room = (bytes === 0 ? parts.budget.bytes * NEWEST : keptBytes(parts.budget)) - bytes;
    const reduction = smaller(entry, { ...parts, kept, excess: weight - room });
    if (reduction) made.unshift(reduction);
    bytes += reduction ? entryBytes(entry, reduction as ContextEditEntry) : weight;
  }
  return made;
}

/** What the kept part may weigh, so that there is room for what comes. */
export function keptBytes({ bytes }: Budget): number {
  return bytes * 0.5;
}

/** Of what the wire carries: what the newest message may weigh by itself. */
const NEWEST = 0.9;

/** Tokens of an entry in the kept part, once it is reduced if it must be. */
export function reducedTokens(entry: Entry, parts: ReductionParts): number {
  const size = entryTokens(entry, latestEdit(parts.window.edits, entry), parts.fit);
  return size > mostTokens(parts) && isEditable(entry) ? Math.min(size, room(parts)) : size;
}

// CUT7
function mostTokens(parts: ReductionParts): number {
  return Math.max(room(parts), parts.budget.tail * parts.rung.reduceAbove);
}

const room = ({ budget, rung }: ReductionParts): number => budget.reduced * rung.tail;

interface Smaller extends ReductionParts {
  readonly kept: readonly Entry[];
  /** Bytes that it weighs too much. */
  readonly excess: number;
}

function smaller(entry: Entry, parts: Smaller): Reduction | null {
  const { window, fit, excess } = parts;
  const edit = latestEdit(window.edits, entry);
  const size = entryTokens(entry, edit, fit);
  const isBig = size > mostTokens(parts);
  if ((!isBig && excess <= 0) || !isEditable(entry)) return null;
  const reduction = reduced(entry, {
    edits: window.edits,
    tokens: Math.floor((isBig ? Math.min(size, room(parts)) : size) / fit.factor),
    imageMark: excess > 0 ? marks(entry, parts) : null,
  });
  const isSmaller = reduction && entryBytes(entry, reduction as ContextEditEntry) < entryBytes(entry, edit);
  return isSmaller ? reduction : null;
}

// As many images as weigh too much, the oldest first.
function marks(entry: Entry, { kept, excess }: Smaller): (image: ImageBlock) => string | null {
  const images = [...imagesOf(entry, kept)];
  let left = excess;
  return ({ data }) => {
    const image = images.shift() ?? unknownImage(entry);
    if (left <= 0) return null;
    left -= typeof data === "string" ? data.length : 0;
    return imageMark(image);
  };
}

// The path of an image is in the call before its result.
function imagesOf(entry: Entry, kept: readonly Entry[]): readonly LedgerImage[] {
  const at = kept.indexOf(entry);
  const call = kept.findLastIndex(
    (each, index) => index < at && each.type === "message" && each.message.role === "assistant",
  );
  return ledgerOf(kept.slice(Math.max(0, call), at + 1)).images.filter(({ entryId }) => entryId === entry.id);
}

function unknownImage(entry: Entry): LedgerImage {
  const { id } = entry;
  return { handle: entryReference(entry), size: null, path: null, caption: null, entryId: id };
}

/** What a hook wants in the log between two requests: messages, state, edits or a compaction. It comes from outside, and nothing in it is taken on trust. */

import { type Added, type Draft, type Drafted, type Entry, isEditable, textTokens, type Window } from "@pith/context";
import { replyContent } from "./hook-message.ts";
import { soundBlocks, soundContent } from "./sound-content.ts";

export interface Boundary {
  readonly drafts: readonly Drafted[];
  readonly compaction: CompactionWish | null;
  readonly isWanted: boolean;
}

export interface CompactionWish {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly details?: unknown;
}

export interface BoundaryRoom {
  readonly window: Window;
  readonly room: number;
  /** What all hooks together may add. */
  readonly adding: (result: unknown) => readonly Added[] | null;
}

/** Null where there is nothing; throws where it is nonsense. */
export function boundaryIn(result: unknown, where: BoundaryRoom): Boundary | null {
  if (result === undefined || result === null) return null;
  const { entries = [], continue: goesOn } = Object(result) as Readonly<Record<string, unknown>>;
  if (goesOn !== undefined && typeof goesOn !== "boolean") throw new Error("its continue is neither true nor false");
  if (!Array.isArray(entries) || entries.length > MOST_ENTRIES) throw new Error("its entries are no list, or too many");
  const all = Array.from(entries, (value: unknown) => ({ value, type: Object(value).type as unknown }));
  const wishes = all.filter(({ type }) => type === "compaction");
  if (wishes.length > 1) throw new Error("its entries have more than one compaction");
  const drafts = all
    .filter(({ type }) => type !== "compaction")
    .flatMap(({ type, value }): readonly Drafted[] =>
      type === "context_edit" ? [editIn(value, where)] : (where.adding({ entries: [value] }) ?? []),
    );
  const [wish] = wishes;
  return { drafts, compaction: wish ? wishIn(wish.value, where) : null, isWanted: goesOn === true };
}

const MOST_ENTRIES = 100;

type Edit = Extract<Draft, { type: "context_edit" }>;

function editIn(value: unknown, { window, room }: BoundaryRoom): Edit {
  const { targetId, replacement } = Object(value) as Readonly<Record<string, unknown>>;
  const target = window.entries.find(({ id }) => id === targetId);
  if (!target || !isEditable(target)) throw new Error("its edit changes nothing that the model sees");
  if (isOurs(target)) throw new Error("its edit changes what Pith itself said");
  if (replacement === null) return { type: "context_edit", targetId: target.id, replacement };
  const content = contentFor(target, Object(replacement).content);
  if (textTokens(JSON.stringify(content)) > room) throw new Error(`its edit has more than ${room} tokens`);
  return { type: "context_edit", targetId: target.id, replacement: { content } };
}

function isOurs(entry: Entry): boolean {
  return entry.type === "custom_message" && entry.customType.startsWith("pith.");
}

type Replaced = NonNullable<Edit["replacement"]>["content"];

function contentFor(target: Entry, content: unknown): Replaced {
  if (target.type !== "message") return soundContent(content);
  if (target.message.role === "assistant") return replyContent(target.message.content, content);
  return target.message.role === "toolResult" ? soundBlocks(content) : soundContent(content);
}

function wishIn(value: unknown, { window }: BoundaryRoom): CompactionWish {
  const { summary, firstKeptEntryId, details } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its compaction has no summary");
  const first = window.entries.find(({ id }) => id === firstKeptEntryId);
  if (!first) throw new Error("its compaction keeps what the model does not see");
  return { summary, firstKeptEntryId: first.id, ...(details !== undefined && { details }) };
}

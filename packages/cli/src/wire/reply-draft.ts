/** A reply as programs follow it: from pieces to the beginnings, deltas and ends of its blocks. */

import type { Delta } from "@pith/agent";
import type { AssistantMessage, ToolCallBlock } from "@pith/context";
import type { AssistantMessageEvent } from "./wire-event.ts";

export interface ReplyDraft {
  /** Of the block that is yet to begin. */
  readonly next: number;
  /** The text or thought that grows; null where none does. */
  readonly open: { readonly kind: "text" | "thinking"; readonly at: number; readonly content: string } | null;
  /** By the order of the calls, where each stands. */
  readonly calls: readonly { readonly at: number; readonly id: string }[];
}

export const nothingCame: ReplyDraft = { next: 0, open: null, calls: [] };

export interface Grown {
  readonly draft: ReplyDraft;
  readonly events: readonly AssistantMessageEvent[];
}

export function grown(draft: ReplyDraft, delta: Delta): Grown {
  switch (delta.type) {
    case "text-delta":
      return withWords(draft, "text", delta.text);
    case "thinking-delta":
      return withWords(draft, "thinking", delta.text);
    case "tool-call-delta":
      return withArguments(draft, delta);
  }
}

/** What is still open ends with the reply; a call ends whole, as the reply has it. */
export function endsOf(draft: ReplyDraft, { content }: AssistantMessage): readonly AssistantMessageEvent[] {
  const calls = content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  const ends = draft.calls.flatMap(({ at, id }, order) => {
    const toolCall = calls.find((call) => call.id === id) ?? calls[order];
    return toolCall ? [{ type: "toolcall_end" as const, contentIndex: at, toolCall }] : [];
  });
  return [...closing(draft), ...ends];
}

function withWords(draft: ReplyDraft, kind: "text" | "thinking", delta: string): Grown {
  const { open, next } = draft;
  const more = (at: number): AssistantMessageEvent => ({ type: `${kind}_delta`, contentIndex: at, delta });
  if (open?.kind === kind)
    return { draft: { ...draft, open: { ...open, content: open.content + delta } }, events: [more(open.at)] };
  const begun: AssistantMessageEvent = { type: `${kind}_start`, contentIndex: next };
  return {
    draft: { ...draft, next: next + 1, open: { kind, at: next, content: delta } },
    events: [...closing(draft), begun, more(next)],
  };
}

function withArguments(draft: ReplyDraft, { index, json, call }: Extract<Delta, { type: "tool-call-delta" }>): Grown {
  const known = draft.calls[index];
  const more = (at: number): AssistantMessageEvent => ({ type: "toolcall_delta", contentIndex: at, delta: json });
  if (known) return { draft, events: [more(known.at)] };
  const { id = "", name = "" } = call ?? {};
  const { next } = draft;
  const begun: AssistantMessageEvent = { type: "toolcall_start", contentIndex: next, id, toolName: name };
  return {
    draft: { next: next + 1, open: null, calls: [...draft.calls, { at: next, id }] },
    events: [...closing(draft), begun, more(next)],
  };
}

function closing({ open }: ReplyDraft): readonly AssistantMessageEvent[] {
  return open ? [{ type: `${open.kind}_end`, contentIndex: open.at, content: open.content }] : [];
}

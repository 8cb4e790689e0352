/** Puts the text of a running reply together from its deltas. Pure, so that servers, clients and pages share it. */

/** A piece of a reply that is being written. Its parts are numbered from 0, and `offset` is in UTF-16 code units of its part. */
export interface LiveDelta {
  readonly type: "delta";
  /** The id of the entry that the reply becomes. */
  readonly reply: string;
  /** The fencing token of the worker that has the session. A reply of a higher one takes the place of that of a lower one. */
  readonly holder: string;
  readonly part: number;
  readonly kind: "text" | "thinking" | "toolCall";
  readonly offset: number;
  /** For a tool call, its arguments as JSON. */
  readonly text: string;
  /** Which tool is called. Only at the offset 0 of a tool call. */
  readonly call?: { readonly id: string; readonly name: string };
}

/** A part of a reply, as far as it is known. */
export interface ReplyPart extends Pick<LiveDelta, "kind" | "text" | "call"> {}

/** A reply, as far as it is known. It is over when the entry with its id comes. */
export interface ReplyText extends Pick<LiveDelta, "reply" | "holder"> {
  readonly parts: readonly ReplyPart[];
}

/**
 * Adds a delta. At the offset 0, the part begins anew, and later parts are dropped. `gap`: something before the delta is missing; follow the
 * session again to get the reply from its beginning.
 */
export function addDelta(current: ReplyText | null, delta: LiveDelta): ReplyText | "gap" {
  const { reply, holder, part, kind, offset, text, call } = delta;
  if (current && compareHolders(holder, current.holder) < 0) return current;
  const isSame = current?.reply === reply && current.holder === holder;
  const parts = isSame ? current.parts : [];
  const known = parts[part];
  if (part > parts.length || offset > (known?.text.length ?? 0)) return "gap";
  if (offset === 0) return { reply, holder, parts: [...parts.slice(0, part), { kind, text, ...(call && { call }) }] };
  return {
    reply,
    holder,
    parts: known ? parts.with(part, { ...known, text: known.text.slice(0, offset) + text }) : parts,
  };
}

/** Compares decimal numbers of any length. */
export function compareHolders(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}

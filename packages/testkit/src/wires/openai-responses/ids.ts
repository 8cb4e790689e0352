/** The ids of a reply's items. They tell without any memory which reasoning an item was made with. */

import type { Said } from "../wire.ts";

/** `fc_r<reply><place><place of its reasoning>`, and `fc_<reply><place>` where none came before it; `rs_x…` where no item follows at once. */
export function itemId({ id, parts }: Said, at: number): string {
  const part = parts[at];
  const next = parts[at + 1]?.type ?? "thinking";
  if (part?.type === "thinking") return `rs_${next === "thinking" ? "x" : ""}${id}${digits(at)}`;
  const reasoning = parts.findLastIndex(({ type }, place) => type === "thinking" && place < at);
  const prefix = part?.type === "call" ? "fc" : part?.type === "search" ? "ws" : "msg";
  return reasoning < 0 ? `${prefix}_${id}${digits(at)}` : `${prefix}_r${id}${digits(at)}${digits(reasoning)}`;
}

/** The reasoning without which an item of this id is refused; null where it needs none. */
export function reasoningOf(id: unknown): string | null {
  const [, reply, reasoning] = /^(?:fc|msg|ws)_r([0-9a-f]{24})[0-9a-f]{3}([0-9a-f]{3})$/.exec(String(id)) ?? [];
  return reply === undefined ? null : `rs_${reply}${reasoning}`;
}

/** Whether an item came right behind this reasoning. */
export function hadItem(id: unknown): boolean {
  return /^rs_[0-9a-f]{27}$/.test(String(id));
}

function digits(at: number): string {
  return at.toString(16).padStart(3, "0");
}

/** The text of a running reply in its worker, and how much of it was sent. */

import type { MessageDelta } from "@pith/agent";
import type { LiveItem } from "./live-items.ts";
import type { LiveDelta, ReplyPart } from "./reply-text.ts";

type Part = { -readonly [Name in keyof ReplyPart]: ReplyPart[Name] };

export class OutgoingReply {
  readonly id: string;
  readonly #key: string;
  readonly #holder: string;
  #parts: Part[] = [];
  /** The part of each tool call, by the index of the call. */
  #calls = new Map<number, Part>();
  /** How much of each part was sent. */
  #sent: number[] = [];
  /** Whether what was sent is to be dropped. */
  #mustClear = false;
  #mustRepeat = false;

  constructor(id: string, { key, holder }: { readonly key: string; readonly holder: string }) {
    this.id = id;
    this.#key = key;
    this.#holder = holder;
  }

  add(delta: MessageDelta): void {
    if (delta.type === "tool-call-delta") this.#addArguments(delta);
    else this.#addText(delta.type === "text-delta" ? "text" : "thinking", delta.text);
  }

  /** Begins anew. */
  clear(): void {
    this.#parts = [];
    this.#calls.clear();
    if (this.#sent.length > 0) this.#mustClear = true;
    this.#sent = [];
  }

  /** Sends everything again, to those who do not have it. */
  repeat(): void {
    this.#mustRepeat = true;
  }

  /** Of what was sent last, it is not known whether it arrived. */
  startOver(): void {
    this.#mustClear = true;
    this.#mustRepeat = true;
  }

  /** Returns what is to be sent, and counts it as sent. */
  takeItems(): readonly LiveItem[] {
    const items: LiveItem[] = this.#mustClear ? [this.#createItem({ part: 0, kind: "text", offset: 0, text: "" })] : [];
    const isRepeat = this.#mustRepeat;
    for (const [part, { kind, text, call }] of this.#parts.entries()) {
      const offset = isRepeat ? 0 : (this.#sent[part] ?? 0);
      if (offset === text.length && part < this.#sent.length && !isRepeat) continue;
      const fields = { part, kind, offset, text: text.slice(offset), isRepeat };
      items.push(this.#createItem({ ...fields, ...(offset === 0 && call && { call }) }));
    }
    this.#sent = this.#parts.map(({ text }) => text.length);
    this.#mustClear = false;
    this.#mustRepeat = false;
    return items;
  }

  #createItem(
    fields: Pick<LiveDelta, "part" | "kind" | "offset" | "text" | "call"> & { isRepeat?: boolean },
  ): LiveItem {
    return { type: "delta", key: this.#key, holder: this.#holder, reply: this.id, isRepeat: false, ...fields };
  }

  #addText(kind: "text" | "thinking", text: string): void {
    const last = this.#parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#parts.push({ kind, text });
  }

  #addArguments({ index, json, call }: Extract<MessageDelta, { type: "tool-call-delta" }>): void {
    const known = this.#calls.get(index);
    if (known) {
      known.text += json;
      return;
    }
    const { id = "", name = "" } = call ?? {};
    const part: Part = { kind: "toolCall", text: json, call: { id, name } };
    this.#calls.set(index, part);
    this.#parts.push(part);
  }
}

/** The pieces of a reply as they are told: without secrets, though one may come in many pieces. What may have begun one waits for the next. */

import type { Delta } from "../events.ts";
import type { Secrets, TextStream } from "../secrets.ts";

export class Deltas {
  readonly #secrets: Pick<Secrets, "stream"> | undefined;
  /** Whose pieces come now. */
  #open: { readonly like: Delta; readonly stream: TextStream } | null = null;

  constructor(secrets: Pick<Secrets, "stream"> | undefined) {
    this.#secrets = secrets;
  }

  told(delta: Delta): readonly Delta[] {
    if (!this.#secrets) return [delta];
    const before = this.#open && isAlike(this.#open.like, delta) ? [] : this.end();
    this.#open ??= { like: delta, stream: this.#secrets.stream() };
    return [...before, ...withText(delta, this.#open.stream.write(textOf(delta)))];
  }

  /** What was held back. */
  end(): readonly Delta[] {
    const open = this.#open;
    this.#open = null;
    return open ? withText(open.like, open.stream.end()) : [];
  }
}

function isAlike(one: Delta, other: Delta): boolean {
  if (one.type === "tool-call-delta" && other.type === "tool-call-delta") return one.index === other.index;
  return one.type === other.type;
}

function textOf(delta: Delta): string {
  return delta.type === "tool-call-delta" ? delta.json : delta.text;
}

function withText(delta: Delta, text: string): readonly Delta[] {
  if (text === "") return [];
  return [delta.type === "tool-call-delta" ? { ...delta, json: text } : { ...delta, text }];
}

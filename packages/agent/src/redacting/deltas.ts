/** The pieces of a reply as they are told: without secrets, though one may come in many pieces. What may have begun one waits for the next. */

import type { Delta } from "../events.ts";
import type { Secrets, TextStream } from "../secrets.ts";

export class Deltas {
  readonly #secrets: Pick<Secrets, "stream"> | undefined;
  /** What comes now: words, or calls side by side, each by its index. */
  readonly #open = new Map<number, { readonly like: Delta; readonly stream: TextStream }>();

  constructor(secrets: Pick<Secrets, "stream"> | undefined) {
    this.#secrets = secrets;
  }

  told(delta: Delta): readonly Delta[] {
    if (!this.#secrets) return [delta];
    const before = [...this.#open.values()].every(({ like }) => like.type === delta.type) ? [] : this.end();
    const index = delta.type === "tool-call-delta" ? delta.index : 0;
    const { like, stream } = this.#open.get(index) ?? { like: delta, stream: this.#secrets.stream() };
    // Whose arguments these are may have been said with a piece that waited.
    const now: Delta = { ...like, ...delta };
    this.#open.set(index, { like: now, stream });
    return [...before, ...withText(now, stream.write(textOf(delta)))];
  }

  /** What was held back. */
  end(): readonly Delta[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open.flatMap(({ like, stream }) => withText(like, stream.end()));
  }
}

function textOf(delta: Delta): string {
  return delta.type === "tool-call-delta" ? delta.json : delta.text;
}

function withText(delta: Delta, text: string): readonly Delta[] {
  if (text === "") return [];
  return [delta.type === "tool-call-delta" ? { ...delta, json: text } : { ...delta, text }];
}

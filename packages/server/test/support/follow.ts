/** Follows a session as a client does, and keeps what it sees. */

import { entryText } from "@pith/context/host";
import { onTestFinished } from "vitest";
import { addDelta, type LiveDelta, type LiveEvent, type LiveFeed, type ReplyText } from "../../src/index.ts";
import type { SessionRef } from "../../src/store/postgres-store.ts";

/** What a client has seen so far. */
export class Client {
  readonly events: LiveEvent[] = [];
  /** The running reply. */
  reply: ReplyText | null = null;
  /** Whether the events have ended. */
  hasEnded = false;
  readonly problems: string[] = [];
  #pause: Promise<void> | null = null;

  /** The text of the parts of the running reply. */
  get text(): string {
    return this.reply?.parts.map(({ text }) => text).join("|") ?? "";
  }

  get deltas(): readonly LiveDelta[] {
    return this.events.flatMap((event) => (event.type === "delta" ? [event] : []));
  }

  get seqs(): readonly number[] {
    return this.events.flatMap((event) => (event.type === "entry" ? [event.seq] : []));
  }

  get states(): readonly string[] {
    return this.events.flatMap((event) => (event.type === "state" ? [`${event.status} ${event.openQuestions}`] : []));
  }

  /** The texts of the replies that are entries. */
  get replies(): readonly string[] {
    return this.events.flatMap((event) =>
      event.type === "entry" && event.entry.type === "message" && event.entry.message.role === "assistant"
        ? [entryText(event.entry)]
        : [],
    );
  }

  /** Takes no events until the returned function is called. */
  pause(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = promise;
    return () => {
      this.#pause = null;
      resolve();
    };
  }

  async read(events: AsyncIterable<LiveEvent>): Promise<void> {
    for await (const event of events) {
      this.add(event);
      await this.#pause;
    }
    this.hasEnded = true;
  }

  add(event: LiveEvent): void {
    this.events.push(event);
    if (event.type === "entry") {
      const expected = this.seqs.at(-2);
      if (expected !== undefined && event.seq !== expected + 1)
        this.problems.push(`entry ${event.seq} after ${expected}`);
      if (event.entry.id === this.reply?.reply) this.reply = null;
    }
    if (event.type !== "delta") return;
    if (this.events.some((each) => each.type === "entry" && each.entry.id === event.reply))
      this.problems.push(`a delta of ${event.reply} after its entry`);
    const next = addDelta(this.reply, event);
    if (next === "gap") this.problems.push(`a gap before ${event.part}/${event.offset} of ${event.reply}`);
    else this.reply = next;
  }
}

/** Follows until the test is over. */
export function follow(feed: LiveFeed, session: SessionRef, after = -1): Client {
  const client = new Client();
  const stop = new AbortController();
  const reading = client.read(feed.follow(session, { after, signal: stop.signal }));
  onTestFinished(async () => {
    stop.abort();
    await reading;
  });
  return client;
}

/** Checks the deltas of streamed replies in the worker, and collects their delays and the times of the first ones. */

import { createHash, type Hash } from "node:crypto";
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { AgentEvent, AgentEventListener } from "@pith/agent";
import { nowMs } from "./clock.ts";
import { kindOf } from "./session-kinds.ts";

/** The first delta of a session, and when the listener saw it. */
export type FirstDelta = readonly [sessionId: string, timeMs: number];

/** What happened since the last report. */
export interface DeltaReport {
  readonly firstDeltas: readonly FirstDelta[];
  /** The sessions whose reply ended, whether every delta arrived once and in order, and the message is what was sent. */
  readonly ended: readonly (readonly [sessionId: string, isExact: boolean])[];
  /** The sessions that the worker has given back. */
  readonly closed: readonly string[];
  readonly deltaCount: number;
}

/** The delays between the model server and the listener, in milliseconds. */
export interface DelayFigures {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export class DeltaMeter {
  #firstDeltas: FirstDelta[] = [];
  #ended: (readonly [string, boolean])[] = [];
  #closed: string[] = [];
  #deltaCount = 0;
  #delays: RecordableHistogram = createHistogram();

  /** The listener of one session. Other kinds than `stream` have no deltas to check. */
  listen(sessionId: string): AgentEventListener {
    if (kindOf(sessionId) !== "stream") return () => {};
    let reply: StreamedReply | null = null;
    return (event: AgentEvent): void => {
      if (event.type === "message_update" && event.delta.type === "text-delta") {
        const { text } = event.delta;
        const timeMs = nowMs();
        if (reply === null) this.#firstDeltas.push([sessionId, timeMs]);
        reply ??= new StreamedReply();
        const sentMs = reply.add(text);
        this.#deltaCount += 1;
        if (sentMs !== null) this.#delays.record(Math.max(1, Math.round((timeMs - sentMs) * 1000)));
      } else if (event.type === "message_end" && event.message.role === "assistant" && reply !== null) {
        const text = event.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
        this.#ended.push([sessionId, reply.isExact(text)]);
        reply = null;
      }
    };
  }

  addClosed(sessionId: string): void {
    this.#closed.push(sessionId);
  }

  takeReport(): DeltaReport {
    const [firstDeltas, ended, closed, deltaCount] = [this.#firstDeltas, this.#ended, this.#closed, this.#deltaCount];
    this.#firstDeltas = [];
    this.#ended = [];
    this.#closed = [];
    this.#deltaCount = 0;
    return { firstDeltas, ended, closed, deltaCount };
  }

  /** The delays since the last call. */
  takeDelays(): DelayFigures {
    const delays = this.#delays;
    this.#delays = createHistogram();
    const percentile = (percent: number): number => delays.percentile(percent) / 1000;
    return { count: delays.count, p50: percentile(50), p95: percentile(95), p99: percentile(99) };
  }
}

/** The deltas of one reply. Its last delta has the hash and the number of those before it. */
class StreamedReply {
  readonly #hash: Hash = createHash("sha1");
  #count = 0;
  #length = 0;
  #isInOrder = true;
  #ending = "";

  /** Returns when the delta was sent; null for the last one. */
  add(text: string): number | null {
    this.#length += text.length;
    if (text.startsWith("end ")) {
      this.#ending = text;
      return null;
    }
    const [number, sentMs] = text.split(" ");
    if (Number(number) !== this.#count || this.#ending !== "") this.#isInOrder = false;
    this.#count += 1;
    this.#hash.update(text);
    return Number(sentMs);
  }

  /** Whether the deltas and the text of the message are exactly what was sent. */
  isExact(text: string): boolean {
    const digest = this.#hash.digest("hex");
    const body = text.slice(0, text.length - this.#ending.length);
    const isSameText = text.length === this.#length && text.endsWith(this.#ending);
    return (
      this.#isInOrder &&
      this.#ending === `end ${this.#count} ${digest}` &&
      isSameText &&
      createHash("sha1").update(body).digest("hex") === digest
    );
  }
}

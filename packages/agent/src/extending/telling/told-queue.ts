/** What one extension is told and nobody waits for: one thing after the other, in order, and never more than it can hold. */

import { attempted, type HookHost, type Ports, patience, unhurried } from "@pith/context";
import { copied, type Handling } from "./handling.ts";

export interface ToldParts {
  readonly handlings: readonly Handling[];
  readonly host: HookHost;
  readonly ports: Pick<Ports, "sleep">;
}

type Event = { readonly type: string };

export class ToldQueue {
  readonly #parts: ToldParts;
  readonly #waiting: Event[] = [];
  #ended: Promise<void> | null = null;
  #hasDropped = false;
  readonly #over = new AbortController();

  constructor(parts: ToldParts) {
    this.#parts = parts;
  }

  /** Nothing more is told, and nobody waited for. */
  close(): void {
    this.#waiting.length = 0;
    this.#over.abort();
  }

  put(event: Event): void {
    if (this.#over.signal.aborted) return;
    if (!this.#parts.handlings.some((handling) => handling.event === event.type)) return;
    if (this.#waiting.length >= MOST_WAITING) this.#drop(event);
    this.#waiting.push(event);
    this.#ended ??= this.#tellAll().finally(() => {
      this.#ended = null;
    });
  }

  /** Over when all that waits by now was told. */
  async settled(): Promise<void> {
    await this.#ended;
  }

  async #tellAll(): Promise<void> {
    // Whoever tells goes on first.
    await Promise.resolve();
    for (let event = this.#waiting.shift(); event; event = this.#waiting.shift()) await this.#tell(event);
  }

  async #tell(event: Event): Promise<void> {
    const { handlings, host, ports } = this.#parts;
    const within = { ms: patience.hook, sleep: unhurried(host, ports) };
    for (const { call, event: name } of handlings) {
      if (name !== event.type) continue;
      const act = await attempted(async () => call(copied(event)), { signal: this.#over.signal, within });
      if (act.type === "failed") host.report?.({ event: name, why: act.why });
      if (act.type === "late") host.report?.({ event: name, why: `no answer within ${patience.hook / 1000} s` });
    }
  }

  // What comes in pieces is lost first: a later piece, or the whole, says as much.
  #drop({ type }: Event): void {
    const piece = this.#waiting.findIndex((event) => PIECES.has(event.type));
    this.#waiting.splice(Math.max(0, piece), 1);
    if (this.#hasDropped) return;
    this.#hasDropped = true;
    this.#parts.host.report?.({ event: type, why: `more than ${MOST_WAITING} events wait for it; some are left out` });
  }
}

const MOST_WAITING = 1_000;
const PIECES: ReadonlySet<string> = new Set(["message_update", "tool_execution_update"]);

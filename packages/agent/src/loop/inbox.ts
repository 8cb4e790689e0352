/** What is said to an agent while it is at work: it waits in the log until its turn, or until somebody takes it back. */

import type { Ports, Queued, Session } from "@pith/context";
import type { AgentEvent } from "../events.ts";
import type { Tell } from "../waiting/during.ts";
import { enqueue, queueUpdate, unqueue } from "./deliver.ts";

export interface InboxParts {
  readonly session: Session;
  readonly ports: Pick<Ports, "entryId">;
  readonly tell: Tell<AgentEvent>;
}

export class Inbox {
  readonly #parts: InboxParts;
  /** The newest of what is on its way. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** On the disk when it returns. */
  async put({ kind, content }: Omit<Queued, "id">): Promise<void> {
    const { session, ports } = this.#parts;
    const arriving = enqueue(session, { id: ports.entryId(), kind, content });
    this.#last = arriving.catch(() => undefined);
    await arriving;
    this.#tell();
  }

  async takeBack(): Promise<readonly Queued[]> {
    const taken = await unqueue(this.#parts.session, () => true);
    this.#tell();
    return taken;
  }

  /** Whether something waits; what is on its way by now does. */
  async isFilled(): Promise<boolean> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
    return this.#parts.session.window.state.queue.length > 0;
  }

  #tell(): void {
    const { session, tell } = this.#parts;
    tell(queueUpdate(session));
  }
}

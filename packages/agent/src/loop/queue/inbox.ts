/** What is said to an agent while it is at work: it waits in the log until its turn, or until somebody takes it back. */

import type { Ports, Queued, Session } from "@pith/context";
import type { AgentEvent } from "../../events.ts";
import type { Tell } from "../../waiting/during.ts";
import { enqueue, queueUpdate, unqueue } from "./deliver.ts";

export interface InboxParts {
  readonly session: Session;
  readonly ports: Pick<Ports, "entryId">;
  readonly tell: Tell<AgentEvent>;
  /** What is left to say after whoever has a say in it; null where that is nothing. Absent where nobody has. */
  readonly hear?: Hear | undefined;
}

export type Hear = (said: Omit<Queued, "id">) => Promise<Queued["content"] | null>;

export class Inbox {
  readonly #parts: InboxParts;
  /** Over when all is there that is on its way by now. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** On the disk when it returns. */
  async put(said: Omit<Queued, "id">): Promise<void> {
    const { session, ports, hear } = this.#parts;
    const kept = (content: Queued["content"]): Promise<void> =>
      enqueue(session, { id: ports.entryId(), ...said, content });
    // In the order in which it was said, however long somebody thinks about one of them.
    const arriving =
      hear && !said.custom
        ? this.#last.then(async () => {
            const content = await hear(said);
            if (content !== null) await kept(content);
          })
        : kept(said.content);
    this.#last = Promise.allSettled([this.#last, arriving]);
    await arriving;
    this.#tell();
  }

  /** Of all that waits. */
  get ids(): readonly string[] {
    return this.#parts.session.window.state.queue.map(({ id }) => id);
  }

  async takeBack(): Promise<readonly Queued[]> {
    const taken = await unqueue(this.#parts.session, ({ custom }) => !custom);
    this.#tell();
    return taken;
  }

  /** Whether something waits; what is on its way by now does. */
  async isFilled(): Promise<boolean> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
    return this.ids.length > 0;
  }

  #tell(): void {
    const { session, tell } = this.#parts;
    tell(queueUpdate(session));
  }
}

/** Brings the messages of a session into its log, once and in their order. */

import type { Agent, UserContent } from "@pith/agent";
import type { Database } from "../store/connect.ts";
import { fromStoredText } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import type { InboxContent } from "./inbox.ts";
import type { SessionQuestions } from "./questions.ts";

/** Where messages go. */
export interface MessageTarget {
  readonly agent: Agent;
  readonly questions: SessionQuestions;
}

/** The messages of a session that this worker has. */
export class MessageDelivery {
  readonly #database: Database;
  readonly #session: SessionRef;
  #content: InboxContent;
  /** Messages that are in the log, while the inbox still has their texts. */
  #delivered: readonly string[] = [];
  /** One delivery at a time, so that messages keep their order. */
  #last: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(database: Database, session: SessionRef, content: InboxContent) {
    this.#database = database;
    this.#session = session;
    this.#content = content;
  }

  /** How many messages were accepted when the inbox was last read. */
  get accepted(): string {
    return this.#content.accepted;
  }

  get delivered(): readonly string[] {
    return this.#delivered;
  }

  /** Whether the newest message stops the run. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Reads the inbox. */
  async read(): Promise<void> {
    const { tenant, key } = this.#session;
    const delivered = this.#delivered;
    const [content] = await this.#database.readRows<InboxContent>("read_inbox", [tenant, key, delivered]);
    this.#content = content ?? { accepted: "0", messages: [] };
    this.#delivered = [];
  }

  /** Brings the messages that were read into the log. */
  async deliver({ agent, questions }: MessageTarget): Promise<void> {
    for (const { id, kind, body } of this.#content.messages) {
      if (kind === "stop") await agent.stop();
      else if (kind === "answer") await questions.record(JSON.parse(body));
      else await agent[kind](JSON.parse(body) as UserContent, { id: fromStoredText(id) });
      this.#delivered = [...this.#delivered, id];
      this.#isStopped = kind === "stop";
    }
    this.#content = { ...this.#content, messages: [] };
  }

  /** Reads the inbox and delivers, after deliveries that are under way. */
  readAndDeliver(target: MessageTarget): Promise<void> {
    const delivery = this.#last.then(async () => {
      await this.read();
      await this.deliver(target);
    });
    this.#last = delivery.catch(() => undefined);
    return delivery;
  }
}

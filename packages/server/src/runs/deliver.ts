/** Brings the messages of a session into its log, once and in their order. */

import type { Agent, UserContent } from "@pith/agent";
import type { Database } from "../store/connect.ts";
import { fromStoredText } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { type CommandResult, runCommand, type SessionCommand } from "./commands.ts";
import type { InboxContent } from "./inbox.ts";
import type { SessionQuestions } from "./questions.ts";

/** Where messages go. */
export interface MessageTarget {
  readonly agent: Agent;
  readonly questions: SessionQuestions;
}

/** The options of `MessageDelivery`. */
export interface DeliveryOptions {
  readonly token: string;
  readonly content: InboxContent;
}

/** The messages of a session that this worker has. */
export class MessageDelivery {
  readonly #database: Database;
  readonly #session: SessionRef;
  readonly #token: string;
  #content: InboxContent;
  /** Messages that are in the log, while the inbox still has their texts. */
  #delivered: readonly string[] = [];
  /** One delivery at a time, so that messages keep their order. */
  #last: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #hasMessages = false;
  #isRunningCommand = false;

  constructor(database: Database, session: SessionRef, { token, content }: DeliveryOptions) {
    this.#database = database;
    this.#session = session;
    this.#token = token;
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

  /** Whether anything came in but commands. */
  get hasMessages(): boolean {
    return this.#hasMessages;
  }

  /** Reads the inbox, after deliveries that are under way. */
  read(): Promise<void> {
    return this.#enqueue(() => this.#read());
  }

  async #read(): Promise<void> {
    const { tenant, key } = this.#session;
    const delivered = this.#delivered;
    const [content] = await this.#database.readRows<InboxContent>("read_inbox", [tenant, key, delivered]);
    this.#content = content ?? { accepted: "0", messages: [] };
    this.#delivered = [];
  }

  /** Brings the messages that were read into the log, after deliveries that are under way. */
  deliver(target: MessageTarget): Promise<void> {
    return this.#enqueue(() => this.#deliver(target));
  }

  /** Reads the inbox and delivers, after deliveries that are under way. */
  async readAndDeliver(target: MessageTarget): Promise<void> {
    if (this.#isRunningCommand) return await this.#deliverUrgent(target);
    await this.#enqueue(async () => {
      await this.#read();
      await this.#deliver(target);
    });
  }

  /** Says of the commands that wait that they could not be run. */
  async refuseCommands(): Promise<void> {
    for (const { id, kind } of this.#content.messages)
      if (kind === "command") await this.#finishCommand(id, { type: "failed", code: "no-agent" });
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const delivery = this.#last.then(task);
    this.#last = delivery.catch(() => undefined);
    return delivery;
  }

  async #deliver({ agent, questions }: MessageTarget): Promise<void> {
    for (const { id, kind, body } of this.#content.messages) {
      if (kind === "command") {
        await this.#runCommand(id, JSON.parse(body) as SessionCommand, agent);
        continue;
      }
      if (kind === "stop") await agent.stop();
      else if (kind === "answer") await questions.record(JSON.parse(body));
      else await agent[kind](JSON.parse(body) as UserContent, { id: fromStoredText(id) });
      this.#delivered = [...this.#delivered, id];
      this.#isStopped = kind === "stop";
      this.#hasMessages = true;
    }
    this.#content = { ...this.#content, messages: [] };
  }

  async #runCommand(id: string, command: SessionCommand, agent: Agent): Promise<void> {
    this.#isRunningCommand = true;
    try {
      await this.#finishCommand(id, await runCommand(command, agent));
    } finally {
      this.#isRunningCommand = false;
    }
  }

  async #finishCommand(id: string, result: CommandResult): Promise<void> {
    const { tenant, key } = this.#session;
    await this.#database.call("finish_command", [tenant, key, this.#token, id, JSON.stringify(result)]);
  }

  /**
   * A command may take minutes, or wait for the end of a tool call that waits for an answer. Stops and answers do not wait for it. They are
   * delivered again in their order, which changes nothing.
   */
  async #deliverUrgent({ agent, questions }: MessageTarget): Promise<void> {
    const { tenant, key } = this.#session;
    const [content] = await this.#database.readRows<InboxContent>("read_inbox", [tenant, key, []]);
    for (const { id, kind, body } of content?.messages ?? []) {
      if (this.#delivered.includes(id)) continue;
      if (kind === "stop") await agent.abort();
      else if (kind === "answer") await questions.record(JSON.parse(body));
    }
  }
}

/** Clients that hold conversations with hosted sessions while workers are killed, and send a message again if its answer was lost. */

import { setTimeout as sleep } from "node:timers/promises";
import { nodeRuntime } from "@pith/context/node";
import type { QueryResult } from "pg";
import type { RandomSource } from "../../../../context/test/support/seeded-random.ts";
import { acceptMessage, createSession, type Database, unparkSession, type Wake } from "../../../src/index.ts";
import { describeTask, type Task } from "./model-server.ts";

/** A session, and the prompts that were accepted for it. */
export interface Conversation {
  readonly tenant: string;
  readonly id: string;
  readonly tasks: Task[];
}

export interface ConversationOptions {
  readonly database: Database;
  readonly wake: Wake;
  /** Reads the rows of all tenants. Connects again after a restart. */
  readonly readAsSuperuser: ReadRows;
  readonly random: RandomSource;
}

export type ReadRows = (text: string, values: readonly unknown[]) => Promise<QueryResult["rows"]>;

export class Conversations {
  readonly all: Conversation[] = [];
  /** How often a session was parked and released. */
  parked = 0;
  /** Sessions that had no work left although a message was not delivered. */
  readonly left = new Set<string>();
  /** How often a message was sent although it had been accepted. */
  repeated = 0;
  readonly #options: ConversationOptions;
  #isEnding = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Starts one conversation after the other, until `end` is called. */
  async hold(): Promise<void> {
    while (!this.#isEnding) await this.#converse();
  }

  end(): void {
    this.#isEnding = true;
  }

  async #converse(): Promise<void> {
    const { database, random } = this.#options;
    const number = this.all.length + 1;
    const conversation: Conversation = { tenant: TENANTS[number % TENANTS.length] ?? "", id: `s${number}`, tasks: [] };
    this.all.push(conversation);
    const { tenant, id } = conversation;
    await (await createSession(database, tenant, { cwd: "/work", id, runtime: nodeRuntime })).close();
    const prompts = 2 + Math.floor(random() * 4);
    for (let prompt = 1; prompt <= prompts && !this.#isEnding; prompt += 1) {
      await this.#send(conversation, { id: `${id}p${prompt}`, rounds: Math.floor(random() * 4) });
      const waits = random() < 0.5;
      if (waits) await this.waitUntilIdle(conversation, Infinity);
      // Also at the end of the run.
      await sleep(random() * (waits ? 200 : 2_500));
    }
    await this.waitUntilIdle(conversation, Infinity);
  }

  /** Sends it until it is accepted, and now and then once more. */
  async #send({ tenant, id, tasks }: Conversation, task: Task): Promise<void> {
    const message = { id: task.id, kind: "followUp", content: describeTask(task) } as const;
    const { database, wake, random } = this.#options;
    const accept = () => acceptMessage({ database, wake }, tenant, { session: id, message });
    await retry(accept);
    tasks.push(task);
    if (random() > 0.1) return;
    this.repeated += 1;
    await retry(accept);
  }

  /** Returns false if it still has work after this time. Lets workers run a parked session again, as an operator would. */
  async waitUntilIdle({ tenant, id }: Conversation, milliseconds: number): Promise<boolean> {
    const { database, wake, readAsSuperuser } = this.#options;
    for (const deadline = Date.now() + milliseconds; ; ) {
      const [row] = await readAsSuperuser(
        "select busy_since is null as idle, accepted > delivered as waits, parked from pith.session where tenant = $1 and id = $2",
        [tenant, id],
      );
      if (row?.idle && row.waits) this.left.add(id);
      if (row?.idle) return true;
      if (row?.parked && (await retry(() => unparkSession({ database, wake }, tenant, id)))) this.parked += 1;
      // The end of the campaign waits for what is still busy then, with a limit.
      if (Date.now() > deadline || (this.#isEnding && milliseconds === Infinity)) return false;
      await sleep(150);
    }
  }
}

const TENANTS = ["1", "2", "3", "4"].map((digit) => "11111111-1111-4111-8111-11111111111".concat(digit));

/** Runs it again while PostgreSQL is away. */
export async function retry<Result>(run: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + 60_000; ; ) {
    try {
      return await run();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

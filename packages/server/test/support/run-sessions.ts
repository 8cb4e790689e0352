/** Runs sessions with a scripted model: opens their agents, starts workers, and sends messages. */

import { Agent, type Tool } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import type { TestServer } from "@pith/testkit";
import { onTestFinished } from "vitest";
import {
  acceptMessage,
  createSession,
  type Database,
  type LivePublisher,
  MemoryQueue,
  type NewMessage,
  type OpenAgent,
  type RemoveFiles,
  startWorker,
  type Wake,
  type Worker,
  type WorkerIntervals,
} from "../../src/index.ts";
import { TENANT } from "./database.ts";

/** Short, so that tests need not wait. */
export const INTERVALS: WorkerIntervals = { silent: 400, beat: 50, mail: 20, sweep: 50, wait: 200, cleanup: 50 };

export interface ServiceOptions {
  readonly tools?: readonly Tool[];
  readonly apiKey?: string;
  /** Default: a bare agent with these tools. */
  readonly openAgent?: OpenAgent;
}

export interface StartOptions {
  readonly openAgent?: OpenAgent;
  readonly wake?: Wake;
  readonly intervals?: WorkerIntervals;
  readonly live?: LivePublisher;
  readonly removeFiles?: RemoveFiles;
}

/** Workers, a queue and the sessions of one tenant. */
export class Service {
  readonly queue = new MemoryQueue();
  readonly errors: unknown[] = [];
  readonly openAgent: OpenAgent;
  readonly #database: Database;

  constructor(database: Database, model: Pick<TestServer, "url">, options: ServiceOptions = {}) {
    const { tools = [], apiKey = "any", openAgent } = options;
    this.#database = database;
    this.openAgent =
      openAgent ??
      (async ({ store, onEvent }) => {
        const opened = await openModel({
          ...{ provider: "anthropic", model: "claude-sonnet-4-5", apiKey, baseUrl: `${model.url}/v1` },
        });
        if (opened.type !== "opened") throw new Error(opened.message);
        const session = await Session.open(store, nodeRuntime);
        const agent = new Agent({ session, model: opened.model, tools, runtime: nodeRuntime, onEvent });
        return { agent, close: () => agent.close() };
      });
  }

  async create(id: string, tenant: string = TENANT): Promise<void> {
    await (await createSession(this.#database, tenant, { cwd: "/work", id, runtime: nodeRuntime })).close();
  }

  async send(session: string, message: NewMessage, tenant: string = TENANT): Promise<boolean> {
    const wake = this.queue.createWake();
    return await acceptMessage({ database: this.#database, wake }, tenant, { session, message });
  }

  async startWorker(id: string, options: StartOptions = {}): Promise<Worker> {
    const { openAgent = this.openAgent, wake = this.queue.createWake(), intervals = INTERVALS } = options;
    const { live, removeFiles } = options;
    const onError = (error: unknown): void => void this.errors.push(error);
    const worker = await startWorker({
      ...{ database: this.#database, wake, openAgent, concurrency: 8, onError, id, intervals },
      ...(live && { live }),
      ...(removeFiles && { removeFiles }),
    });
    onTestFinished(() => worker.stop());
    return worker;
  }
}

export interface RunState {
  readonly busy: boolean;
  readonly holder: string | null;
  readonly token: number;
  readonly parked: string | null;
}

export async function readRunState(database: Database, id: string, tenant: string = TENANT): Promise<RunState> {
  const client = await database.pool.connect();
  try {
    await client.query("select set_config('pith.tenant', $1, false)", [tenant]);
    const { rows } = await client.query(
      "select busy_since is not null as busy, holder, token::int as token, parked from pith.session where id = $1",
      [id],
    );
    return rows[0];
  } finally {
    await client.query("reset pith.tenant");
    client.release();
  }
}

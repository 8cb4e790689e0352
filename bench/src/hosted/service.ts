/** Starts what `pnpm bench hosted` measures: PostgreSQL, a model server and a worker, each in its own process. This process sends the messages. */

import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { nodeRuntime } from "@pith/context/node";
import { acceptMessage, createSession, type Database, type DbosWake, migrateDbos, openDbosWake } from "@pith/server";
import { APPLICATION, OWNER } from "../../../packages/server/test/support/cluster.ts";
import { startDatabase, type TestDatabase } from "../../../packages/server/test/support/database.ts";
import { nowMs } from "./clock.ts";
import type { ModelServerRequest, StreamPace } from "./model-server.ts";
import type { WorkerMessage, WorkerProcessOptions, WorkerRequest, WorkerUsage } from "./worker.ts";

export interface ServiceOptions extends StreamPace {
  readonly concurrency: number;
  readonly intervals?: WorkerProcessOptions["intervals"];
  /** Whether the worker sends the text of replies to clients. */
  readonly isLive?: boolean;
  /** Settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string>>;
}

const TENANTS: readonly string[] = Array.from({ length: 50 }, () => randomUUID());

/** The tenant of a session, by its place in a list. */
export function tenantAt(index: number): string {
  return TENANTS[index % TENANTS.length] ?? "";
}

/** A session that got a message. */
export interface SentSession {
  readonly acceptedMs: number;
  readonly firstDeltaMs: number | null;
  /** Null until its reply has ended. */
  readonly isExact: boolean | null;
  /** Whether the worker has given it back. */
  readonly isClosed: boolean;
}

export class HostedService {
  readonly server: TestDatabase;
  readonly modelUrl: string;
  /** The sessions that got a message, by id. */
  readonly sent = new Map<string, SentSession>();
  /** The most sessions that the worker ran at once. */
  maxSize = 0;
  /** The sessions that the worker runs, as of its last report. */
  size = 0;
  /** The resident memory at the largest number of sessions. */
  rssAtMaxSize = 0;
  deltaCount = 0;
  readonly errors: string[] = [];
  readonly #wake: DbosWake;
  readonly #model: ChildProcess;
  readonly #worker: ChildProcess;

  static async start(options: ServiceOptions): Promise<HostedService> {
    const { concurrency, intervals = {}, settings = {}, isLive = false, ...pace } = options;
    const server = await startDatabase({ shared_buffers: "512MB", max_wal_size: "4GB", ...settings });
    const connectionString = (user: string): string => `postgresql://${user}@127.0.0.1:${server.cluster.port}/pith`;
    await migrateDbos(connectionString(OWNER), APPLICATION);
    const wake = await openDbosWake({ connectionString: connectionString(APPLICATION) });
    const model = startProcess("model-server.ts", pace);
    const [modelUrl] = (await once(model, "message")) as [string];
    const worker = startProcess("worker.ts", {
      ...{ connectionString: connectionString(APPLICATION), modelUrl, concurrency, intervals, isLive },
    } satisfies WorkerProcessOptions);
    await once(worker, "message");
    return new HostedService({ server, modelUrl, wake, model, worker });
  }

  private constructor(parts: {
    readonly server: TestDatabase;
    readonly modelUrl: string;
    readonly wake: DbosWake;
    readonly model: ChildProcess;
    readonly worker: ChildProcess;
  }) {
    this.server = parts.server;
    this.modelUrl = parts.modelUrl;
    this.#wake = parts.wake;
    this.#model = parts.model;
    this.#worker = parts.worker;
    this.#worker.on("message", (message: WorkerMessage) => this.#onMessage(message));
    this.#worker.once("exit", (code) => {
      if (code !== 0) this.errors.push(`the worker ended with exit code ${code}`);
    });
  }

  /** As the role of the application. */
  get connectionString(): string {
    return `postgresql://${APPLICATION}@127.0.0.1:${this.server.cluster.port}/pith`;
  }

  get database(): Database {
    return this.server.database;
  }

  /** Creates empty sessions, each of the next tenant. Their ids are `${prefix}-0` and so on. */
  async createSessions(prefix: string, count: number): Promise<readonly string[]> {
    const ids = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    for (const [index, id] of ids.entries())
      await (await createSession(this.database, tenantAt(index), { cwd: "/work", id, runtime: nodeRuntime })).close();
    return ids;
  }

  /** Sends a message to a session, as the HTTP service will. */
  async send(tenant: string, session: string): Promise<void> {
    this.sent.set(session, { acceptedMs: nowMs(), firstDeltaMs: null, isExact: null, isClosed: false });
    const message = { id: randomUUID(), kind: "followUp", content: "Survey the stones." } as const;
    const isAccepted = await acceptMessage({ database: this.database, wake: this.#wake }, tenant, { session, message });
    if (!isAccepted) throw new Error(`the session ${session} does not exist`);
  }

  resetMaxSize(): void {
    this.maxSize = 0;
  }

  async takeUsage(): Promise<WorkerUsage> {
    return await this.#ask({ type: "takeUsage" });
  }

  /** Ends all streamed replies, or says whether requests of kind `hang` get an answer. */
  tellModel(type: ModelServerRequest["type"]): void {
    this.#model.send({ type } satisfies ModelServerRequest);
  }

  /** Waits until the condition holds. Throws if the worker reports an error. */
  async waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      this.throwErrors();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.throwErrors();
  }

  throwErrors(): void {
    if (this.errors.length > 0) throw new Error(`the worker reported ${this.errors.length} errors: ${this.errors[0]}`);
  }

  async stop(): Promise<void> {
    this.tellModel("finish");
    if (this.#worker.connected) {
      this.#worker.send({ type: "stop" } satisfies WorkerRequest);
      await once(this.#worker, "exit");
    }
    this.#model.disconnect();
    await this.#wake.close();
    await this.database.close();
    await this.server.cluster.stop();
  }

  /** Sends the request to the worker, and returns the usage that it answers with. */
  #ask(request: WorkerRequest): Promise<WorkerUsage> {
    return new Promise((resolve) => {
      const listener = (message: WorkerMessage): void => {
        if (message.type !== "usage") return;
        this.#worker.off("message", listener);
        resolve(message.usage);
      };
      this.#worker.on("message", listener);
      this.#worker.send(request);
    });
  }

  #onMessage(message: WorkerMessage): void {
    if (message.type === "error") this.errors.push(message.message);
    if (message.type !== "report") return;
    const { size, rss, deltaCount, firstDeltas, ended, closed } = message;
    if (size > this.maxSize) {
      this.maxSize = size;
      this.rssAtMaxSize = rss;
    }
    this.size = size;
    this.deltaCount += deltaCount;
    for (const [id, timeMs] of firstDeltas) this.#update(id, { firstDeltaMs: timeMs });
    for (const [id, isExact] of ended) this.#update(id, { isExact });
    for (const id of closed) this.#update(id, { isClosed: true });
  }

  #update(id: string, changes: Partial<SentSession>): void {
    const session = this.sent.get(id);
    if (session) this.sent.set(id, { ...session, ...changes });
  }
}

/** Starts a file of this folder as a process, with its options as the first argument. */
export function startProcess(file: string, options: object): ChildProcess {
  return fork(join(import.meta.dirname, file), [JSON.stringify(options)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

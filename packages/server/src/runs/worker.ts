/** A worker: runs sessions that it is woken for, takes over those of silent workers, and gives its own back when it stops. */

import { randomUUID } from "node:crypto";
import type { LivePublisher } from "../live/publisher.ts";
import type { Database } from "../store/connect.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { eraseOutdatedSessions, type RemoveFiles, removeErasedFiles } from "../tenants/erasure.ts";
import { removeDeadTokens } from "../tenants/tokens.ts";
import { createLimit } from "./concurrency.ts";
import { DEFAULT_INTERVALS, type WorkerIntervals } from "./intervals.ts";
import { expireQuestions } from "./questions.ts";
import { type OpenAgent, type RunOutcome, SessionRun } from "./session-run.ts";
import type { Wake } from "./wake.ts";

/** Options of `startWorker`. */
export interface WorkerOptions {
  readonly database: Database;
  readonly wake: Wake;
  readonly openAgent: OpenAgent;
  /** Sessions at once. */
  readonly concurrency: number;
  /** Receives errors of a run or of PostgreSQL; the worker goes on. */
  readonly onError: (error: unknown) => void;
  /** Removes the files of erased sessions and tenants, as `createFileRemover` does. Absent: another worker does it. */
  readonly removeFiles?: RemoveFiles;
  /** Default: a new id for each start. */
  readonly id?: string;
  readonly intervals?: Partial<WorkerIntervals>;
  /** Sends the text of replies while they are written. It is closed by whoever opened it. */
  readonly live?: LivePublisher;
}

/** A start is a few statements, so more at once would only wait for connections. */
const MAX_STARTS = 16;

/** At most so many sessions get a place, and so many questions expire, at one look. */
const MAX_ADMITTED = 100;
const MAX_EXPIRED = 100;

/** At most so much is erased or removed at one look. */
const MAX_REMOVED = 100;
/** How often the sessions of one tenant are looked through for those that it no longer keeps. */
const RETENTION_MS = 60 * 60_000;

/** A running worker. */
export interface Worker {
  readonly id: string;
  /** The number of sessions that it runs. */
  readonly size: number;
  /** Takes no more sessions, ends its runs before their next requests, and leaves them to others. */
  stop(): Promise<void>;
}

/** The first beat comes before the first session: a session whose worker never had one would count as left. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const worker = new SessionWorker(options);
  await worker.start();
  return worker;
}

class SessionWorker implements Worker {
  readonly id: string;
  readonly #options: WorkerOptions;
  readonly #intervals: WorkerIntervals;
  readonly #runs = new Map<string, SessionRun>();
  readonly #limitStarts = createLimit(MAX_STARTS);
  /** Sessions that were woken during their run here. */
  readonly #wokenAgain = new Set<string>();
  /** All that is under way, to wait for. */
  readonly #work = new Set<Promise<unknown>>();
  #timers: readonly NodeJS.Timeout[] = [];
  #isStopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.id = options.id ?? randomUUID();
    this.#intervals = { ...DEFAULT_INTERVALS, ...options.intervals };
  }

  get size(): number {
    return this.#runs.size;
  }

  async start(): Promise<void> {
    const { beat, mail, sweep, cleanup } = this.#intervals;
    await this.#beat();
    this.#timers = [
      this.#repeat(() => this.#beat(), beat),
      this.#repeat(() => this.#deliverMail(), mail),
      this.#repeat(() => this.#sweep(), sweep),
      this.#repeat(() => this.#applyLimits(), sweep),
      this.#repeat(() => expireQuestions(this.#options, MAX_EXPIRED), sweep),
      this.#repeat(() => this.#stopErased(), sweep),
      this.#repeat(() => this.#removeFiles(), sweep),
      this.#repeat(() => this.#cleanUp(), cleanup),
    ];
    const { wake, concurrency } = this.#options;
    try {
      await wake.start((session) => this.#run(session), { concurrency });
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const stoppedWake = this.#options.wake.stop();
    await Promise.all([...this.#runs.values()].map((run) => run.suspend("given-back")));
    await stoppedWake;
    await Promise.all(this.#work);
    // It beats until its last session is given back.
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#work);
  }

  /** Skips a turn while the one before it still runs. */
  #repeat(task: () => Promise<void>, intervalMs: number): NodeJS.Timeout {
    let isRunning = false;
    return setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      void this.#track(
        task()
          .catch(this.#options.onError)
          .finally(() => {
            isRunning = false;
          }),
      );
    }, intervalMs);
  }

  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#work.add(work);
    return await work.finally(() => this.#work.delete(work));
  }

  async #beat(): Promise<void> {
    await this.#options.database.call("beat", [this.id, this.#intervals.silent]);
  }

  async #deliverMail(): Promise<void> {
    const sessions = await this.#options.database.readRows<SessionRef>("list_held", [this.id, true]);
    await Promise.all(sessions.map(({ key }) => this.#runs.get(key)?.deliver()));
  }

  /** Runs sessions that are left, while it has places, and those of its own that it does not know, such as after a failed release. */
  async #sweep(): Promise<void> {
    const { database, concurrency } = this.#options;
    const { silent, wait } = this.#intervals;
    const places = concurrency - this.#runs.size;
    const values = [this.id, silent, wait, places];
    const left = places > 0 ? await database.readRows<SessionRef>("find_stranded", values) : [];
    const own = await database.readRows<SessionRef>("list_held", [this.id, false]);
    for (const session of [...own, ...left]) if (!this.#runs.has(session.key)) void this.#run(session);
  }

  /** Wakes workers for sessions that wait although their tenants have places, such as on a new day, and ends runs of tenants that have used up theirs. */
  async #applyLimits(): Promise<void> {
    const { database, wake } = this.#options;
    for (const session of await database.readRows<SessionRef>("admit_waiting", [null, MAX_ADMITTED]))
      await wake.enqueue(session, null);
    const spent = await database.readRows<SessionRef>("list_spent", [this.id]);
    // A run ends after its reply and its calls; others do not wait for that.
    for (const { key } of spent) void this.#runs.get(key)?.suspend("waiting");
  }

  /** Stops the runs of erased sessions, and says so once they have ended: then nothing uses their files. */
  async #stopErased(): Promise<void> {
    const { database } = this.#options;
    const erased = await database.readRows<{ id: string; key: string }>("list_erased_runs", [this.id]);
    for (const { key } of erased) void this.#runs.get(key)?.stop();
    const ended = erased.filter(({ key }) => !this.#runs.has(key)).map(({ id }) => id);
    if (ended.length > 0) await database.call("confirm_erasures", [this.id, ended]);
  }

  async #removeFiles(): Promise<void> {
    const { database, removeFiles: remove } = this.#options;
    if (remove) await removeErasedFiles(database, { remove, silentMs: this.#intervals.silent, limit: MAX_REMOVED });
  }

  async #cleanUp(): Promise<void> {
    const { database } = this.#options;
    await eraseOutdatedSessions(database, { everyMs: RETENTION_MS, limit: MAX_REMOVED });
    await removeDeadTokens(database, MAX_REMOVED);
  }

  /** Never rejects. */
  async #run(session: SessionRef): Promise<void> {
    if (this.#isStopping) return;
    const current = this.#runs.get(session.key);
    if (current) {
      if (current.hasStarted) this.#wokenAgain.add(session.key);
      return;
    }
    const { database, openAgent, live } = this.#options;
    const options = { database, openAgent, live, worker: this.id, silentMs: this.#intervals.silent };
    const run = new SessionRun(session, { ...options, limitStarts: this.#limitStarts });
    this.#runs.set(session.key, run);
    await this.#track(this.#finishRun(session, run));
  }

  async #finishRun(session: SessionRef, run: SessionRun): Promise<void> {
    const { wake, onError } = this.#options;
    const outcome: RunOutcome | null = await run.run().catch((error: unknown) => {
      onError(error);
      return null;
    });
    this.#runs.delete(session.key);
    const next = [...(outcome?.type === "given-back" ? [session] : []), ...(outcome?.next ? [outcome.next] : [])];
    for (const each of next) await wake.enqueue(each, null).catch(onError);
    if (this.#wokenAgain.delete(session.key)) await this.#run(session);
  }
}

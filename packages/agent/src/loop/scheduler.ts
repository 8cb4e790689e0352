/** Schedules an agent's work: one run at a time, and other work between two of its requests. */

import type { Runtime, Session } from "@pith/context";
import { NewEntries } from "../append.ts";
import { during, type Tell, unlessAborted } from "../async.ts";
import type { AgentEvent, Listen, RunEnd } from "../events.ts";
import type { Secrets } from "../ports.ts";
import { type Hear, Inbox } from "./queue.ts";
import { type Act, Between, run, type Start, takingUp } from "./run.ts";
import type { RunParts } from "./run-context.ts";

export interface Turn<Outcome> {
  /** Done at once, before its turn has come. */
  readonly first?: () => Promise<void>;
  readonly act: (signal: AbortSignal) => AsyncGenerator<AgentEvent, Outcome>;
}

export interface TurnsParts {
  readonly listen?: Listen | undefined;
  /** Asked what was found with every entry that is told. */
  readonly secrets?: Pick<Secrets, "found"> | undefined;
}

export class Turns {
  readonly tell: Listen;
  readonly #session: Session;
  readonly #entries: NewEntries;
  readonly #secrets: Pick<Secrets, "found"> | undefined;
  readonly #stops = new Set<AbortController>();
  readonly #beforehand = new Set<AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(session: Session, { listen = () => {}, secrets }: TurnsParts = {}) {
    this.#session = session;
    this.#entries = new NewEntries(session);
    this.#secrets = secrets;
    this.tell = undisturbed(listen);
  }

  get isBusy(): boolean {
    return this.#stops.size > 0;
  }

  /** After the abort nothing of it begins any more. */
  async abort(): Promise<void> {
    for (const stop of [...this.#stops, ...this.#beforehand]) stop.abort();
    await this.#last;
  }

  /** What is thought about before an act has a turn; it can be stopped like one. */
  async stoppable<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    const stop = new AbortController();
    this.#beforehand.add(stop);
    try {
      return await work(stop.signal);
    } finally {
      this.#beforehand.delete(stop);
    }
  }

  /** An act in its turn. It does not wait for whoever takes what it tells; who stops taking it stops it. */
  async *take<Outcome>(turn: Turn<Outcome>): AsyncGenerator<AgentEvent, Outcome> {
    const stop = new AbortController();
    const before = this.#last;
    const ended = Promise.withResolvers<void>();
    this.#last = ended.promise;
    this.#stops.add(stop);
    const work = async (tell: Tell<AgentEvent>): Promise<Outcome> => {
      try {
        await turn.first?.();
        await before;
        return await this.#told(turn.act(stop.signal), { tell, signal: stop.signal });
      } finally {
        this.#stops.delete(stop);
        ended.resolve();
      }
    };
    return yield* during(work, { leave: () => stop.abort() });
  }

  #redactions(): readonly AgentEvent[] {
    const secrets = this.#secrets?.found() ?? [];
    return secrets.length === 0 ? [] : [{ type: "secrets_redacted", secrets }];
  }

  /** What was written since is told before what it led to. */
  async #told<Outcome>(
    events: AsyncGenerator<AgentEvent, Outcome>,
    { tell, signal }: { readonly tell: Tell<AgentEvent>; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    for (;;) {
      const { done, value } = await events.next();
      // SEC11: whoever it comes from; a provider or a hook may complain of a secret.
      const next = done ? [] : [this.#session.redact(value)];
      // A reply is told behind the pieces it was made of.
      const written = !done && value.type === "message_update" ? [] : this.#entries.take();
      for (const event of [...written, ...this.#redactions(), ...next]) {
        const heard = this.tell(event);
        // EVT6: who listens slowly slows it down, and yet cannot keep it from being stopped.
        if (heard) await unlessAborted(heard, signal);
        tell(event);
      }
      if (done) return value;
    }
  }
}

/** What a listener throws is its own affair: it comes to light, and nothing here ends because of it. */
function undisturbed(listen: Listen): Listen {
  const bring = (error: unknown): void =>
    queueMicrotask(() => {
      throw error;
    });
  return (event) => {
    try {
      return listen(event)?.catch(bring);
    } catch (error) {
      return bring(error);
    }
  };
}

export interface WorkParts {
  readonly session: Session;
  readonly ports: Pick<Runtime, "entryId">;
  readonly listen?: Listen | undefined;
  readonly secrets?: Secrets | undefined;
  /** As they are at the moment they are asked for. */
  readonly parts: (signal: AbortSignal) => RunParts;
  /** Says what must have been said before the first word. */
  readonly establish: () => Promise<void>;
  /** What is left of what was said, after whoever has a say in it. */
  readonly hear?: Hear | undefined;
}

/** What a run begins with, and what must be done at once though its turn may come later. */
export type RunWish = Start & Pick<Turn<RunEnd>, "first">;

/** The same, once it is clear what was said; or how it ended where nothing was. */
export type Deciding = (signal: AbortSignal) => Promise<RunWish | RunEnd>;

export class Work {
  readonly inbox: Inbox;
  readonly #parts: WorkParts;
  readonly #turns: Turns;
  readonly #between = new Between();
  #isRunning = false;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#turns = new Turns(parts.session, parts);
    this.inbox = new Inbox({ ...parts, tell: (event) => this.#tell(event) });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether anything is under way, a run or not. */
  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  abort(): Promise<void> {
    return this.#turns.abort();
  }

  async *run(wish: RunWish | Deciding): AsyncGenerator<AgentEvent, RunEnd> {
    if (this.#isRunning) throw new Error("the agent is at work; steer it, follow up, or abort it");
    this.#isRunning = true;
    let end: RunEnd;
    try {
      const first = typeof wish === "function" ? await this.#decided(wish) : wish;
      if ("type" in first) return first;
      end = yield* this.#runs(first);
    } finally {
      this.#isRunning = false;
      // What came too late for the last moment between two requests has no run to wait for.
      if (this.#between.isWaiting) void this.alone((parts) => this.#between.acts(() => parts));
    }
    // Whoever hears that nothing is under way may begin something at once.
    const settled = { type: "agent_settled", aborted: end.type === "aborted" } as const;
    this.#tell(settled);
    yield settled;
    return end;
  }

  /** Between two requests of the run, or now where there is none. */
  aside<Outcome>(act: Act<Outcome>): Promise<Outcome> {
    return this.#isRunning ? this.#between.wait(act) : this.alone(act);
  }

  /** The same for what tells nothing but what it writes. */
  beside<Outcome>(act: (parts: RunParts) => Promise<Outcome>): Promise<Outcome> {
    return this.aside((parts) => during<AgentEvent, Outcome>(() => act(parts)));
  }

  /** The same, when nothing is under way any more. */
  afterwards<Outcome>(act: (parts: RunParts) => Promise<Outcome>): Promise<Outcome> {
    return this.alone((parts) => during<AgentEvent, Outcome>(() => act(parts)));
  }

  /** When nothing else is under way. */
  async alone<Outcome>(act: Act<Outcome>): Promise<Outcome> {
    const acts = this.#turns.take({ act: (signal) => act(this.#parts.parts(signal)) });
    for (;;) {
      const { done, value } = await acts.next();
      if (done) return value;
    }
  }

  /** Whoever spoke meanwhile is heard, whatever came of it. */
  async #decided(wish: Deciding): Promise<RunWish | RunEnd> {
    const waited = new Set(this.inbox.ids);
    const decided = await this.#turns.stoppable(wish);
    if (!("type" in decided) || decided.type === "aborted") return decided;
    await this.inbox.isFilled();
    return this.inbox.ids.some((id) => !waited.has(id)) ? takingUp() : decided;
  }

  async *#runs(first: RunWish): AsyncGenerator<AgentEvent, RunEnd> {
    for (let start = first; ; start = takingUp()) {
      const end = yield* this.#turns.take({ ...start, act: (signal) => this.#oneRun(start, signal) });
      // RUN6: whoever spoke while it was running is heard, also in its last moment.
      if (end.type !== "done" || !(await this.inbox.isFilled())) return end;
    }
  }

  #oneRun(start: Start, signal: AbortSignal): AsyncGenerator<AgentEvent, RunEnd> {
    const { parts, establish } = this.#parts;
    return run({ ...start, parts: () => parts(signal), between: this.#between, establish });
  }

  #tell(event: AgentEvent): void {
    void this.#turns.tell(event);
  }
}

/** What an agent has under way: one run at a time, and between two of its requests what else is asked for. */

import type { Ports, Session } from "@pith/context";
import type { AgentEvent, Listen, RunEnd } from "../events.ts";
import type { Secrets } from "../secrets.ts";
import { during } from "../waiting/during.ts";
import { type Act, Between } from "./between.ts";
import { type Hear, Inbox } from "./queue/inbox.ts";
import { run, type Start } from "./run.ts";
import type { RunParts } from "./run-parts.ts";
import { takingUp } from "./start.ts";
import { type Turn, Turns } from "./turns.ts";

export interface WorkParts {
  readonly session: Session;
  readonly ports: Pick<Ports, "entryId">;
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

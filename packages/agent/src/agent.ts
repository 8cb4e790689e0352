/** Implements `Agent`: a session, a model and tools, from one user message to the end of the work. */

import {
  type AppendResult,
  type Budget,
  type ContextSize,
  contextSize,
  type Model,
  type MoveResult,
  type Session,
  type ThinkingLevel,
  type UndoResult,
  type UserMessage,
} from "@pith/context";
import type { QueuedMessage } from "@pith/context/host";
import type { AgentParts } from "./agent-options.ts";
import { compacting, type ModelSet } from "./compaction/auto-compact.ts";
import type { AgentEvent, Compacted, CompactionRefused, RunEnd } from "./events.ts";
import { heardInput, heardWords, unsaid } from "./hooks/input-hooks.ts";
import { Standing } from "./loop/agent-state.ts";
import { enqueue } from "./loop/queue.ts";
import { saying, takingUp } from "./loop/run.ts";
import type { Deliveries, Delivery } from "./loop/run-context.ts";
import { type RunWish, Work } from "./loop/scheduler.ts";
import type { SkillText } from "./prompt/skill.ts";
import type { Beginning } from "./prompt/system-prompt.ts";
import type { HandedOff, IsThere } from "./session/handoff.ts";
import type { Destination, Navigated } from "./session/navigate.ts";
import type { PlannedFile } from "./session/rewind.ts";

type Refused = Extract<MoveResult, { type: "refused" }>;

export type Content = UserMessage["content"];

export interface Annotation {
  /** The model sees it, such as a shell line of the user's own: then what it must be told first stands before it. */
  readonly isSeen?: boolean;
  /** Not between two requests of a run, but when it has ended. */
  readonly isAfterwards?: boolean;
}

/** An agent. It does one thing at a time; what else is asked of it waits for the moment between two requests. */
export class Agent {
  readonly #parts: AgentParts;
  readonly #standing: Standing;
  readonly #work: Work;

  constructor(parts: AgentParts) {
    const { session, ports, listen, secrets } = parts;
    const standing = new Standing(parts);
    this.#parts = parts;
    this.#standing = standing;
    this.#work = new Work({
      session,
      ports,
      listen,
      secrets,
      parts: (signal) => standing.runParts(signal),
      establish: () => standing.establish(),
      hear: parts.hooks?.input?.length ? (said) => heardWords(said, parts) : undefined,
    });
  }

  get session(): Session {
    return this.#parts.session;
  }

  get model(): Model {
    return this.#standing.model;
  }

  get thinkingLevel(): string {
    return this.#standing.thinkingLevel;
  }

  /** How much is too much for who speaks now, and how much of each thing a compaction keeps. */
  get budget(): Budget {
    return this.#standing.budget;
  }

  /** What the next request would weigh, and what the model can see. */
  contextUsage(): ContextSize & { readonly contextWindow: number } {
    const { contextWindow } = this.model;
    return { ...contextSize(this.session.branch, this.budget), contextWindow };
  }

  /** Whether a run is under way; then what is said to it waits. */
  get isRunning(): boolean {
    return this.#work.isRunning;
  }

  /** Whether anything is under way, a run or not. */
  get isBusy(): boolean {
    return this.#work.isBusy;
  }

  /** What waits, in the order in which it was said. */
  get queue(): readonly QueuedMessage[] {
    return this.session.branch.state.queue;
  }

  /** Says something to the model and lets it work until it has no more to say. One run at a time. */
  async *prompt(content: Content): AsyncGenerator<AgentEvent, RunEnd> {
    if (content.length === 0) throw new Error("there is nothing to say");
    const { hooks = {} } = this.#parts;
    if (!hooks.input?.length) return yield* this.#work.run(this.#saying(content));
    const parts = { ...this.#parts, hooks };
    return yield* this.#work.run(async (signal) => {
      const heard = await heardInput(content, "prompt", { ...parts, signal });
      return heard.type === "said" ? this.#saying(heard.content) : unsaid(heard);
    });
  }

  #saying(content: Content): RunWish {
    const said: QueuedMessage = { id: this.#parts.ports.entryId(), kind: "followUp", content };
    // Whatever else is under way, what was said is in the log at once.
    const first = this.#work.isBusy ? { first: () => enqueue(this.session, said) } : {};
    return { ...saying(said), ...first };
  }

  /** Goes on with what a run left open when its program ended; done at once where that is nothing. */
  resume(): AsyncGenerator<AgentEvent, RunEnd> {
    return this.#work.run(takingUp());
  }

  /** Says something before the next request of the run that is under way; where there is none, at the beginning of the next. */
  steer(content: Content): Promise<void> {
    return this.#work.inbox.put({ kind: "steer", content });
  }

  /** Says something when the model has no more to say. */
  followUp(content: Content): Promise<void> {
    return this.#work.inbox.put({ kind: "followUp", content });
  }

  /** Says something that no user said, like those two: it waits in the log, and the model is asked once it is its turn. */
  say({ kind, content, custom }: Required<Omit<QueuedMessage, "id">>): Promise<void> {
    return this.#work.inbox.put({ kind, content, custom });
  }

  /** Takes back all that the user said and waits, e.g. to write it anew. */
  clearQueue(): Promise<readonly QueuedMessage[]> {
    return this.#work.inbox.takeBack();
  }

  /** Ends what is under way, and comes back when it has ended. What was said and done until then stays. */
  abort(): Promise<void> {
    return this.#work.abort();
  }

  /** Comes back when nothing is under way. */
  rest(): Promise<void> {
    return this.#work.afterwards(async () => {});
  }

  /** Asked for: whatever the threshold says, and also where nothing happens by itself. A run goes on afterwards. */
  async compact(instructions?: string): Promise<Compacted | CompactionRefused> {
    // RUN14: a second compaction after it would find nothing to do, or compact what was just kept.
    if (this.session.busyReasons.includes("compacting")) return { type: "refused", why: "compacting" };
    const need = { reason: "asked", ...(instructions !== undefined && { instructions }) } as const;
    return this.#work.aside((parts) => compacting(parts, need));
  }

  /** Another model takes over from the next request on. What is too much for it is compacted first; else nothing changes. */
  setModel(model: Model): Promise<ModelSet> {
    return this.#work.aside((parts) => this.#standing.speakWith(model, parts));
  }

  /** From the next request on. */
  setThinkingLevel(level: ThinkingLevel): Promise<void> {
    return this.#work.aside((parts) => this.#standing.think(level, parts));
  }

  /** How much of what waits is said at once, by its kind. */
  get deliveries(): Deliveries {
    return this.#standing.deliveries;
  }

  setDelivery(kind: QueuedMessage["kind"], delivery: Delivery): void {
    this.#standing.deliveries = { ...this.#standing.deliveries, [kind]: delivery };
  }

  /** False stops every compaction that nobody asked for; whatever the limits say. */
  setAutoCompactionEnabled(isEnabled: boolean): void {
    this.#standing.isAutomatic = isEnabled;
  }

  /** What it is told before the next word, where that is not what the log says; what was said stays. */
  setBeginning(beginning: Beginning): void {
    this.#standing.beginning = beginning;
  }

  /** Writes beside the conversation, such as a pin or a name; between two requests, so that it comes into none. */
  annotate(act: (session: Session) => Promise<AppendResult>, manner: Annotation = {}): Promise<AppendResult> {
    const { isSeen = false, isAfterwards = false } = manner;
    return this.#work[isAfterwards ? "afterwards" : "beside"](async ({ session }) => {
      if (isSeen) await this.#standing.establish();
      return await act(session);
    });
  }

  /** Has a first message written for a new session that goes on with this one's work towards a goal (B82). */
  handOff(goal: string, isThere: IsThere): Promise<HandedOff> {
    return this.#work.beside(async (parts) => {
      const { handOff } = await import("./session/handoff.ts");
      return await handOff(goal, { ...parts, isThere });
    });
  }

  /** Has the model know a skill, word for word, before whatever is said next. */
  attachSkill(skill: SkillText): Promise<void> {
    return this.#work.beside(async ({ session }) => {
      const { attachSkill } = await import("./prompt/attach-skills.ts");
      await this.#standing.establish();
      await attachSkill(session, skill);
    });
  }

  /** Undoes the newest compaction, or takes that back: one step. A move like any other, so that a run must have ended. */
  async undoCompaction(step: "undo" | "redo" = "undo"): Promise<UndoResult | Refused> {
    const refused = this.#refused();
    if (refused) return refused;
    return this.#work.alone(async function* (parts) {
      const { stepBack } = await import("./session/navigate.ts");
      return yield* stepBack(step, parts);
    });
  }

  /** Goes to another place in the tree; refused while a run, a compaction or another move is under way (B80). */
  async navigateTree(target: string | null, wish: Destination = {}): Promise<Navigated> {
    const refused = this.#refused();
    if (refused) return refused;
    const { rewind } = this.#parts;
    return this.#work.alone(async function* (parts) {
      const { navigate } = await import("./session/navigate.ts");
      return yield* navigate(target, wish, { parts, rewind });
    });
  }

  /** What is under way at the leaf, which a move would leave (B80). */
  #refused(): Refused | null {
    const [why = this.isRunning ? ("streaming" as const) : null] = this.session.busyReasons;
    return why && { type: "refused", why };
  }

  /** What going there would do to the files that the session changed; nothing is touched. */
  async previewFiles(target: string | null): Promise<readonly PlannedFile[]> {
    const { rewind } = this.#parts;
    if (!rewind) return [];
    const { filesOnTheWay } = await import("./session/navigate.ts");
    return filesOnTheWay(target, this.session, rewind);
  }
}

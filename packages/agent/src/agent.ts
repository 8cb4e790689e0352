/** An agent: a session, somebody who speaks and what can be done, from one message of the user to the end of the work. */

import {
  type Compaction,
  type CompactionLimits,
  type ContextSize,
  compactionLimits,
  contextSize,
  type Model,
  modelWriter,
  type Ports,
  type Session,
  type ThinkingLevel,
  type Writer,
} from "@pith/context";
import type { AgentEvent, RunEnd } from "./events.ts";
import { budgetOf, compaction } from "./loop/keep-fit.ts";
import { run } from "./loop/run.ts";
import type { RunParts } from "./loop/run-parts.ts";
import { surroundings } from "./prompt/surroundings.ts";
import { systemMessage } from "./prompt/system-message.ts";
import { atOnce, type Step } from "./step.ts";
import type { Tool } from "./tool.ts";

export interface AgentParts {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly ports: Ports;
  readonly thinking?: ThinkingLevel;
  readonly limits?: CompactionLimits;
  /** Who writes summaries; the model that works, where nobody is named. */
  readonly writers?: readonly Writer[];
  readonly step?: Step;
}

export interface Beginning {
  readonly folder: string;
  /** Instead of our own system prompt. */
  readonly replacement?: string | undefined;
  /** Behind it. */
  readonly addition?: string | undefined;
}

export class Agent {
  readonly #parts: AgentParts;
  #isAutomatic = true;
  #running: AbortController | null = null;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  get session(): Session {
    return this.#parts.session;
  }

  /** Says what must be said before the first word: who the model is and what it can do, where it works and when. */
  async begin({ folder, replacement, addition }: Beginning): Promise<void> {
    const { session, tools, ports } = this.#parts;
    const now = ports.now();
    await session.settle();
    const isNew = !session.window.entries.some((entry) => entry.type === "message" && entry.message.role === "system");
    const parts = {
      tools,
      ...(replacement !== undefined && { replacement }),
      ...(addition !== undefined && { addition }),
    };
    if (isNew && session.window.compactionAt === -1)
      await session.append({ type: "message", message: systemMessage(parts, now) });
    const place = surroundings(session.window, { folder, now });
    if (place) await session.append(place);
  }

  /** Says something to the model and lets it work until it has no more to say. One run at a time. */
  async *prompt(text: string): AsyncGenerator<AgentEvent, RunEnd> {
    if (this.#running) throw new Error("the agent is at work; wait for it to end, or abort it");
    const { session, ports } = this.#parts;
    const act = new AbortController();
    this.#running = act;
    try {
      const message = { role: "user", content: [{ type: "text", text }], timestamp: ports.now() } as const;
      const id = ports.entryId();
      await session.append({ type: "message", message, id });
      yield { type: "message_end", message };
      return yield* run(this.#runParts(act.signal), id);
    } finally {
      // Whoever stops listening stops the work.
      act.abort();
      this.#running = null;
    }
  }

  /** Ends what is under way. What was said and done until then stays. */
  abort(): void {
    this.#running?.abort();
  }

  /** Asked for: whatever the threshold says, and also where nothing happens by itself. */
  async compact(instructions?: string): Promise<Compaction> {
    const parts = this.#runParts(new AbortController().signal);
    const acts = compaction(parts, { reason: "manual", ...(instructions !== undefined && { instructions }) });
    for (;;) {
      const { done, value } = await acts.next();
      if (done) return value;
    }
  }

  /** False stops every compaction that nobody asked for. */
  setAutoCompactionEnabled(isEnabled: boolean): void {
    this.#isAutomatic = isEnabled;
  }

  /** What the next request would weigh, and what the model can see. */
  contextUsage(): ContextSize & { readonly contextWindow: number } {
    const parts = this.#runParts(new AbortController().signal);
    return { ...contextSize(parts.session.window, budgetOf(parts)), contextWindow: parts.model.contextWindow };
  }

  #runParts(signal: AbortSignal): RunParts {
    const { session, model, tools, ports, thinking, limits = compactionLimits, step = atOnce } = this.#parts;
    const writers = this.#parts.writers ?? [modelWriter(model, { ports })];
    return {
      session,
      model,
      tools,
      ports,
      thinking,
      limits: { ...limits, enabled: limits.enabled && this.#isAutomatic },
      writers,
      step,
      signal,
    };
  }
}

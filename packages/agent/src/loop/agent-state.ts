/** Holds an agent's current model, thinking level, system prompt, queue modes and auto-compaction setting. */

import {
  type Budget,
  compactionLimits,
  createBudget,
  type Model,
  messageTokens,
  type ThinkingLevel,
} from "@pith/context";
import { DAMAGE_TYPE, findMissingSkills, mergeSystemMessages } from "@pith/context/host";
import type { AgentOptions } from "../agent-options.ts";
import { appendEntries } from "../append-entries.ts";
import { changeModel, type SetModelResult } from "../compaction/auto-compact.ts";
import { PreparationSlot } from "../compaction/preparation-slot.ts";
import type { AgentEvent } from "../events.ts";
import { NoticeHistory } from "../notices.ts";
import { buildSystemMessage, ensureSystemPrompt, type SystemPromptOptions } from "../prompt/system-prompt.ts";
import { defaultQueueModes, type QueueModes, type RunContext } from "../run-context.ts";
import { ContinuationCounter } from "../run-limits.ts";

export class AgentState {
  /** The system prompt from the next request on. Changes are written to the log before that request. */
  systemPrompt: SystemPromptOptions | undefined;
  /** Undefined: the limits decide. */
  isAutoCompactionEnabled: boolean | undefined;
  queueModes: QueueModes = defaultQueueModes;
  readonly preparation: PreparationSlot = new PreparationSlot();
  readonly #options: AgentOptions;
  readonly #notices = new NoticeHistory();
  readonly #continuations = new ContinuationCounter();
  #model: Model;
  #thinkingLevel: ThinkingLevel | undefined;
  #hasOpeningNote = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#thinkingLevel = options.thinkingLevel;
    this.systemPrompt = options.systemPrompt;
  }

  get model(): Model {
    return this.#model;
  }

  get thinkingLevel(): string {
    return this.#thinkingLevel ?? this.#options.session.branch.state.thinkingLevel;
  }

  /** Before the first message, the budget includes the system prompt that is not in the log yet. */
  get budget(): Budget {
    const budget = this.createRunContext().getBudget();
    const { session, tools } = this.#options;
    const { takesTools } = this.#model;
    const hasStarted =
      session.branch.entries.some(({ type }) => type === "message") || mergeSystemMessages(session.branch);
    if (!this.systemPrompt || hasStarted) return budget;
    return { ...budget, fixed: messageTokens(buildSystemMessage({ ...this.systemPrompt, tools, takesTools }, 0)) };
  }

  createRunContext(signal: AbortSignal = NEVER_ABORTED): RunContext {
    const { hooks = {} } = this.#options;
    return {
      ...this.#options,
      ...(this.systemPrompt && { systemPrompt: this.systemPrompt }),
      model: this.#model,
      getBudget: this.#createBudgetGetter(),
      hooks,
      notices: this.#notices,
      preparation: this.preparation,
      continuations: this.#continuations,
      queueModes: this.queueModes,
      signal,
    };
  }

  /** Appends what must precede the next message: the system prompt, the opening note and missing skills. */
  async ensureSystemPrompt(): Promise<void> {
    const { session, tools, runtime } = this.#options;
    const [model, systemPrompt, thinkingLevel] = [this.#model, this.systemPrompt, this.#thinkingLevel];
    await ensureSystemPrompt({ session, tools, runtime, model, systemPrompt, thinkingLevel });
    await this.#appendOpeningNote();
    // A compaction outside of an agent does not re-attach skills.
    if (session.branch.compactionIndex < 0 || findMissingSkills(session.branch).length === 0) return;
    const { reattachSkills } = await import("../prompt/attach-skills.ts");
    const run = this.createRunContext();
    await reattachSkills(run, { budget: run.getBudget() });
  }

  /** Appends the opening note once, before the first message of this agent. */
  async #appendOpeningNote(): Promise<void> {
    const { session, openingNote: content } = this.#options;
    if (content === undefined || this.#hasOpeningNote) return;
    this.#hasOpeningNote = true;
    await appendEntries(session, { type: "custom_message", customType: DAMAGE_TYPE, content, display: false });
  }

  /** Takes effect from the next request on. If the context does not fit the new model, nothing changes. */
  async *setModel(model: Model, run: RunContext): AsyncGenerator<AgentEvent, SetModelResult> {
    const outcome = yield* changeModel(model, run);
    // PREP4: the summary was planned for the window of the old model.
    if (outcome.type === "set") await this.preparation.drop();
    if (outcome.type === "set") this.#model = model;
    return outcome;
  }

  /** Takes effect from the next request on. */
  async *setThinkingLevel(level: ThinkingLevel): AsyncGenerator<AgentEvent, void> {
    await appendEntries(this.#options.session, { type: "thinking_level_change", thinkingLevel: level });
    this.#thinkingLevel = level;
    yield { type: "thinking_level_changed", level };
  }

  /** The getter keeps the current model and settings. */
  #createBudgetGetter(): RunContext["getBudget"] {
    const currentModel = this.#model;
    const { limits = compactionLimits } = this.#options;
    const { isAutoCompactionEnabled } = this;
    return ({ api, provider, model, contextWindow } = currentModel) => {
      const name = { api, provider, model };
      const modelLimits = typeof limits === "function" ? limits(name) : limits;
      const enabled = isAutoCompactionEnabled ?? modelLimits.enabled;
      return createBudget({ ...modelLimits, enabled }, { contextWindow, model: name });
    };
  }
}

const NEVER_ABORTED = new AbortController().signal;

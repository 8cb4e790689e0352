/** Holds an agent's current model, thinking level, system prompt, delivery modes and auto-compaction setting. */

import {
  type Budget,
  compactionLimits,
  type Model,
  type ModelName,
  messageTokens,
  type ThinkingLevel,
} from "@pith/context";
import { DAMAGE_TYPE, findMissingSkills, mergeSystemMessages } from "@pith/context/host";
import type { AgentParts, LimitsFor } from "../agent-options.ts";
import { appended } from "../append.ts";
import { changeModel, type ModelSet } from "../compaction/auto-compact.ts";
import type { AgentEvent } from "../events.ts";
import { atOnce } from "../ports.ts";
import { type Beginning, establish, systemMessage } from "../prompt/system-prompt.ts";
import { budgetOf, type Deliveries, Notices, Nudges, type RunParts, usualDeliveries } from "./run-context.ts";

export class Standing {
  /** What it is told before the next word, where that is not what the log says. */
  beginning: Beginning | undefined;
  /** Undefined: as the limits say. */
  isAutomatic: boolean | undefined;
  deliveries: Deliveries = usualDeliveries;
  readonly #parts: AgentParts;
  readonly #notices = new Notices();
  readonly #nudges = new Nudges();
  #model: Model;
  #thinking: ThinkingLevel | undefined;
  #isNoted = false;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.#thinking = parts.thinking;
    this.beginning = parts.beginning;
  }

  get model(): Model {
    return this.#model;
  }

  get thinkingLevel(): string {
    return this.#thinking ?? this.#parts.session.branch.state.thinkingLevel;
  }

  /** What it will be told before the first word weighs something before that, too. */
  get budget(): Budget {
    const budget = budgetOf(this.runParts());
    const { session, tools } = this.#parts;
    const { takesTools } = this.#model;
    const isBegun =
      session.branch.entries.some(({ type }) => type === "message") || mergeSystemMessages(session.branch);
    if (!this.beginning || isBegun) return budget;
    return { ...budget, fixed: messageTokens(systemMessage({ ...this.beginning, tools, takesTools }, 0)) };
  }

  /** For a run, or for an act beside one. */
  runParts(signal: AbortSignal = NEVER): RunParts {
    const { hooks = {}, step = atOnce } = this.#parts;
    return {
      ...this.#parts,
      ...(this.beginning && { beginning: this.beginning }),
      model: this.#model,
      limits: this.#limits(),
      hooks,
      step,
      notices: this.#notices,
      nudges: this.#nudges,
      deliveries: this.deliveries,
      signal,
    };
  }

  /** Says what must have been said before the first word. */
  async establish(): Promise<void> {
    const { session, tools, ports } = this.#parts;
    const [model, beginning, thinking] = [this.#model, this.beginning, this.#thinking];
    await establish({ session, tools, ports, model, beginning, thinking });
    await this.#noteDamage();
    // Whoever compacted it beside an agent did not attach them.
    if (session.branch.compactionIndex < 0 || findMissingSkills(session.branch).length === 0) return;
    const { reattachSkills } = await import("../prompt/attach-skills.ts");
    await reattachSkills(this.runParts());
  }

  /** Once, before the first word of this agent. */
  async #noteDamage(): Promise<void> {
    const { session, openingNote: content } = this.#parts;
    if (content === undefined || this.#isNoted) return;
    this.#isNoted = true;
    await appended(session, { type: "custom_message", customType: DAMAGE_TYPE, content, display: false });
  }

  /** From the next request on; where it is too much for that one, nothing changes. */
  async *speakWith(model: Model, parts: RunParts): AsyncGenerator<AgentEvent, ModelSet> {
    const outcome = yield* changeModel(model, parts);
    if (outcome.type === "set") this.#model = model;
    return outcome;
  }

  /** From the next request on. */
  async *think(level: ThinkingLevel, { session }: RunParts): AsyncGenerator<AgentEvent, void> {
    await appended(session, { type: "thinking_level_change", thinkingLevel: level });
    this.#thinking = level;
    yield { type: "thinking_level_changed", level };
  }

  #limits(): LimitsFor {
    const { limits = compactionLimits } = this.#parts;
    const { isAutomatic } = this;
    return (to: ModelName) => {
      const own = typeof limits === "function" ? limits(to) : limits;
      return { ...own, enabled: isAutomatic ?? own.enabled };
    };
  }
}

const NEVER = new AbortController().signal;

/** Limits what the requests of models may cost together. The limit is asked before every request, also before a retry or a summary. */

import type { Model, ModelEvent, Usage } from "@pith/context";

/** Asked by a model before each of its requests. */
export interface RequestLimit {
  /** Returns null if the next request may be sent, otherwise the reason why not. */
  check(): Promise<string | null>;
  /** Called with the usage of each reply, also of a failed one. */
  recordUsage(usage: Usage): void;
}

/** A sum that several models share. Models without a price in the catalogue count as free. */
export class CostLimit implements RequestLimit {
  /** In US dollars. */
  readonly maxCost: number;
  #cost = 0;

  constructor(maxCost: number) {
    this.maxCost = maxCost;
  }

  /** Starts again at zero. */
  reset(): void {
    this.#cost = 0;
  }

  addCost(cost: number): void {
    this.#cost += cost;
  }

  recordUsage({ cost }: Usage): void {
    this.addCost(cost.total);
  }

  async check(): Promise<string | null> {
    if (this.#cost < this.maxCost) return null;
    return `the run stopped because it cost $${this.#cost.toFixed(4)}; the limit is $${this.maxCost}`;
  }
}

/** Wraps a model so that it sends no request that the limit does not permit. */
export function withRequestLimit(model: Model, limit: RequestLimit): Model {
  return {
    api: model.api,
    provider: model.provider,
    model: model.model,
    get contextWindow() {
      return model.contextWindow;
    },
    maxTokens: model.maxTokens,
    ...(model.takesTools !== undefined && { takesTools: model.takesTools }),
    async *stream(request, options) {
      const refusal = await limit.check();
      if (refusal !== null)
        return yield { type: "reply-failed", failure: { kind: "refused", reason: "cost-limit", message: refusal } };
      for await (const event of model.stream(request, options)) {
        const usage = getUsage(event);
        if (usage) limit.recordUsage(usage);
        yield event;
      }
    },
  };
}

/** An attempt that is retried ends with `reply-failed` here: retries are outside of the limit. */
function getUsage(event: ModelEvent): Usage | undefined {
  return event.type === "reply-ended" || event.type === "reply-failed" ? event.message?.usage : undefined;
}

/** The cost limit of a sub-agent: the process that started it holds the sum and is asked before every request. */

import type { RunCostLimit } from "@pith/agent";
import type { RpcCostEvent } from "@pith/client";
import type { Usage } from "@pith/context";
import type { RequestLimit } from "@pith/models";

export class ParentCostLimit implements RequestLimit, RunCostLimit {
  readonly #send: (event: RpcCostEvent) => void;
  readonly #pending = new Map<string, (refusal: string | null) => void>();
  #lastNumber = 0;

  constructor(send: (event: RpcCostEvent) => void) {
    this.#send = send;
  }

  /** The sum belongs to the run of the process that started this one. */
  reset(): void {}

  recordUsage({ cost }: Usage): void {
    if (cost.total > 0) this.#send({ type: "cost_update", cost: cost.total });
  }

  async check(): Promise<string | null> {
    this.#lastNumber += 1;
    const id = `cost${this.#lastNumber}`;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#pending.set(id, resolve);
    this.#send({ type: "cost_check", id });
    return await promise;
  }

  /** Returns null if the response is accepted, otherwise an error message for the client. */
  handleResponse({ id, refusal }: Readonly<Record<string, unknown>>): string | null {
    const respond = typeof id === "string" ? this.#pending.get(id) : undefined;
    if (!respond || typeof id !== "string") return 'no open check of the cost has this "id"';
    if (refusal !== null && typeof refusal !== "string")
      return '"refusal" must be a string, or null to permit a request';
    this.#pending.delete(id);
    respond(refusal);
    return null;
  }

  /** Refuses what is still open: nobody is left who could permit it. */
  close(): void {
    for (const respond of this.#pending.values()) respond("the process that holds the cost limit has ended");
    this.#pending.clear();
  }
}

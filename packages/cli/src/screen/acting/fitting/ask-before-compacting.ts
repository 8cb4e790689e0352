/** The question before a compaction that nobody asked for, and what becomes of its answer. */

import type { Agent } from "@pith/agent";
import { POSTPONED, type SessionBeforeCompactEvent, type SessionBeforeCompactResult, type Window } from "@pith/context";
import { askBefore, askBeforeSwitch, type Consent } from "../../panels/fitting/ask-before.ts";
import type { Talking } from "../talking.ts";
import { refreshMeter } from "./refresh-meter.ts";

type Reply = SessionBeforeCompactResult | undefined;

export class Consenting {
  readonly #about: Talking;
  /** Nobody is asked again below so many tokens, behind the compaction it was said behind. */
  #quiet: { readonly until: number; readonly behind: string | null } | null = null;

  constructor(about: Talking) {
    this.#about = about;
  }

  async answer(event: SessionBeforeCompactEvent): Promise<Reply> {
    const { agent } = this.#about.ready.built;
    const { tokensBefore } = event.preparation;
    // It fits who speaks now, so that it is meant for another.
    if (tokensBefore <= agent.budget.limit) return (await this.#askForNext(event)) ? undefined : { cancel: true };
    const behind = newest(agent.session.window);
    if (this.#quiet?.behind === behind && tokensBefore < this.#quiet.until) return { cancel: true };
    const mayWait = hasRoom(agent, tokensBefore) && !hasWaited(agent.session.window);
    const consent = await this.#ask(event, mayWait);
    if (consent === "now") return undefined;
    if (consent === "never") return this.#never();
    this.#quiet = { until: tokensBefore + agent.budget.span * GROWTH, behind };
    return mayWait ? { postpone: true } : { cancel: true };
  }

  /** Whoever says nothing in time has it done, since the work must go on. */
  async #ask({ preparation, signal }: SessionBeforeCompactEvent, mayWait: boolean): Promise<Consent> {
    const { screen, ready } = this.#about;
    const { limit, tail } = ready.built.agent.budget;
    const until = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const seconds = PATIENCE_MS / 1000;
    const panel = askBefore({ tokens: preparation.tokensBefore, limit, keeps: tail, seconds, mayWait });
    return (await screen.ask(panel, { where: "inline", signal: until })) ?? (until.aborted ? "now" : "later");
  }

  /** Whoever says nothing keeps the model there is. */
  async #askForNext({ preparation, signal }: SessionBeforeCompactEvent): Promise<boolean> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const panel = askBeforeSwitch({ tokens: preparation.tokensBefore, seconds: PATIENCE_MS / 1000 });
    return (await this.#about.screen.ask(panel, { where: "inline", signal: until })) ?? false;
  }

  #never(): Reply {
    this.#about.ready.built.agent.setAutoCompactionEnabled(false);
    refreshMeter(this.#about);
    this.#about.screen.tell("Nothing is compacted by itself until you leave; /autocompact on takes that back.");
    return { cancel: true };
  }
}

/** A hook is waited for half a minute. */
const PATIENCE_MS = 25_000;

/** Of the window. */
const GROWTH = 1 / 20;

function newest({ entries, compactionAt }: Window): string | null {
  return entries[compactionAt]?.id ?? null;
}

/** As the heart decides whether it may be put off. */
function hasRoom({ budget: { contextWindow, limit } }: Agent, tokens: number): boolean {
  return contextWindow - tokens >= (contextWindow - limit) / 2;
}

function hasWaited({ entries, compactionAt }: Window): boolean {
  const since = entries.slice(compactionAt + 1);
  return since.some((entry) => entry.type === "custom" && entry.customType === POSTPONED);
}

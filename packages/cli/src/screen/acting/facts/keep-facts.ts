/** Keeps what the footer tells: looked at anew when it can have changed, never while a reply is coming. */

import { type Entry, MOVE } from "@pith/context";
import { factsOf, nothingFound, type SlowFacts } from "../../state/facts-of.ts";
import { meterOf } from "../../state/meter-of.ts";
import type { Talking } from "../talking.ts";
import { gitBranch, headFile } from "./git-branch.ts";
import { placeInTree } from "./place-in-tree.ts";
import { qualityHint } from "./quality-hint.ts";
import { SessionCost } from "./session-cost.ts";
import { weighSlowly } from "./weigh-slowly.ts";

export interface FactsKeeper {
  stop(): void;
}

export function keepFacts(talking: Talking): FactsKeeper {
  const keeping = new Keeping(talking);
  const release = talking.ready.built.agent.session.watch((entries) => keeping.written(entries));
  keeping.begin().catch(unknown);
  return {
    stop: () => {
      release();
      keeping.stop();
    },
  };
}

/** A session that is closed meanwhile, or cannot be read, leaves the footer as it is. */
function unknown(): void {}

function isMove(entry: Entry): boolean {
  return entry.type === "branch_summary" || (entry.type === "custom" && entry.customType === MOVE);
}

/** Several entries come at once, and each call brings more: so long until they are looked at together. */
const SOON_MS = 120;

class Keeping {
  readonly #talking: Talking;
  readonly #cost = new SessionCost();
  #found: SlowFacts = nothingFound;
  #head: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #wasMoved = false;
  #isCounted: boolean | null = null;

  constructor(talking: Talking) {
    this.#talking = talking;
  }

  async begin(): Promise<void> {
    const { ready, desk } = this.#talking;
    const { session, budget } = ready.built.agent;
    await weighSlowly(session.window, budget);
    this.#head = await headFile(desk.cwd);
    await this.#look({ isMoved: true, isNamed: true });
    await this.#count();
  }

  /** Between two writes there is always a moment for it, at the end of a run if not before. */
  async #count(): Promise<void> {
    const { ready, desk } = this.#talking;
    this.#isCounted = await this.#cost.count(ready.built.agent.session, desk.sessionPath);
    this.#soon();
  }

  written(entries: readonly Entry[]): void {
    this.#cost.add(entries);
    const hint = qualityHint(entries, {
      compactions: this.#cost.sums.compactions,
      keymap: this.#talking.screen.state.keymap,
      isRunning: this.#talking.ready.built.agent.isRunning,
    });
    if (hint !== undefined) this.#talking.screen.change((state) => ({ ...state, hint }));
    this.#soon();
    const isMoved = entries.some(isMove) || this.#wasMoved;
    const isNamed = entries.some(({ type }) => type === "session_info");
    // The first word after a move makes the branch.
    this.#wasMoved = entries.some(isMove);
    if (isMoved || isNamed) this.#look({ isMoved, isNamed }).catch(unknown);
  }

  #show(): void {
    if (this.#isStopped) return;
    const { ready, screen } = this.#talking;
    const { session, budget } = ready.built.agent;
    this.#found = { ...this.#found, cost: this.#cost.cost, meter: meterOf(session.window, budget) };
    screen.change((state) => ({ ...state, facts: factsOf(ready, this.#found) }));
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  #soon(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.#due().catch(unknown), SOON_MS).unref();
  }

  async #due(): Promise<void> {
    this.#timer = null;
    this.#found = { ...this.#found, gitBranch: await gitBranch(this.#head) };
    this.#show();
    if (this.#isCounted !== false || this.#isStopped) return;
    this.#isCounted = null;
    this.#count().catch(unknown);
  }

  /** What takes a look at the disk. */
  async #look({ isMoved, isNamed }: { readonly isMoved: boolean; readonly isNamed: boolean }): Promise<void> {
    const { session, budget } = this.#talking.ready.built.agent;
    if (isMoved) await weighSlowly(session.window, budget);
    const place = isMoved ? await placeInTree(session) : this.#found.place;
    const sessionName = isNamed ? ((await session.store.name()) ?? null) : this.#found.sessionName;
    this.#found = { ...this.#found, place, sessionName };
    this.#soon();
  }
}

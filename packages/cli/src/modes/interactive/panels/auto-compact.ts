/** Asks before an automatic compaction, when the context is full or the next model's window is smaller, and implements `/autocompact`. */

import type { Agent } from "@pith/agent";
import type { Budget, LoadedBranch, SessionBeforeCompactEvent, SessionBeforeCompactResult } from "@pith/context";
import { POSTPONE_TYPE } from "@pith/context/host";
import { saveSetting } from "../../../settings/save.ts";
import { amount, formatTokensOrShare } from "../../../text/format.ts";
import type { Opener, Talking } from "../screen-context.ts";
import { show } from "../send.ts";
import { refreshMeter } from "../state/track-footer.ts";
import { choice } from "./choice.ts";
import type { Panel } from "./panel.ts";
import type { Walk } from "./widgets.ts";

export type Consent = "now" | "later" | "never";

export interface Consenting {
  readonly tokens: number;
  readonly limit: number;
  /** Tokens that stay as they were said. */
  readonly keeps: number;
  /** After which it is done without an answer. */
  readonly seconds: number;
  /** Whether there is room to wait. */
  readonly mayWait: boolean;
}

/** Whether it is made small enough for who shall speak; yes or no. */
export function askBeforeSwitch({ tokens, seconds }: Pick<Consenting, "tokens" | "seconds">): Panel<Walk, boolean> {
  return choice<boolean>({
    title: "The next model sees less at once. Compact the context for it?",
    body: ({ theme }) => [
      theme.dim(` ${amount(tokens)} tokens are too many for it. Who speaks now tells in short what is old;`),
      theme.dim(" your words and pins stay, and you can undo it."),
      theme.dim(` Without an answer in ${seconds} seconds nothing changes.`),
    ],
    options: [
      { key: "y", label: "Compact, then change the model", value: true },
      { key: "n", label: "No", says: "who speaks now speaks on", value: false },
    ],
  });
}

export function askBefore({ tokens, limit, keeps, seconds, mayWait }: Consenting): Panel<Walk, Consent> {
  return choice<Consent>({
    title: "The context is full. Compact it now?",
    body: ({ theme }) => [
      theme.dim(` ${amount(tokens)} of ${amount(limit)} tokens. The newest ${amount(keeps)} stay as they were said;`),
      theme.dim(" all before is told in short, and your words and pins stay. You can undo it."),
      ...(mayWait
        ? []
        : [
            theme.warning(" There is no room to wait: the next request may be refused as too long,"),
            theme.warning(" and then it is compacted all the same."),
          ]),
      theme.dim(` Without an answer it is done in ${seconds} seconds.`),
    ],
    options: [
      { key: "y", label: "Compact now", value: "now" },
      { key: "n", label: "Not now", says: "you are asked again when it has grown", value: "later" },
      // It comes unasked, perhaps in the middle of a word: what switches something off is no small letter.
      { key: "N", label: "Never in this session", says: "/autocompact on takes that back", value: "never" },
    ],
  });
}

type Reply = SessionBeforeCompactResult | undefined;

export class CompactionConsent {
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
    const behind = newest(agent.session.branch);
    if (this.#quiet?.behind === behind && tokensBefore < this.#quiet.until) return { cancel: true };
    const mayWait = hasRoom(agent, tokensBefore) && !hasWaited(agent.session.branch);
    const consent = await this.#ask(event, mayWait);
    if (consent === "now") return undefined;
    if (consent === "never") return this.#never();
    this.#quiet = { until: tokensBefore + agent.budget.shareBase * GROWTH, behind };
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

function newest({ entries, compactionIndex: compactionAt }: LoadedBranch): string | null {
  return entries[compactionAt]?.id ?? null;
}

/** As the heart decides whether it may be put off. */
function hasRoom({ budget: { contextWindow, limit } }: Agent, tokens: number): boolean {
  return contextWindow - tokens >= (contextWindow - limit) / 2;
}

function hasWaited({ entries, compactionIndex: compactionAt }: LoadedBranch): boolean {
  const since = entries.slice(compactionAt + 1);
  return since.some((entry) => entry.type === "custom" && entry.customType === POSTPONE_TYPE);
}

export function autoChoice(budget: Budget): Panel<Walk, boolean> {
  const { enabled } = budget.limits;
  return choice({
    title: `Automatic compaction is ${enabled ? "on" : "off"}`,
    body: ({ theme }) => rowsOf(budget).map(([name, says]) => `   ${theme.dim(name.padEnd(18))} ${says}`),
    options: [
      { key: "1", label: "on ", says: "the context is made smaller when it is full", value: true },
      { key: "2", label: "off", says: "only when you ask for it with /compact", value: false },
    ],
    at: enabled ? 0 : 1,
  });
}

function rowsOf({ contextWindow, limit, tail, limits }: Budget): readonly (readonly [string, string])[] {
  const reserve = limits.thresholds.find((threshold) => threshold.reserve !== undefined)?.reserve;
  const isKnown = Number.isFinite(limit);
  return [
    ["window", isKnown ? `${amount(contextWindow)} tokens` : "unknown: compacted when the provider refuses a request"],
    ...(isKnown ? [["compacted above", `${amount(limit)} tokens`] as const] : []),
    [
      "reserveTokens",
      `${reserve === undefined ? "none" : formatTokensOrShare(reserve)}: ${isKnown ? `${amount(contextWindow - limit)} stay free for answers` : "stays free for answers"}`,
    ],
    [
      "keepRecentTokens",
      `${formatTokensOrShare(limits.tail.tokens)}: the newest ${amount(tail)} stay as they were said`,
    ],
  ];
}

export const openAutocompact: Opener = async (words, talking) => {
  const { ready, desk, screen } = talking;
  if (words !== "") {
    const { autocompact } = await import("../../../commands/compact.ts");
    await show(await autocompact.run(words, desk), talking);
    refreshMeter(talking);
    return true;
  }
  const { agent } = ready.built;
  const wanted = await screen.ask(autoChoice(agent.budget), { where: "inline" });
  if (wanted === null) return true;
  agent.setAutoCompactionEnabled(wanted);
  refreshMeter(talking);
  const unsaved = await saveSetting({ path: ["compaction", "enabled"], value: wanted, home: desk.home });
  if (unsaved) screen.tell(`${unsaved.message}; it holds until you leave`, "bad");
  else
    screen.tell(
      `Automatic compaction is ${wanted ? "on" : "off"}, here and from now on ("compaction.enabled").`,
      "good",
    );
  return true;
};

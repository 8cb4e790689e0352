/** Asks before a compaction, when the context is full or the next model's window is smaller, and implements `/autocompact`. */

import type { Budget, LoadedBranch, SessionBeforeCompactEvent, SessionBeforeCompactResult } from "@pith/context";
import { POSTPONE_TYPE } from "@pith/context/host";
import { formatNumber, formatTokenAmount, formatTokenLimit } from "@pith/host/text/format";
import { saveSetting } from "../../../settings/save.ts";
import type { PanelCommand, SessionScreen } from "../screen-context.ts";
import { showResult } from "../send.ts";
import type { FooterApp } from "../state/footer.ts";
import { refreshMeter } from "../state/track-footer.ts";
import { createChoicePanel } from "./choice.ts";
import type { Panel } from "./panel.ts";
import type { ListPosition } from "./widgets.ts";

export type Consent = "now" | "later" | "never";

export interface CompactionQuestionOptions {
  readonly tokens: number;
  readonly limit: number;
  /** Tokens of the newest messages, which the compaction keeps unchanged. */
  readonly keptTokens: number;
  /** Without an answer, the compaction starts after this time. */
  readonly seconds: number;
  readonly contextWindow: number;
}

/** Asks whether to compact the context for a model with a smaller window. Without an answer, nothing changes. */
export function createSwitchPanel({
  tokens,
  seconds,
}: Pick<CompactionQuestionOptions, "tokens" | "seconds">): Panel<ListPosition, boolean> {
  return createChoicePanel<boolean>({
    title: "The new model has a smaller context window. Compact first?",
    body: ({ theme }) => [
      theme.dim(` ${formatNumber(tokens)} tokens do not fit. The current model summarizes older messages;`),
      theme.dim(" your newest messages and all pins are kept. You can undo it."),
      theme.dim(` If you do not answer in ${seconds} s, nothing changes.`),
    ],
    options: [
      { key: "y", label: "Compact, then switch models", value: true },
      { key: "n", label: "No", description: "keep the current model", value: false },
    ],
  });
}

export function createCompactionPanel(options: CompactionQuestionOptions): Panel<ListPosition, Consent> {
  const { tokens, limit, keptTokens, seconds, contextWindow } = options;
  return createChoicePanel<Consent>({
    title: "The context has reached the compaction threshold. Compact it now?",
    body: ({ theme }) => [
      theme.dim(
        ` It has ${formatNumber(tokens)} tokens. The threshold is ${formatNumber(limit)}, and the window holds ${formatNumber(contextWindow)}.`,
      ),
      theme.dim(` The newest ${formatNumber(keptTokens)} tokens are kept unchanged. Older messages are summarized;`),
      theme.dim(" your newest messages and all pins are kept. You can undo it."),
      ...(hasRoomForReply(options) ? [] : [theme.warning(formatLittleRoom(contextWindow - tokens))]),
      theme.dim(` Compacts automatically in ${seconds} s.`),
    ],
    options: [
      { key: "y", label: "Compact now", value: "now" },
      { key: "n", label: "Not now", description: "ask again when the context has grown", value: "later" },
      // The question may appear while the user types, so a lower-case letter must not switch anything off.
      { key: "N", label: "Never in this session", description: "/autocompact on turns it back on", value: "never" },
    ],
  });
}

function formatLittleRoom(freeTokens: number): string {
  const room = freeTokens > 0 ? `Only ${formatNumber(freeTokens)} tokens of the window are free` : "The window is full";
  return ` ${room}: the next request may be rejected as too long, and then Pith compacts anyway.`;
}

type HookResult = SessionBeforeCompactResult | undefined;

/** Decides for the `session_before_compact` hook whether an automatic compaction starts. */
export class CompactionConsent {
  readonly #context: SessionScreen<keyof FooterApp>;
  /** Set by "Not now": the question is not repeated below `untilTokens`, as long as `compactionId` is the latest compaction. */
  #snooze: { readonly untilTokens: number; readonly compactionId: string | null } | null = null;

  constructor(context: SessionScreen<keyof FooterApp>) {
    this.#context = context;
  }

  async handleBeforeCompact(event: SessionBeforeCompactEvent): Promise<HookResult> {
    const { agent } = this.#context.app;
    const { tokensBefore } = event.preparation;
    const { limit, contextWindow } = agent.budget;
    // The context fits the current model, so the compaction is for a switch to another model.
    if (tokensBefore <= limit) return (await this.#askBeforeSwitch(event)) ? undefined : { cancel: true };
    const { entries, compactionIndex } = agent.session.branch;
    const compactionId = entries[compactionIndex]?.id ?? null;
    if (this.#snooze?.compactionId === compactionId && tokensBefore < this.#snooze.untilTokens) return { cancel: true };
    const consent = await this.#ask(event);
    if (consent === "now") return undefined;
    if (consent === "never") return this.#disable();
    this.#snooze = { untilTokens: tokensBefore + agent.budget.shareBase * SNOOZE_WINDOW_SHARE, compactionId };
    const canPostpone =
      hasRoomForReply({ tokens: tokensBefore, limit, contextWindow }) && !wasPostponed(agent.session.branch);
    return canPostpone ? { postpone: true } : { cancel: true };
  }

  /** Without an answer in time, the compaction starts, so that the run can continue. */
  async #ask({ preparation, signal }: SessionBeforeCompactEvent): Promise<Consent> {
    const { screen, app } = this.#context;
    const { limit, tail, contextWindow } = app.agent.budget;
    const signalOrTimeout = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const seconds = ANSWER_TIMEOUT_MS / 1000;
    const panel = createCompactionPanel({
      tokens: preparation.tokensBefore,
      limit,
      keptTokens: tail,
      seconds,
      contextWindow,
    });
    return (
      (await screen.showPanel(panel, { where: "inline", signal: signalOrTimeout, question: "unprompted" })) ??
      (signalOrTimeout.aborted ? "now" : "later")
    );
  }

  /** Without an answer in time, the current model stays. */
  async #askBeforeSwitch({ preparation, signal }: SessionBeforeCompactEvent): Promise<boolean> {
    const signalOrTimeout = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const panel = createSwitchPanel({ tokens: preparation.tokensBefore, seconds: ANSWER_TIMEOUT_MS / 1000 });
    return (
      (await this.#context.screen.showPanel(panel, {
        where: "inline",
        signal: signalOrTimeout,
        question: "unprompted",
      })) ?? false
    );
  }

  #disable(): HookResult {
    this.#context.app.agent.setAutoCompactionEnabled(false);
    refreshMeter(this.#context);
    this.#context.screen.showNote("Automatic compaction is off until you exit; /autocompact on turns it back on.");
    return { cancel: true };
  }
}

/** Shorter than the hook timeout of 30 seconds. */
const ANSWER_TIMEOUT_MS = 25_000;

/** The share of the window that the context must grow by before the question is repeated. */
const SNOOZE_WINDOW_SHARE = 1 / 20;

/** Applies the same rule as the agent: a compaction can be postponed if half of the reserve is still free. */
function hasRoomForReply({
  tokens,
  limit,
  contextWindow,
}: Pick<CompactionQuestionOptions, "tokens" | "limit" | "contextWindow">): boolean {
  return contextWindow - tokens >= (contextWindow - limit) / 2;
}

function wasPostponed({ entries, compactionIndex }: LoadedBranch): boolean {
  const newEntries = entries.slice(compactionIndex + 1);
  return newEntries.some((entry) => entry.type === "custom" && entry.customType === POSTPONE_TYPE);
}

export function createAutoCompactPanel(budget: Budget): Panel<ListPosition, boolean> {
  const { enabled } = budget.limits;
  return createChoicePanel({
    title: `Automatic compaction is ${enabled ? "on" : "off"}`,
    body: ({ theme }) => describeLimits(budget).map(([name, text]) => `   ${theme.dim(name.padEnd(20))} ${text}`),
    options: [
      { key: "1", label: "on ", description: "compact when the context is full", value: true },
      { key: "2", label: "off", description: "compact only when you run /compact", value: false },
    ],
    initialIndex: enabled ? 0 : 1,
  });
}

function describeLimits({ contextWindow, limit, tail, limits }: Budget): readonly (readonly [string, string])[] {
  const reserve = limits.thresholds.find((threshold) => threshold.reserve !== undefined)?.reserve;
  const isLimitKnown = Number.isFinite(limit);
  const isReserved = reserve !== undefined && "tokens" in reserve && reserve.tokens === contextWindow - limit;
  return [
    [
      "context window",
      isLimitKnown
        ? `${formatNumber(contextWindow)} tokens`
        : "unknown; compacts when the provider rejects a request as too long",
    ],
    ...(isLimitKnown ? [["compaction threshold", `${formatNumber(limit)} tokens`] as const] : []),
    [
      "reserveTokens",
      `${reserve === undefined ? "none" : formatTokenAmount(reserve)} (${isLimitKnown && !isReserved ? `${formatNumber(contextWindow - limit)} tokens ` : ""}reserved for replies)`,
    ],
    [
      "keepRecentTokens",
      `${formatTokenLimit(limits.tail)} (the newest ${limits.tail.tokens === tail ? "" : `${formatNumber(tail)} `}tokens, kept unchanged)`,
    ],
  ];
}

export const openAutocompact: PanelCommand = async (args, context) => {
  const { app, screen } = context;
  if (args !== "") {
    const { autocompactCommand } = await import("../../../commands/compact.ts");
    await showResult(await autocompactCommand.run(args, app), context);
    refreshMeter(context);
    return true;
  }
  const { agent } = app;
  const isEnabled = await screen.showPanel(createAutoCompactPanel(agent.budget), { where: "inline" });
  if (isEnabled === null) return true;
  agent.setAutoCompactionEnabled(isEnabled);
  refreshMeter(context);
  const error = await saveSetting({ path: ["compaction", "enabled"], value: isEnabled, home: app.home });
  if (error) screen.showNote(`${error.message}; the change applies until you exit`, "bad");
  else
    screen.showNote(
      `Automatic compaction is ${isEnabled ? "on" : "off"}, now and in new sessions ("compaction.enabled").`,
      "good",
    );
  return true;
};

/** Keeps the footer data current: refreshed when it can have changed, never while a reply streams in. */

import { setImmediate as nextMoment } from "node:timers/promises";
import {
  type Budget,
  type CompactionEntry,
  compactionDue,
  contextSize,
  type Entry,
  type LoadedBranch,
  readReceipt,
  type Session,
} from "@pith/context";
import { MOVE_TYPE } from "@pith/context/host";
import { createGitHeadReader, formatGitHead, type GitHeadReader } from "../../../app/git-branch.ts";
import { meterParts, rawParts } from "../../../context-report/meter.ts";
import { CompactionCounter, type CompactionCounts } from "../../../sessions/compaction-counts.ts";
import { growOutline } from "../../../sessions/read-outline.ts";
import { SessionCost } from "../../../sessions/session-stats.ts";
import { emptyOutline, grown, type Outline } from "../../../sessions/tree-outline.ts";
import type { Keymap } from "../../../settings/keymap.ts";
import { keyHint } from "../../../settings/keymap-text.ts";
import { amount, counted } from "../../../text/format.ts";
import type { Talking } from "../screen-context.ts";
import { factsOf, type Meter, nothingFound, type SlowFacts } from "./footer.ts";

/** By the one estimator: the same figures as `/context` and the compaction trigger. */
export function meterOf(window: LoadedBranch, budget: Budget): Meter {
  const state = compactionDue(window, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  return {
    tokens: state.size.tokens,
    isEstimate: state.size.isEstimate,
    contextWindow: budget.contextWindow,
    limit,
    soft: limit === null ? null : Math.floor(limit * soft),
    isAutomatic: enabled,
    held: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: meterParts(window, budget),
  };
}

/** Null where there is but one branch. Reads in pieces, so that typing is not blocked. */
export async function placeInTree({ store, leaf, branch: window }: Session): Promise<string | null> {
  let outline = emptyOutline(leaf);
  for await (const growth of growOutline({ store, leaf, near: window.entries, most: MOST }))
    outline = grown(outline, growth);
  return placeIn(outline);
}

/** Of a longer session only so many entries are looked at. */
const MOST = 5_000;

/** A branch ends with something that was said or done behind which nothing of that kind follows. */
function placeIn(outline: Outline): string | null {
  const spoken = [...outline.nodes.values()].filter(({ kind }) => kind !== "other");
  const followed = new Set(spoken.map(({ parentId }) => spokenAt(outline, parentId)));
  const branches = spoken.filter(({ id }) => !followed.has(id)).length;
  if (branches < 2) return null;
  const isAtEnd = !followed.has(spokenAt(outline, outline.leaf));
  return `${isAtEnd ? "" : "between "}${branches}${outline.reach === "cut" ? "+" : ""} branches`;
}

/** This entry, or the nearest before it that is something to people. */
function spokenAt({ nodes }: Outline, from: string | null): string | null {
  let id = from;
  for (let node = nodes.get(id ?? ""); node?.kind === "other"; node = nodes.get(id ?? "")) id = node.parentId;
  return id;
}

export interface HintOptions {
  /** On the branch of the compaction, itself included. */
  readonly counts: CompactionCounts;
  readonly keymap?: Keymap | undefined;
  /** Then its receipt is soon printed for good, without the keys that belong to it. */
  readonly isRunning?: boolean;
}

/** What a user should know of a new compaction, in one line; null if its receipt says it all. */
export function compactionHint(compaction: CompactionEntry, { counts, keymap, isRunning }: HintOptions): string | null {
  const receipt = readReceipt(compaction);
  if (!receipt) return null;
  const seen = keyHint("seen", keymap) ?? "/seen";
  const marked = receipt.findings.filter(({ code }) => MARKED_LINES.has(code)).length;
  const isRepeated = counts.compactions > 1;
  const facts = [
    ...(isRepeated ? [formatCounts(counts)] : []),
    ...(receipt.route === "model-free" ? [`${WITHOUT_MODEL} ${seen} shows it.`] : []),
    ...(marked > 0 ? [`${formatMarkedLines(marked)} ${seen} shows ${marked === 1 ? "it" : "them"}.`] : []),
  ];
  if (facts.length > 1) return facts.join(" ");
  if (isRepeated) return `${facts[0]} ${HANDOFF}`;
  if (facts[0]) return facts[0];
  const undo = keyHint("undoCompaction", keymap) ?? "/undo";
  return isRunning ? `Compacted. ${undo} undoes it; ${seen} shows what the model sees now.` : null;
}

/** The findings after which a line of the summary is marked. */
const MARKED_LINES: ReadonlySet<string> = new Set([
  "unknown-id",
  "false-quote",
  "unknown-name",
  "unfounded",
  "not-from-user",
]);

const WITHOUT_MODEL = "No model wrote the summary: it lists your messages, your files and the last checks.";
const HANDOFF = "/handoff GOAL starts a new session.";

function formatCounts({ compactions, entries }: CompactionCounts): string {
  const summarised =
    entries === null ? "all entries are readable" : `${counted(entries, "entry", "entries")} summarised, all readable`;
  return `Compacted ${amount(compactions)} times; ${summarised}.`;
}

function formatMarkedLines(count: number): string {
  const lines = `${counted(count, "line")} of the summary ${count === 1 ? "is" : "are"}`;
  return `${lines} marked (unconfirmed) or (not from the user).`;
}

/** Estimates tokens in small steps, so that typing is not blocked; estimates are cached. */
export async function weighSlowly(window: LoadedBranch, budget: Budget): Promise<void> {
  let until = performance.now() + MOMENT_MS;
  for (let count = STEP; count < window.entries.length; count += STEP) {
    // Both go on where they stood when they are asked of more.
    const beginning = { ...window, entries: window.entries.slice(0, count) };
    contextSize(beginning, budget);
    if (count > window.compactionIndex) rawParts(beginning, budget.model);
    if (performance.now() < until) continue;
    await nextMoment();
    until = performance.now() + MOMENT_MS;
  }
}

/** Entries. */
const STEP = 50;
const MOMENT_MS = 8;

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
  return entry.type === "branch_summary" || (entry.type === "custom" && entry.customType === MOVE_TYPE);
}

/** Whether the size of the context is measured anew, or no longer. */
function isMeasure(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role === "assistant");
}

/** Several entries come at once, and each call brings more: so long until they are looked at together. */
const SOON_MS = 120;

class Keeping {
  readonly #talking: Talking;
  readonly #cost = new SessionCost();
  readonly #compactions = new CompactionCounter();
  readonly #readGitHead: GitHeadReader;
  #found: SlowFacts = nothingFound;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #wasMoved = false;
  #isCounted: boolean | null = null;
  /** The number of the newest hint. */
  #hint = 0;

  constructor(talking: Talking) {
    this.#talking = talking;
    this.#readGitHead = createGitHeadReader(talking.desk.cwd);
  }

  async begin(): Promise<void> {
    const { session, budget } = this.#talking.ready.built.agent;
    await weighSlowly(session.branch, budget);
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
    this.#updateHint(entries);
    // Plain mode tells the figures as soon as the work has ended.
    if (entries.some(isMeasure)) this.#show();
    this.#soon();
    const isMoved = entries.some(isMove) || this.#wasMoved;
    const isNamed = entries.some(({ type }) => type === "session_info");
    // The first word after a move makes the branch.
    this.#wasMoved = entries.some(isMove);
    if (isMoved || isNamed) this.#look({ isMoved, isNamed }).catch(unknown);
  }

  #updateHint(entries: readonly Entry[]): void {
    const compaction = entries.find((entry) => entry.type === "compaction");
    const isAnswered = entries.some((entry) => entry.type === "message" && entry.message.role === "user");
    if (!compaction && !isAnswered && !entries.some(isMove)) return;
    // A hint whose count is still under way is out of date.
    this.#hint += 1;
    if (compaction) this.#showHint(compaction, this.#hint).catch(unknown);
    else if (isAnswered) this.#talking.screen.change((state) => ({ ...state, hint: null }));
  }

  async #showHint(compaction: CompactionEntry, number: number): Promise<void> {
    const { ready, screen } = this.#talking;
    const { isRunning, session } = ready.built.agent;
    const counts = await this.#compactions.countTo(compaction, session.store);
    if (this.#isStopped || number !== this.#hint) return;
    const hint = compactionHint(compaction, { counts, keymap: screen.state.keymap, isRunning });
    if (hint !== null) screen.change((state) => ({ ...state, hint }));
  }

  #show(): void {
    if (this.#isStopped) return;
    const { ready, screen } = this.#talking;
    const { session, budget } = ready.built.agent;
    this.#found = { ...this.#found, cost: this.#cost.cost, meter: meterOf(session.branch, budget) };
    screen.change((state) => ({ ...state, facts: factsOf(ready, this.#found) }));
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  #soon(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => this.#due(), SOON_MS).unref();
  }

  #due(): void {
    this.#timer = null;
    this.#found = { ...this.#found, gitBranch: formatGitHead(this.#readGitHead()) };
    this.#show();
    if (this.#isCounted !== false || this.#isStopped) return;
    this.#isCounted = null;
    this.#count().catch(unknown);
  }

  /** What takes a look at the disk. */
  async #look({ isMoved, isNamed }: { readonly isMoved: boolean; readonly isNamed: boolean }): Promise<void> {
    const { session, budget } = this.#talking.ready.built.agent;
    if (isMoved) await weighSlowly(session.branch, budget);
    const place = isMoved ? await placeInTree(session) : this.#found.place;
    const sessionName = isNamed ? ((await session.store.name()) ?? null) : this.#found.sessionName;
    this.#found = { ...this.#found, place, sessionName };
    this.#soon();
  }
}

/** For changes that no entry records, such as switching automatic compaction off. */
export function refreshMeter({ ready, screen }: Pick<Talking, "ready" | "screen">): void {
  const { session, budget } = ready.built.agent;
  const meter = meterOf(session.branch, budget);
  screen.change((state) => ({ ...state, facts: factsOf(ready, { ...state.facts, meter }) }));
}

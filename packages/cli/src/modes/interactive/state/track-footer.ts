/** Keeps the footer data current: refreshed when it can have changed, never while a reply streams in. */

import { open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setImmediate as nextMoment } from "node:timers/promises";
import {
  type Budget,
  type CompactionEntry,
  contextSize,
  due,
  type Entry,
  MOVE,
  receiptOf,
  type Session,
  type Window,
} from "@pith/context";
import { meterParts, rawParts } from "../../../context-report/meter.ts";
import { growOutline } from "../../../sessions/read-outline.ts";
import { SessionCost } from "../../../sessions/session-stats.ts";
import { emptyOutline, grown, type Outline } from "../../../sessions/tree-outline.ts";
import type { Keymap } from "../keys/bindings.ts";
import { keyHint } from "../keys/key-text.ts";
import type { Talking } from "../screen-context.ts";
import { factsOf, type Meter, nothingFound, type SlowFacts } from "./footer.ts";

/** By the one estimator: the same figures as `/context` and the compaction trigger. */
export function meterOf(window: Window, budget: Budget): Meter {
  const state = due(window, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  return {
    tokens: state.size.tokens,
    contextWindow: budget.contextWindow,
    limit,
    soft: limit === null ? null : Math.floor(limit * soft),
    isAutomatic: enabled,
    held: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: meterParts(window, budget),
  };
}

/**
 * Reads git's files; no process is started. Where the branch is written down, for this folder or one above it; null where there is no such
 * place.
 */
export async function headFile(folder: string): Promise<string | null> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await headIn(join(at, ".git"));
    if (found !== null) return found;
    if (dirname(at) === at) return null;
  }
}

/** Its name; the beginning of the commit where there is none. */
export async function gitBranch(head: string | null): Promise<string | null> {
  const text = head === null ? null : await beginning(head);
  const [, ref, commit] = /^(?:ref: refs\/(?:heads\/)?(\S+)|([0-9a-f]{7})[0-9a-f]*)\s*$/.exec(text ?? "") ?? [];
  return ref ?? commit ?? null;
}

/** In a worktree there is a file that names the folder. */
async function headIn(path: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null); // Not there, or closed to us: both mean to look further up.
  if (stats?.isDirectory()) return join(path, "HEAD");
  const [, folder] = stats?.isFile() ? (/^gitdir: (.+?)\s*$/.exec((await beginning(path)) ?? "") ?? []) : [];
  return folder === undefined ? null : join(resolve(dirname(path), folder), "HEAD");
}

async function beginning(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    // A folder may lose its repository at any time; then there is no branch.
    return null;
  }
}

const LONGEST = 4_096;

/** Null where there is but one branch. Reads in pieces, so that typing is not blocked. */
export async function placeInTree({ store, leaf, window }: Session): Promise<string | null> {
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

/** Undefined where there is nothing to say or take back; null takes the line away, since the talk has gone on. */
export function qualityHint(entries: readonly Entry[], circumstances: Circumstances): string | null | undefined {
  const compaction = entries.find((entry) => entry.type === "compaction");
  if (compaction) return hintOn(compaction, circumstances);
  return entries.some((entry) => entry.type === "message" && entry.message.role === "user") ? null : undefined;
}

interface Circumstances {
  /** How many there were. */
  readonly compactions: number;
  readonly keymap?: Keymap | undefined;
  /** Then its receipt is soon printed for good, without the keys that belong to it. */
  readonly isRunning?: boolean;
}

function hintOn(compaction: CompactionEntry, { compactions, keymap, isRunning }: Circumstances): string | undefined {
  const receipt = receiptOf(compaction);
  if (!receipt) return undefined;
  const { route, findings } = receipt;
  const flaws = findings.filter(({ code }) => !code.startsWith("words-") && code !== "result-reduced");
  const seen = keyHint("seen", keymap) ?? "/seen";
  if (route === "model-free")
    return `No model told it: your words, files and commands are kept, but no story. ${seen} shows what the model sees.`;
  if (compactions >= OFTEN) return `Summed up ${compactions} times; each time something is lost. ${AFRESH}`;
  if (flaws.length > 0) return `The summary did not agree with the log and was mended. ${seen} shows it.`;
  const undo = keyHint("undoCompaction", keymap) ?? "/undo";
  return isRunning ? `Compacted. ${undo} undoes it; ${seen} shows what the model sees now.` : undefined;
}

const OFTEN = 2;
const AFRESH = "/pin what must stay, or begin afresh with /handoff GOAL.";

/** Estimates tokens in small steps, so that typing is not blocked; estimates are cached. */
export async function weighSlowly(window: Window, budget: Budget): Promise<void> {
  let until = performance.now() + MOMENT_MS;
  for (let count = STEP; count < window.entries.length; count += STEP) {
    // Both go on where they stood when they are asked of more.
    const beginning = { ...window, entries: window.entries.slice(0, count) };
    contextSize(beginning, budget);
    if (count > window.compactionAt) rawParts(beginning, budget.to);
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

/** For changes that no entry records, such as switching automatic compaction off. */
export function refreshMeter({ ready, screen }: Pick<Talking, "ready" | "screen">): void {
  const { session, budget } = ready.built.agent;
  const meter = meterOf(session.window, budget);
  screen.change((state) => ({ ...state, facts: factsOf(ready, { ...state.facts, meter }) }));
}

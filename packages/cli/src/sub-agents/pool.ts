/** Runs the sub-agents of a session and recovers unreported ones. Each end is reported once, and paid for once. */

import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionApi, ExtensionContext } from "@pith/agent";
import { newSubAgentId } from "../sessions/sub-agent-ids.ts";
import { clipped } from "../text/safe-text.ts";
import { type ChildEnd, childArguments, runChild, toolsLeft } from "./child-process.ts";
import type { AgentPart } from "./definitions.ts";
import { type Dropped, type InLog, type Started, SUB_AGENT } from "./log.ts";
import { type Progress, progressAfter, type Result, toldEnd, waiting } from "./result.ts";
import { isAtWork, makeSession, type Outcome, outcomeIn, removeSession } from "./session.ts";
import type { Held } from "./sub-agent-options.ts";

export class Gate {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async through<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#inside >= this.#most) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waited takes the place over.
      if (next) next();
      else this.#inside -= 1;
    }
  }
}

export interface CrewParts {
  readonly pith: Pick<ExtensionApi, "appendEntry" | "appendUsage" | "sendMessage">;
  readonly context: ExtensionContext;
  readonly held: Held;
  /** Told how many work in the background, whenever that changes. */
  readonly onWorking?: (count: number) => void;
}

export interface Task {
  readonly agent: AgentPart;
  readonly task: string;
}

export interface Starting {
  readonly isBackground: boolean;
  /** Told when it does something else. */
  readonly onProgress?: () => void;
}

export const AT_ONCE = 4;
const MOST_OPEN = 32;

export class Crew {
  readonly #parts: CrewParts;
  readonly #gate: Gate = new Gate(AT_ONCE);
  readonly #members = new Map<string, Member>();
  #isClosing = false;

  constructor(parts: CrewParts) {
    this.#parts = parts;
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  member(id: string): Member | undefined {
    return this.#members.get(id);
  }

  /** A sentence where it cannot be started. Its session is there, and the log knows of it, before it works. */
  async start({ agent, task }: Task, starting: Starting): Promise<Member | string> {
    const { context, pith, held } = this.#parts;
    const cannot = (why: unknown): string => `${agent.name} cannot be started: ${textOf(why)}`;
    if (toolsLeft(agent, held)?.length === 0) return cannot("none of its tools is among those that are given here");
    if (this.members.filter(({ result }) => result === null).length >= MOST_OPEN)
      return cannot(`${MOST_OPEN} work or wait already; wait for some of them`);
    const id = newSubAgentId();
    const draft = { id, agent: agent.name, task, cwd: context.cwd, parentSession: context.session.file };
    const made = await makeSession(draft);
    if (made.type === "failed") return cannot(made.why);
    const started: Started = { id, agent: agent.name, task: clipped(task, 200), path: made.path };
    try {
      await pith.appendEntry(SUB_AGENT, started);
    } catch (error) {
      await removeSession(made.path);
      return cannot(error);
    }
    return this.#begun({ agent, task }, started, starting);
  }

  /** Ends all; what was not told by then is told when the session is opened again. */
  async close(): Promise<void> {
    if (this.#working().length > 0) this.#parts.onWorking?.(0);
    this.#isClosing = true;
    for (const { stop } of this.#members.values()) stop();
    await Promise.all(this.members.map(({ ended }) => ended));
    // Where nothing is kept of the caller, nothing is kept of those that worked for it.
    if (this.#parts.context.session.file === null) for (const { path } of this.members) await removeSession(path);
  }

  /** For those that somebody stopped: nobody need hear of them again. */
  async drop(member: Member): Promise<void> {
    member.stop();
    if (this.#isClosing || member.isDropped) return;
    member.isDropped = true;
    const dropped: Dropped = { id: member.id, isDropped: true };
    await this.#parts.pith.appendEntry(SUB_AGENT, dropped).catch(LATER);
  }

  /** What one cost is the session's, too. */
  async pay(id: string, { usage, by }: Pick<Outcome, "usage" | "by">): Promise<void> {
    if (by && usage.totalTokens > 0) await this.#parts.pith.appendUsage({ kind: SUB_AGENT, ...by, usage, note: id });
  }

  #working(): readonly Member[] {
    return this.members.filter(({ isBackground, result }) => isBackground && result === null);
  }

  #tellWorking({ isBackground }: Member): void {
    if (isBackground && !this.#isClosing) this.#parts.onWorking?.(this.#working().length);
  }

  #begun(task: Task, started: Started, { isBackground, onProgress }: Starting): Member {
    const stopping = new AbortController();
    const ended = Promise.withResolvers<Result>();
    const member: Member = {
      ...started,
      isBackground,
      progress: waiting,
      result: null,
      isAwaited: !isBackground,
      isDropped: false,
      ended: ended.promise,
      stop: () => stopping.abort(),
    };
    if (this.#isClosing) member.stop();
    this.#members.set(member.id, member);
    this.#tellWorking(member);
    void this.#gate
      .through(() => this.#worked(task, member, { signal: stopping.signal, onProgress: onProgress ?? (() => {}) }))
      .catch((error: unknown): ChildEnd => ({ type: "failed", why: textOf(error) }))
      .then(async (end) => ended.resolve(await this.#over(member, end)));
    return member;
  }

  async #worked(
    { agent, task }: Task,
    member: Member,
    { signal, onProgress }: Required<Pick<Starting, "onProgress">> & { readonly signal: AbortSignal },
  ): Promise<ChildEnd> {
    const { context, held } = this.#parts;
    return await runChild({
      args: childArguments({ agent, sessionPath: member.path, held, speaker: context.model }),
      ...{ cwd: context.cwd, task, who: agent.name, context, signal },
      listen: (event) => {
        const before = member.progress;
        member.progress = progressAfter(before, event);
        if (member.progress !== before) onProgress();
      },
    });
  }

  async #over(member: Member, end: ChildEnd): Promise<Result> {
    const outcome = await outcomeIn(member.path);
    await this.pay(member.id, outcome).catch(LATER);
    const result = resultOf(member, end, outcome);
    member.result = result;
    this.#tellWorking(member);
    if (member.isBackground && !member.isAwaited && !member.isDropped && !this.#isClosing)
      await this.#parts.pith.sendMessage(toldEnd([result]), { deliverAs: "steer", triggerTurn: true }).catch(LATER);
    return result;
  }
}

/** A session that was left meanwhile, or a disk that is full: the log does not have it, so that it is made good when the session is opened again. */
const LATER = (): void => {};

function resultOf({ id, agent }: Started, end: ChildEnd, { status, text, why }: Outcome): Result {
  // Whatever became of the process: what was said to the end is said.
  if (status === "done") return { id, agent, status, text };
  if (end.type === "stopped") return { id, agent, status: "stopped", text };
  const because = end.type === "failed" ? end.why : why;
  return { id, agent, status: "broken", text, ...(because !== undefined && { why: clipped(because, 500) }) };
}

function textOf(why: unknown): string {
  return why instanceof Error ? why.message : String(why);
}

export interface Member extends Started {
  /** Whether its caller went on without waiting for it. */
  readonly isBackground: boolean;
  progress: Progress;
  /** Null while it works. */
  result: Result | null;
  /** Somebody waits for it, and will tell its end. */
  isAwaited: boolean;
  /** Somebody stopped it. */
  isDropped: boolean;
  readonly ended: Promise<Result>;
  readonly stop: () => void;
}

export interface Recovering {
  readonly crew: Pick<Crew, "pay">;
  /** Of the caller's session; null where nothing of it is kept. */
  readonly file: string | null;
}

/** For sub-agents whose caller's program ended before it reported their end. Returns those that are still to be reported. */
export async function recover({ started, told, paid }: InLog, { crew, file }: Recovering): Promise<readonly Result[]> {
  const open = started.filter(({ id }) => !told.has(id) || !paid.has(id));
  await ended(open.filter(({ id }) => !told.has(id)).map(({ path }) => path));
  const untold: Result[] = [];
  for (const { id, agent, path } of open) {
    const outcome = await outcomeIn(path);
    const mayOwe = !paid.has(id) && outcome.usage.totalTokens > 0;
    if (mayOwe && !(await isPaidElsewhere(id, file))) await crew.pay(id, outcome);
    const { status, text } = outcome;
    const why = status === "broken" ? { why: "the program it worked for ended" } : {};
    if (!told.has(id)) untold.push({ id, agent, status, text, ...why });
  }
  return untold;
}

/** It may have ended while its caller stood on another branch: what was paid there counts in the same totals. */
async function isPaidElsewhere(id: string, file: string | null): Promise<boolean> {
  if (file === null || !existsSync(file)) return false;
  const mark = `"note":${JSON.stringify(id)}`;
  for await (const line of createInterface({ input: createReadStream(file) })) if (line.includes(mark)) return true;
  return false;
}

/** They end with their caller, or soon after; whoever goes on at once waits for that, for a moment. */
async function ended(paths: readonly string[]): Promise<void> {
  let looks = MOST_LOOKS;
  for (const path of paths)
    while (looks > 0 && (await isAtWork(path))) {
      looks -= 1;
      await sleep(OFTEN_MS);
    }
}

const OFTEN_MS = 100;
const MOST_LOOKS = 50;

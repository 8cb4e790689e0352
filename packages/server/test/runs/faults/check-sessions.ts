/** Checks the logs of a campaign: every accepted prompt is answered once and in order, and each extra request and run of a tool follows a takeover. */

import type { Entry } from "@pith/context";
import { entryText } from "@pith/context/host";
import type { Database } from "../../../src/index.ts";
import { requireSession } from "../../support/database.ts";
import type { Conversation } from "./conversations.ts";
import { describeAnswer, describeTask, isUnknownOutcome, type ModelServer, stepKey } from "./model-server.ts";
import type { TokenRaise } from "./token-raises.ts";

export interface SessionsReport {
  readonly prompts: number;
  /** Accepted prompts that are not in the log, or have no answer. */
  readonly lost: number;
  /** Prompts and answers that are in the log more than once. */
  readonly doubled: number;
  /** Prompts out of order, and entries whose parent is not the entry before. */
  readonly misplaced: number;
  /** Steps of the prompts: each needs one request. */
  readonly model_calls_expected: number;
  /** More requests than that, each after a takeover during its step. */
  readonly model_calls_extra: number;
  readonly model_calls_unexplained: number;
  readonly tool_calls: number;
  readonly tool_runs: number;
  /** Idempotent tools that ran again, after a takeover. */
  readonly tool_runs_repeated: number;
  readonly tool_runs_unexplained: number;
  /** Calls of which the model was told that they may or may not have run. */
  readonly tool_results_unknown: number;
  /** Of these, the calls of which it was not told. */
  readonly tool_results_untold: number;
}

export interface CheckOptions {
  readonly database: Database;
  readonly conversations: readonly Conversation[];
  readonly model: Pick<ModelServer, "counts" | "toldUnknown">;
  /** Those after which something may be done again. */
  readonly raises: readonly TokenRaise[];
  /** The number of runs of each call. */
  readonly toolRuns: ReadonlyMap<string, number>;
}

/** Also returns what is wrong, as texts. */
export async function checkSessions(
  options: CheckOptions,
): Promise<{ readonly report: SessionsReport; readonly problems: readonly string[] }> {
  const check = new Check(options);
  for (const conversation of options.conversations) await check.readSession(conversation);
  check.findStrays();
  return check;
}

class Check {
  readonly problems: string[] = [];
  readonly report: { -readonly [Name in keyof SessionsReport]: number } = {
    ...{ prompts: 0, lost: 0, doubled: 0, misplaced: 0 },
    ...{ model_calls_expected: 0, model_calls_extra: 0, model_calls_unexplained: 0 },
    ...{ tool_calls: 0, tool_runs: 0, tool_runs_repeated: 0, tool_runs_unexplained: 0 },
    ...{ tool_results_unknown: 0, tool_results_untold: 0 },
  };
  readonly #options: CheckOptions;
  readonly #steps = new Set<string>();
  readonly #calls = new Set<string>();

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  async readSession({ tenant, id, tasks }: Conversation): Promise<void> {
    const store = await requireSession(this.#options.database, tenant, { id, mode: "read" });
    const entries = await store.entriesFrom(0, 1_000_000);
    const raises = this.#options.raises.filter(({ session }) => session === id);
    entries.forEach(({ parentId, id: entry }, index) => {
      if (parentId !== (entries[index - 1]?.id ?? null))
        this.#report("misplaced", `${id}: the parent of ${entry} is not the entry before`);
    });
    for (const entry of entries)
      if (entry.type === "custom" && entry.customType === "pith.run_failed")
        this.problems.push(`${id}: a run failed: ${JSON.stringify(entry.data)}`);
    let last = -1;
    for (const task of tasks) {
      this.report.prompts += 1;
      const text = describeTask(task);
      const places = listPlaces(entries, (entry) => isMessage(entry, "user") && entryText(entry).includes(text));
      const [place] = places;
      if (place === undefined) {
        this.#report("lost", `${id}: the prompt ${task.id} is not in the log`);
        continue;
      }
      if (places.length > 1) this.#report("doubled", `${id}: the prompt ${task.id} is there ${places.length} times`);
      if (place < last) this.#report("misplaced", `${id}: the prompt ${task.id} is out of order`);
      last = place;
      this.#checkTurn({ entries, raises, task, start: place });
    }
  }

  #checkTurn({ entries, raises, task, start }: Turn): void {
    const next = listPlaces(entries, (entry) => isMessage(entry, "user")).find((place) => place > start);
    const places = listPlaces(entries, (entry) => isMessage(entry, "assistant")).filter(
      (place) => start < place && place < (next ?? entries.length),
    );
    const answers = places.filter((place) => textAt(entries, place).includes(describeAnswer(task)));
    if (answers.length === 0) this.#report("lost", `${task.id} has no answer`);
    if (answers.length > 1 || places.length > task.rounds + 1)
      this.#report("doubled", `${task.id} has ${places.length} replies for ${task.rounds} rounds`);
    let before = start;
    places.forEach((place, round) => {
      const results = this.#checkCalls({ entries, raises, place, next: places[round + 1] ?? next ?? entries.length });
      this.#checkStep(stepKey(task.id, round), countRaises(raises, before, place));
      before = results;
    });
  }

  #checkStep(key: string, takeovers: number): void {
    this.#steps.add(key);
    const extra = (this.#options.model.counts.get(key) ?? 0) - 1;
    this.report.model_calls_expected += 1;
    this.report.model_calls_extra += extra;
    if (extra < 0 || extra > takeovers)
      this.#report("model_calls_unexplained", `${key} had ${extra + 1} requests and ${takeovers} takeovers`);
  }

  /** Returns the place of the last result. */
  #checkCalls({ entries, raises, place, next }: Reply): number {
    const entry = entries[place];
    const message = entry?.type === "message" && entry.message.role === "assistant" ? entry.message : null;
    let last = place;
    for (const block of message?.content ?? []) {
      if (block.type !== "toolCall") continue;
      const results = listPlaces(entries, (result) => isResultOf(result, block.id)).filter((at) => at < next);
      const [at] = results;
      if (at === undefined || results.length > 1) {
        this.problems.push(`the call ${block.id} has ${results.length} results`);
        continue;
      }
      last = Math.max(last, at);
      this.#checkCall(block.id, textAt(entries, at), countRaises(raises, place, at));
    }
    return last;
  }

  #checkCall(call: string, result: string, takeovers: number): void {
    this.#calls.add(call);
    const runs = this.#options.toolRuns.get(call) ?? 0;
    const isIdempotent = call.startsWith("look-");
    const isUnknown = isUnknownOutcome(result);
    this.report.tool_calls += 1;
    this.report.tool_runs += runs;
    if (runs > 1) this.report.tool_runs_repeated += runs - 1;
    if (isUnknown) this.report.tool_results_unknown += 1;
    if (isUnknown && !this.#options.model.toldUnknown.has(call))
      this.#report("tool_results_untold", `the model does not know that ${call} may have run`);
    const fewest = isUnknown ? 0 : 1;
    const most = isIdempotent ? 1 + takeovers : 1;
    if (runs < fewest || runs > most || (isUnknown && (isIdempotent || takeovers === 0)))
      this.#report("tool_runs_unexplained", `${call} ran ${runs} times with ${takeovers} takeovers: ${result}`);
  }

  /** Requests and runs of tools that belong to no entry. */
  findStrays(): void {
    for (const key of this.#options.model.counts.keys())
      if (!this.#steps.has(key)) this.#report("model_calls_unexplained", `${key} is no step of a prompt`);
    for (const call of this.#options.toolRuns.keys())
      if (!this.#calls.has(call)) this.#report("tool_runs_unexplained", `${call} ran and is not in the log`);
  }

  #report(name: keyof SessionsReport, problem: string): void {
    this.report[name] += 1;
    this.problems.push(problem);
  }
}

interface Turn {
  readonly entries: readonly Entry[];
  readonly raises: readonly TokenRaise[];
  readonly task: Conversation["tasks"][number];
  readonly start: number;
}

interface Reply extends Pick<Turn, "entries" | "raises"> {
  readonly place: number;
  /** Where the next reply or prompt is. */
  readonly next: number;
}

function listPlaces(entries: readonly Entry[], matches: (entry: Entry) => boolean): readonly number[] {
  return entries.flatMap((entry, place) => (matches(entry) ? [place] : []));
}

function isMessage(entry: Entry, role: "user" | "assistant"): boolean {
  return entry.type === "message" && entry.message.role === role;
}

function isResultOf(entry: Entry, call: string): boolean {
  return entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolCallId === call;
}

function textAt(entries: readonly Entry[], place: number): string {
  const entry = entries[place];
  return entry ? entryText(entry) : "";
}

/** Raises of the token after the entry `from` and before the entry `to`. */
function countRaises(raises: readonly TokenRaise[], from: number, to: number): number {
  return raises.filter(({ last_seq: at }) => from <= at && at < to).length;
}

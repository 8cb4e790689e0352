/** Runs the steps of one random session that fills up, and checks every compaction in it against the invariants. */

import { type Budget, createBudget } from "../../../src/compaction/budget.ts";
import { compactionDue } from "../../../src/compaction/should-compact.ts";
import { collectPart } from "../../../src/compaction/summary-message.ts";
import { redoCompaction, undoCompaction } from "../../../src/compaction/undo.ts";
import { buildSessionContext } from "../../../src/context/build-context.ts";
import { contextSize } from "../../../src/context/context-size.ts";
import { entryText } from "../../../src/context/entry-text.ts";
import { compact } from "../../../src/default-compaction.ts";
import type { Entry } from "../../../src/entry.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { prepareCompaction } from "../../../src/pi-calls.ts";
import type { Runtime } from "../../../src/runtime.ts";
import { type LoadedBranch, loadBranch } from "../../../src/session/loaded-branch.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../../src/session/session.ts";
import { compactionLimits } from "../../../src/settings.ts";
import { latestRequest } from "../../../src/summary-parts/latest-request.ts";
import { pinEntry, pinText, unpin } from "../../../src/summary-parts/pins.ts";
import { userMessages } from "../../../src/summary-parts/user-messages.ts";
import { drafts, models, pick } from "../../properties/drafts.ts";
import { expectSendable, same } from "../../properties/replay.ts";
import { contextOf, expectCompacted, expectNothingChanged } from "./invariants.ts";
import type { Fit, Step } from "./steps.ts";
import { writing } from "./writers.ts";

export interface SessionRun {
  readonly session: Session;
  readonly store: MemoryStore;
  readonly ports: Runtime;
  readonly all: () => Promise<readonly Entry[]>;
}

export async function runFullSession(steps: readonly Step[]): Promise<void> {
  const run = await startRun();
  for (const [at, step] of steps.entries()) await runStep(run, step, at);
  expectSendable(buildSessionContext(run.session.branch));
}

async function startRun(): Promise<SessionRun> {
  let [ids, time] = [0, 1.7e12];
  const sleep: Runtime["sleep"] = (_, act) => nodeRuntime.sleep(1, act);
  const ports: Runtime = { ...nodeRuntime, now: () => (time += 1000), entryId: () => `id-${++ids}`, sleep };
  const store = MemoryStore.create(ports);
  const session = await Session.open(store, ports);
  return { session, store, ports, all: () => readAllEntries(store) };
}

async function readAllEntries(store: MemoryStore): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  const waiting = [...(await store.children(null))];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    found.push(entry);
    waiting.push(...(await store.children(entry.id)));
  }
  return found.sort((a, b) => number(a) - number(b));
}

const number = ({ id }: Entry): number => Number(id.replace(/\D/g, ""));

async function runStep(run: SessionRun, step: Step, at: number): Promise<void> {
  const { session, all } = run;
  switch (step.do) {
    case "append": {
      const branch = await session.branchEntries();
      const made = drafts(step.command, { branch, all: branch, step: at, time: at });
      const used =
        step.kind % 2 === 0 ? 0 : Math.round(contextSize(session.branch).tokens * (1 + step.kind / 10)) + 1000;
      if (made.length > 0) await session.append(...made.map((draft) => lengthen(draft, { ...step, used }, at)));
      return;
    }
    case "fit":
      return checkCompaction(run, step.fit);
    case "undo":
      return checkUndo(run);
    case "redo":
      await redoCompaction(session);
      return;
    case "pin": {
      const entry = pick(await session.branchEntries(), step.which);
      if (step.entry && entry && entryText(entry, session.branch.edits).trim() !== "")
        await pinEntry(session, entry.id);
      else await pinText(session, `pinned ${at}`);
      return;
    }
    case "unpin": {
      const pin = pick(session.branch.state.pins, step.which);
      if (pin) await unpin(session, pin.id);
      return;
    }
    case "move":
      await session.move(pick(await all(), step.which)?.id ?? null);
      return;
    case "leave": {
      const fromId = session.leaf ?? "root";
      await session.move(pick(await all(), step.which)?.id ?? null);
      await session.append({
        type: "branch_summary",
        fromId,
        summary: `left ${at}`,
        details: { modifiedFiles: [`left/${at}.ts`] },
      });
      return;
    }
  }
}

async function checkCompaction(
  run: SessionRun,
  { contextWindow, reason, attempt, fixed, writers, abort }: Fit,
): Promise<void> {
  const { session, store, ports } = run;
  const to = models[0];
  const budget = createBudget(compactionLimits, { contextWindow, model: to, fixed: Math.floor(contextWindow * fixed) });
  const controller = new AbortController();
  let written = 0;
  const onWrite = (): void => {
    if (++written === abort) controller.abort();
  };
  expectSamePlan(session.branch, loadBranch(await session.branchEntries()), budget);
  const before = { window: session.branch, bytes: store.bytes(), due: compactionDue(session.branch, budget) };
  const made = writing(writers, session, onWrite);
  const outcome = await compact({
    session,
    budget,
    reason,
    attempt,
    runtime: ports,
    ...made,
    signal: controller.signal,
  });
  const moved = writers.some((kind) => kind === "overtaken" || kind === "left-behind");
  const checked = { run, before, budget, outcome, reason, written, writers };
  if (outcome.type === "compacted") await expectCompacted(checked);
  else if (!moved) expectNothingChanged(checked);
  await expectSettled(run, budget);
}

// INV11: from the branch alone, whatever other branches there are and however the window came about.
function expectSamePlan(window: LoadedBranch, again: LoadedBranch, budget: Budget): void {
  const describePlan = (each: LoadedBranch): unknown => {
    const prepared = prepareCompaction(each, budget);
    if (prepared.type !== "planned") return prepared;
    const { plan } = prepared;
    const { request } = collectPart(latestRequest, plan);
    return { cut: plan.cut, kept: plan.kept.map(({ id }) => id), words: collectPart(userMessages, plan), request };
  };
  same("INV11 the plan depends on the branch alone", describePlan(window), describePlan(again));
}

// INV16, INV17: by itself it comes to rest soon, and a second one has nothing to do.
async function expectSettled({ session, ports }: SessionRun, budget: Budget): Promise<void> {
  let rounds = 0;
  while (compactionDue(session.branch, budget).type === "due" && rounds < 5) {
    rounds++;
    await compact({ session, budget, reason: "due", runtime: ports });
  }
  if (rounds > 3) throw new Error(`INV16 it took ${rounds} rounds to come to rest`);
  const again = await compact({ session, budget, reason: "asked", runtime: ports });
  const last = await compact({ session, budget, reason: "asked", runtime: ports });
  if (again.type === "compacted") same("INV17 a second compaction has nothing to do", last.type, "nothing-to-do");
}

async function checkUndo({ session }: SessionRun): Promise<void> {
  const { branch: window } = session;
  const compaction = window.entries[window.compactionIndex];
  const wasLeaf = session.leaf;
  const here = contextOf(window);
  const outcome = await undoCompaction(session);
  if (!compaction || outcome.type !== "undone") return;
  const then = contextOf(await session.store.loadBranch(compaction.parentId));
  same("UNDO1 INV34 the context is that of before", contextOf(session.branch), then);
  await redoCompaction(session);
  same("UNDO1 and comes back", contextOf(session.branch), here);
  same("UNDO1 to the same place", session.branch.entries.at(-1)?.parentId, wasLeaf);
}

interface Lengthening {
  readonly letters: number;
  readonly kind: number;
  /** What the provider says a reply's request had. */
  readonly used: number;
}

/** The same draft with so many letters of text, and calls that touch files. */
function lengthen(draft: NewEntry, { letters, kind, used }: Lengthening, at: number): NewEntry {
  const long = (text: string): string =>
    text + (fillings[kind] ?? "").repeat(Math.ceil(letters / (fillings[kind] ?? " ").length)).slice(0, letters);
  return JSON.parse(JSON.stringify(draft), (key, value) => {
    if (key === "text" || key === "output") return long(value);
    if (key === "usage") return { ...value, input: used, totalTokens: used };
    if (key === "arguments")
      return { path: `src/part${at % 5}/file${at % 40}.ts`, ...(at % 3 === 0 && { content: long("") }) };
    return value;
  });
}

const fillings = [
  "words of some length and meaning ",
  "const a = f(b[0]);\n",
  '{"id":1024,"ok":true}\n',
  "2026-01-01 12:00:00 ERROR x\n",
  "漢字と仮名",
  "aGVsbG8gd29ybGQ",
];

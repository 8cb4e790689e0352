/** Checks the invariants of a compaction, plainly and apart from the code that keeps them. */

import type { Budget } from "../../../src/compaction/budget.ts";
import type { CompactionOutcome } from "../../../src/compaction/compact.ts";
import { type CompactionTrigger, readReceipt } from "../../../src/compaction/receipt.ts";
import { type CompactionDue, shouldCompact } from "../../../src/compaction/should-compact.ts";
import { buildSessionContext } from "../../../src/context/build-context.ts";
import { contextSize } from "../../../src/context/context-size.ts";
import { readSummaryPartTexts } from "../../../src/context/read-summary-parts.ts";
import type { CompactionEntry, Entry } from "../../../src/entry.ts";
import { collectFileLists } from "../../../src/ledger/touched-files.ts";
import type { LoadedBranch } from "../../../src/session/loaded-branch.ts";
import type { MemoryStore } from "../../../src/session/memory-store.ts";
import type { Session } from "../../../src/session/session.ts";
import { expectSendable, same } from "../../properties/replay.ts";
import type { WriterKind } from "./steps.ts";

export interface CheckedCompaction {
  readonly run: { readonly session: Session; readonly store: MemoryStore };
  readonly before: { readonly window: LoadedBranch; readonly bytes: Uint8Array; readonly due: CompactionDue };
  readonly budget: Budget;
  readonly outcome: CompactionOutcome;
  readonly reason: CompactionTrigger;
  /** How many writers were asked. */
  readonly written: number;
  readonly writers: readonly WriterKind[];
}

export async function expectCompacted({
  run: { session },
  before,
  budget,
  outcome,
  writers,
}: CheckedCompaction): Promise<void> {
  if (outcome.type !== "compacted") throw new Error("not compacted");
  const { receipt, id } = outcome;
  const entry = (await session.store.entry(id)) as CompactionEntry;
  const branch = await session.branchEntries();
  const at = branch.indexOf(branch.find((each) => each.id === id) as Entry);
  const first = entry.firstKeptEntryId === id ? at : branch.findIndex((each) => each.id === entry.firstKeptEntryId);
  if (first === -1 || first > at)
    throw new Error(`INV7 ${entry.firstKeptEntryId} is not before the compaction on its branch`);
  if (isResult(branch[first])) throw new Error(`INV7 the kept part begins with the result ${entry.firstKeptEntryId}`);
  const overtaken = writers.filter((kind) => kind === "overtaken" || kind === "left-behind").length;
  const { covered, kept } = receipt;
  const usages = branch.slice(first, at).filter((each) => each.type === "usage" && each.kind === "compaction").length;
  // A move during the compaction may leave the newest entries behind.
  const ids = new Set(branch.map((each) => each.id));
  const remaining = before.window.entries.filter((each) => ids.has(each.id)).length;
  if (!writers.includes("left-behind"))
    same("INV8 nothing has left the branch", remaining, before.window.entries.length);
  within("INV8 covered and kept are all there was", covered.count + kept.count - remaining, [0, overtaken + usages]);
  same(
    "INV8 what is covered ends where what is kept begins",
    branch[first - 1]?.id ?? null,
    kept.count === 0 ? (branch[first - 1]?.id ?? null) : covered.last,
  );

  const size = contextSize(session.branch, budget);
  same("CMP8 the receipt says what the estimator says", size.tokens, receipt.tokens.after);
  if (shouldCompact(size, budget)) throw new Error(`INV13 ${size.tokens} tokens of ${budget.limit} after a compaction`);
  if (size.tokens >= receipt.tokens.before && size.bytes >= receipt.bytes.before)
    throw new Error(`INV15 ${receipt.tokens.before} tokens became ${size.tokens}`);
  expectFront(session, entry, budget);
  expectSendable(buildSessionContext(session.branch));
  expectFiles(branch, first, entry);
  const paidNow = branch.slice(branch.findIndex((each) => each.id === before.window.entries.at(-1)?.id) + 1);
  const costs =
    paidNow.filter((each) => each.type === "usage" && each.kind === "compaction").length + (entry.usage ? 1 : 0);
  same("INV48 every paid attempt is in the log once", costs, receipt.calls);
}

function expectFront(session: Session, entry: CompactionEntry, budget: Budget): void {
  const texts = readSummaryPartTexts(entry);
  same("REQ4 the front is taken apart without rest", texts.map(({ text }) => text).join(""), entry.summary);
  for (const { text } of session.branch.state.pins)
    if (!texts.some(({ part, text: pins }) => part.kind === "pins" && pins.includes(text)))
      throw new Error(`INV50 the pin "${text}" is gone`);
  const sum = (kinds: readonly string[]): number =>
    texts.filter(({ part }) => kinds.includes(part.kind)).reduce((all, { part }) => all + part.tokens, 0);
  // Estimates are shares of budgets in real tokens; a calibration may move them by its bounds.
  const most = (tokens: number): number => tokens * 2 + 40;
  if (sum(["words"]) > most(budget.userMessages)) throw new Error(`INV20 ${sum(["words"])} tokens of words`);
  if (sum(["story", "notes", "ledger"]) > most(budget.checkpoint))
    throw new Error("INV20 the checkpoint outgrew its budget");
}

// INV40, INV41: the lists are those of the whole branch, compacted or not.
function expectFiles(branch: readonly Entry[], first: number, entry: CompactionEntry): void {
  const plain = collectFileLists(branch.filter((each) => each.type !== "compaction"));
  same("INV40 INV41 the files of a branch do not depend on compactions", collectFileLists(branch), plain);
  // One that was not ours may have dropped what lay before it; the log still has it, the window does not.
  if (branch.some((each) => each.type === "compaction" && readReceipt(each) === null)) return;
  const { modifiedFiles = [], readFiles = [] } = entry.details as { modifiedFiles?: string[]; readFiles?: string[] };
  const covered = collectFileLists(branch.slice(0, first).filter((each) => each.type !== "compaction"));
  for (const file of covered.modified) if (!modifiedFiles.includes(file)) throw new Error(`INV40 ${file} is lost`);
  for (const file of covered.read)
    if (!readFiles.includes(file) && !modifiedFiles.includes(file)) throw new Error(`INV40 ${file} is lost`);
}

/** INV43, INV44, INV45, INV47: whatever went wrong, the context is as it was; only what was paid for, and a breaker, may be new. */
export function expectNothingChanged({ run: { session, store }, before, outcome }: CheckedCompaction): void {
  const added = session.branch.entries.slice(before.window.entries.length);
  if (outcome.type === "cancelled" && added.length === 0)
    same("INV43 an abort changes no byte", Buffer.compare(store.bytes(), before.bytes), 0);
  for (const entry of added)
    if (entry.type !== "usage" && !(entry.type === "custom" && entry.customType === "pith.breaker"))
      throw new Error(`INV44 a compaction that ${outcome.type} has written ${entry.type}`);
  same("INV43 INV44 the context is as it was", contextOf(session.branch), contextOf(before.window));
  if (outcome.type === "failed" && outcome.why !== "cannot-fit")
    throw new Error(`CMP5 CMP10 nobody could write: ${JSON.stringify(outcome)}`);
}

export function contextOf(window: LoadedBranch): string {
  return JSON.stringify(buildSessionContext(window).messages);
}

function within(rule: string, value: number, [least, most]: readonly [number, number]): void {
  if (value < least || value > most) throw new Error(`${rule}: off by ${value}`);
}

function isResult(entry: Entry | undefined): boolean {
  return entry?.type === "message" && entry.message.role === "toolResult";
}

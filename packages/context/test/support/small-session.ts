/** Creates sessions from stories and small budgets to compact them, with a kept part of a few messages or of an exact size, and reads what a compaction wrote. */

import { type Budget, createBudget } from "../../src/compaction/budget.ts";
import type { CompactionOutcome } from "../../src/compaction/compact.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { readSummaryPartTexts } from "../../src/context/read-summary-parts.ts";
import { type CompactOptions, compact } from "../../src/default-compaction.ts";
import type { CompactionEntry } from "../../src/entry.ts";
import type { Runtime } from "../../src/runtime.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { Session } from "../../src/session/session.ts";
import { type CompactionLimits, compactionLimits } from "../../src/settings.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show, story } from "../../src/testing/story.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";

const portsOf = new WeakMap<Session, Runtime>();

export const smallLimits: CompactionLimits = {
  ...compactionLimits,
  thresholds: [{ tokens: 1500 }],
  tail: { tokens: 60, share: 1 },
  userMessages: { tokens: 400, share: 1 },
  checkpoint: { tokens: 600, share: 1 },
  shortenedMessage: { tokens: 50, share: 1 },
};

export function smallBudget(limits: Partial<CompactionLimits> = {}, contextWindow = 2000): Budget {
  return createBudget({ ...smallLimits, ...limits }, { contextWindow });
}

/** Its entries are e1, e2 …; what is appended later is n1, n2 …. */
export async function createSession(...lines: readonly string[]): Promise<Session> {
  const ports = testRuntime("n");
  const store = MemoryStore.create(ports);
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  const session = await Session.open(store, ports);
  portsOf.set(session, ports);
  return session;
}

export function compactSmall(session: Session, parts: Partial<CompactOptions> = {}): Promise<CompactionOutcome> {
  const ports = portsOf.get(session) ?? testRuntime("n");
  return compact({ session, budget: smallBudget(), reason: "asked", runtime: ports, ...parts });
}

/** What the model sees, a line each. */
export function contextLines(session: Session): readonly string[] {
  return show(buildSessionContext(session.branch).messages).split("\n");
}

/** So many words, so many tokens or a few more. */
export function repeatWord(count: number, word = "word"): string {
  return Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");
}

/** A budget that keeps this number of the newest messages. */
export function budgetKeeping({ branch }: Session, count: number, limits: Partial<CompactionLimits> = {}): Budget {
  const keptMessages = convertToLlm(buildSessionContext(branch).messages).slice(-count);
  return tailBudget(
    keptMessages.reduce((sum, message) => sum + messageTokens(message), 0),
    limits,
  );
}

/** A budget with a kept part of this many tokens, and no threshold except a large window. */
export function tailBudget(tokens: number, limits: Partial<CompactionLimits> = {}): Budget {
  const tail = { tokens, share: 1 };
  return createBudget({ ...smallLimits, thresholds: [], ...limits, tail }, { contextWindow: 100_000 });
}

export function newestCompaction({ branch: { entries, compactionIndex: compactionAt } }: Session): CompactionEntry {
  const compaction = entries[compactionAt];
  if (compaction?.type !== "compaction") throw new Error("this session has no compaction");
  return compaction;
}

export function modelSummary(session: Session): string {
  const parts = readSummaryPartTexts(newestCompaction(session));
  return parts.find(({ part }) => part.kind === "story")?.text.trim() ?? "";
}

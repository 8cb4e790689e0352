/** Measures how many planted facts reach a summariser, and how much it is shown for that, in Pith and in pi. */

import { startPi } from "@pith/bench/peers/pi";
import type { AssistantMessage, ImageBlock } from "@pith/context";
import {
  type CompactionEntry,
  type CompactionPlan,
  compact,
  compactionLimits,
  createBudget,
  type Entry,
  type MessageEntry,
  prepareCompaction,
  type Session,
  textTokens,
} from "@pith/context";
import { readSummaryPartTexts, renderTranscript } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import type { Fact } from "./facts.ts";
import { type Chance, plantedSession } from "./planted-session.ts";

type Block = AssistantMessage["content"][number] | ImageBlock;

/** What pi shows its summariser of the same session: its own cut, its own words. */
export interface PiInput {
  /** How many entries it covers. */
  readonly covered: number;
  /** What is shown of each of them. */
  readonly texts: readonly string[];
}

export async function piInput(entries: readonly Entry[]): Promise<PiInput> {
  const pi = startPi();
  try {
    return (await pi.ask({ op: "summariserInput", entries })) as PiInput;
  } finally {
    pi.end();
  }
}

/** A fact that both cover, and who still shows it. */
export interface Judged {
  readonly fact: Fact;
  readonly ours: boolean;
  readonly pi: boolean;
}

export interface PlantedFacts {
  readonly judged: readonly Judged[];
  /** What is shown, as a share of what it stands for. */
  readonly ratio: number;
  readonly piRatio: number;
}

export async function plantedFacts(facts: readonly Fact[], chance: Chance): Promise<PlantedFacts> {
  const { session, entryIds } = await plantedSession(facts, chance);
  const plan = planOf(session);
  const all = session.branch.entries;
  const ours = new Map(renderTranscript(plan.covered, plan.branch).map(({ entryId, text }) => [entryId, text]));
  const pi = await piInput(all);
  const ledger = await ledgerOf(session);
  const judged = facts.flatMap((fact, at): readonly Judged[] => {
    const place = all.findIndex(({ id }) => id === entryIds[at]);
    if (place >= plan.covered.length || place >= pi.covered) return [];
    const shows = (text: string | undefined): boolean => text !== undefined && isIn(text, fact);
    return [{ fact, ours: shows(ours.get(entryIds[at] ?? "")) || shows(ledger), pi: shows(pi.texts[place]) }];
  });
  return {
    judged,
    ratio: (tokensOf([...ours.values()]) + textTokens(ledger)) / contextTokens(plan.covered),
    piRatio: tokensOf(pi.texts) / contextTokens(all.slice(0, pi.covered)),
  };
}

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });

function planOf(session: Session): CompactionPlan {
  const prepared = prepareCompaction(session.branch, budget);
  if (prepared.type !== "planned") throw new Error(`there is nothing to compact: ${prepared.why}`);
  return prepared.plan;
}

/** As the model would see it. */
async function ledgerOf(session: Session): Promise<string> {
  const outcome = await compact({ session, budget, reason: "asked", runtime: nodeRuntime });
  if (outcome.type !== "compacted") throw new Error(`it was not compacted: ${JSON.stringify(outcome)}`);
  const entry = (await session.store.entry(outcome.id)) as CompactionEntry;
  return readSummaryPartTexts(entry).find(({ part }) => part.kind === "ledger")?.text ?? "";
}

// In JSON a quote has a backslash before it.
function isIn(text: string, { needle }: Fact): boolean {
  return text.includes(needle) || text.includes(JSON.stringify(needle).slice(1, -1));
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + textTokens(text), 0);
}

/** All that was said in these entries, as the context had it. */
function contextTokens(entries: readonly Entry[]): number {
  return tokensOf(entries.flatMap((entry) => (entry.type === "message" ? saidIn(entry.message) : [])));
}

function saidIn(message: MessageEntry["message"]): readonly string[] {
  if (!("content" in message)) return [];
  return typeof message.content === "string" ? [message.content] : message.content.map(blockText);
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "toolCall":
      return `${block.name} ${JSON.stringify(block.arguments)}`;
    case "image":
      return "";
  }
}

/** Measures how many planted facts are in a summarizer's input, and the size of that input, in Pith and in pi. */

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
import type { PlantedFact } from "./facts.ts";
import { createPlantedSession, type RandomSources } from "./planted-session.ts";

type Block = AssistantMessage["content"][number] | ImageBlock;

/** The input of pi's summarizer for the same session, with pi's own cut and format. */
export interface PiSummarizerInput {
  /** The number of entries that it covers. */
  readonly covered: number;
  /** The text of each covered entry. */
  readonly texts: readonly string[];
}

async function readPiInput(entries: readonly Entry[]): Promise<PiSummarizerInput> {
  const pi = startPi();
  try {
    return (await pi.request({ op: "summarizerInput", entries })) as PiSummarizerInput;
  } finally {
    pi.stop();
  }
}

/** A fact that both programs cover, and whether each of them includes it. */
export interface JudgedFact {
  readonly fact: PlantedFact;
  readonly shownByPith: boolean;
  readonly shownByPi: boolean;
}

export interface SurvivalResult {
  readonly facts: readonly JudgedFact[];
  /** The tokens of the input as a share of the tokens of the covered entries. */
  readonly ratio: number;
  readonly piRatio: number;
}

export async function measurePlantedFacts(
  facts: readonly PlantedFact[],
  options: RandomSources,
): Promise<SurvivalResult> {
  const { session, entryIds } = await createPlantedSession(facts, options);
  const plan = planRequested(session);
  const entries = session.branch.entries;
  const transcriptById = new Map(
    renderTranscript(plan.covered, plan.branch).map(({ entryId, text }) => [entryId, text]),
  );
  const piInput = await readPiInput(entries);
  const ledger = await compactAndReadLedger(session);
  const judgedFacts = facts.flatMap((fact, index): readonly JudgedFact[] => {
    const entryIndex = entries.findIndex(({ id }) => id === entryIds[index]);
    if (entryIndex >= plan.covered.length || entryIndex >= piInput.covered) return [];
    const includesFact = (text: string | undefined): boolean => text !== undefined && containsFact(text, fact);
    return [
      {
        fact,
        shownByPith: includesFact(transcriptById.get(entryIds[index] ?? "")) || includesFact(ledger),
        shownByPi: includesFact(piInput.texts[entryIndex]),
      },
    ];
  });
  return {
    facts: judgedFacts,
    ratio: (sumTokens([...transcriptById.values()]) + textTokens(ledger)) / countContextTokens(plan.covered),
    piRatio: sumTokens(piInput.texts) / countContextTokens(entries.slice(0, piInput.covered)),
  };
}

const BUDGET = createBudget(compactionLimits, { contextWindow: 200_000 });

function planRequested(session: Session): CompactionPlan {
  const prepared = prepareCompaction(session.branch, BUDGET);
  if (prepared.type !== "planned") throw new Error(`nothing to compact: ${prepared.why}`);
  return prepared.plan;
}

async function compactAndReadLedger(session: Session): Promise<string> {
  const outcome = await compact({ session, budget: BUDGET, reason: "asked", runtime: nodeRuntime });
  if (outcome.type !== "compacted") throw new Error(`the session was not compacted: ${JSON.stringify(outcome)}`);
  const entry = (await session.store.entry(outcome.id)) as CompactionEntry;
  return readSummaryPartTexts(entry).find(({ part }) => part.kind === "ledger")?.text ?? "";
}

// In JSON, quotes are escaped.
function containsFact(text: string, { needle }: PlantedFact): boolean {
  return text.includes(needle) || text.includes(JSON.stringify(needle).slice(1, -1));
}

function sumTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + textTokens(text), 0);
}

/** Counts the tokens of all texts in these entries. */
function countContextTokens(entries: readonly Entry[]): number {
  return sumTokens(entries.flatMap((entry) => (entry.type === "message" ? listTexts(entry.message) : [])));
}

function listTexts(message: MessageEntry["message"]): readonly string[] {
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

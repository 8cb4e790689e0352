/** What one should know of a compaction that was just done, in one line: what it may have lost, and how to begin afresh. Pure. */

import { type CompactionEntry, type Entry, receiptOf } from "@pith/context";

/** Undefined where there is nothing to say or take back; null takes the line away, since the talk has gone on. */
export function qualityHint(entries: readonly Entry[], compactions: number): string | null | undefined {
  const compaction = entries.find((entry) => entry.type === "compaction");
  if (compaction) return hintOn(compaction, compactions);
  return entries.some((entry) => entry.type === "message" && entry.message.role === "user") ? null : undefined;
}

function hintOn(compaction: CompactionEntry, compactions: number): string | undefined {
  const receipt = receiptOf(compaction);
  if (!receipt) return undefined;
  const { route, findings } = receipt;
  const flaws = findings.filter(({ code }) => !code.startsWith("words-") && code !== "result-reduced");
  if (route === "model-free")
    return "No model told it: your words, files and commands are kept, but no story. alt+s shows what the model sees.";
  if (compactions >= OFTEN) return `Summed up ${compactions} times; each time something is lost. ${AFRESH}`;
  return flaws.length > 0 ? "The summary did not agree with the log and was mended. alt+s shows it." : undefined;
}

const OFTEN = 2;
const AFRESH = "/pin what must stay, or begin afresh with /handoff GOAL.";

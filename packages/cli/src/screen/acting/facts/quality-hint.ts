/** What one should know of a compaction that was just done, in one line: what it may have lost, and how to begin afresh. Pure. */

import { type CompactionEntry, type Entry, receiptOf } from "@pith/context";
import { keyHint } from "../../keys/key-hint.ts";
import type { Keymap } from "../../keys/keymap.ts";

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

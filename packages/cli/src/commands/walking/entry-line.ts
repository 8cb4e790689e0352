/** An entry in a few words: who or what it is, and how it begins. */

import { type Entry, entryWords, plainText } from "@pith/context";
import { entrySaid } from "../../prompting/said-words.ts";

export interface EntryLine {
  /** `you`, `reply`, `compaction`, …; null for what is nothing to people by itself. */
  readonly kind: string | null;
  readonly words: string;
}

export function entryLine(entry: Entry): EntryLine {
  const kind = kindOf(entry);
  return { kind, words: kind === null ? "" : wordsOf(entry) };
}

/** Null for the work between a question and its answer, and for what is only noted. */
function kindOf(entry: Entry): string | null {
  switch (entry.type) {
    case "compaction":
      return "compaction";
    case "branch_summary":
      return "branch summary";
    case "custom_message":
      return entry.display ? "note" : null;
    case "gap":
      return "lost";
    case "message":
      return speaker(entry);
    default:
      return null;
  }
}

function speaker(entry: Extract<Entry, { type: "message" }>): string | null {
  switch (entry.message.role) {
    case "user":
      return "you";
    case "assistant":
      return entryWords(entry).trim() === "" ? null : "reply";
    case "bashExecution":
      return "shell";
    default:
      return null;
  }
}

function wordsOf(entry: Entry): string {
  if (entry.type === "compaction") return `${entry.tokensBefore.toLocaleString("en-US")} tokens before it`;
  if (entry.type === "gap") return plainText(entry.why, WIDTH);
  const words = entry.type === "branch_summary" ? entry.summary : entrySaid(entry);
  return plainText(words.replaceAll(/^#+ .*$/gm, ""), WIDTH);
}

const WIDTH = 72;

/** What a compaction would do now; nothing is done, nobody is asked. */

import type { Agent } from "@pith/agent";
import { type Preview, previewCompaction } from "@pith/context";
import { amount } from "../../printing/amounts.ts";
import { told } from "../answers.ts";
import type { Answer } from "../command.ts";
import { compactionTold } from "./compaction-told.ts";

export function previewTold({ session, budget }: Agent): Answer {
  const preview = previewCompaction(session.window, budget);
  if (preview.type === "nothing-to-do") return compactionTold(preview);
  if (preview.type === "cannot-fit")
    return compactionTold({ type: "failed", why: "cannot-fit", breaker: preview.breaker });
  return told(textOf(preview), preview.receipt);
}

function textOf({ receipt, front }: Extract<Preview, { type: "planned" }>): string {
  const { tokens, covered, kept } = receipt;
  return [
    `would cover ${covered.count} entries and keep ${kept.count}: ${amount(tokens.before)} → about ${amount(tokens.after)} tokens`,
    "What code alone would put in their place; a model's story would stand in it:",
    "",
    front.trim(),
  ].join("\n");
}

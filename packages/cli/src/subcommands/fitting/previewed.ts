/** What a compaction would keep, tell in short and cost; nothing is done, nobody is asked. */

import { type Preview, previewCompaction, type Receipt } from "@pith/context";
import { compactionTold } from "../../commands/fitting/compaction-told.ts";
import { amount, costTold, counted } from "../../printing/amounts.ts";
import { oneLine } from "../../printing/one-line.ts";
import { redactionHere } from "../sessions/finding/redaction-here.ts";
import type { Call, Outcome } from "../subcommand.ts";
import { asOutcome } from "./as-outcome.ts";
import { type WindowRead, windowRead } from "./window-read.ts";

export async function previewed(call: Call): Promise<Outcome> {
  const read = await windowRead(call);
  if (read.type !== "read") return read;
  // It quotes what was said, maybe to another program.
  return (await redactionHere(call)).redacted(outcomeOf(read));
}

function outcomeOf(read: WindowRead): Outcome {
  const preview = previewCompaction(read.window, read.budget);
  if (preview.type === "nothing-to-do") return asOutcome(compactionTold(preview));
  if (preview.type === "cannot-fit")
    return asOutcome(compactionTold({ type: "failed", why: "cannot-fit", breaker: preview.breaker }));
  const price = priceOf(preview, read);
  const { receipt, front } = preview;
  const data = { id: read.id, model: read.model, receipt, front, price, evicted: preview.plan.words.evicted };
  return { type: "shown", text: textOf(preview, { read, price }), data };
}

type Planned = Extract<Preview, { type: "planned" }>;

/** Dollars for one answer: all of it read anew, nothing from a cache. Parts and corrections come on top. */
function priceOf({ plan, receipt }: Planned, { prices }: WindowRead): number | null {
  if (!prices) return null;
  return (receipt.tokens.before * prices.input + plan.checkpoint * prices.output) / 1_000_000;
}

interface Telling {
  readonly read: WindowRead;
  readonly price: number | null;
}

function textOf({ plan, receipt, front }: Planned, { read, price }: Telling): string {
  const { tokens, covered, kept } = receipt;
  const pins = read.window.state.pins.length;
  const lost = plan.words.evicted.length;
  return [
    `${amount(tokens.before)} → about ${amount(tokens.after)} tokens`,
    `kept as it was said: ${entries(kept.count)}${plan.reductions.length > 0 ? `, ${plan.reductions.length} of them shortened` : ""}`,
    `kept word for word: your messages${lost > 0 ? ` but for ${amount(lost)} older ones` : ""}${pins > 0 ? `, ${counted(pins, "pin")}` : ""}`,
    `told in short: ${entries(covered.count)}${rangeOf(covered)}`,
    `nothing is lost: each stays in the session (pith sessions show ${read.word} --entry ID)`,
    price === null
      ? `price: nobody knows what ${read.model} costs`
      : `price: about ${costTold(price)} with ${read.model}; more where it must be told in parts, or corrected`,
    "",
    "What code alone would put in their place; a model's story would stand in it:",
    "",
    front.trim(),
  ].join("\n");
}

function rangeOf({ first, last }: Receipt["covered"]): string {
  return first === null || last === null ? "" : `, from ${oneLine(first)} to ${oneLine(last)}`;
}

const entries = (count: number): string => counted(count, "entry", "entries");

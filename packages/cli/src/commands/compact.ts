/** Implements `/compact`, `/autocompact`, `/undo` and `/redo`. */

import type { Agent, CompactionRefusal } from "@pith/agent";
import {
  type CompactionOutcome,
  type CompactionPreview,
  type NoCompaction,
  previewCompaction,
  type Receipt,
  readReceipt,
  refusalNotes,
} from "@pith/context";
import { breakerNotes } from "@pith/context/host";
import { isCompacting, MOST, receiptTold, refusedBecause } from "../text/compaction-text.ts";
import { amount, formatTokensOrShare } from "../text/format.ts";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, failed, LEAF_MOVED, told } from "./command.ts";

/** Compacts even below the automatic threshold. */
export const compact: Command = {
  name: "compact",
  takes: "[instructions] [--preview]",
  says: "tell what was said so far in short, and what to look at; --preview only shows what would become of it",
  examples: ["/compact", "/compact keep every decision on the schema", "/compact --preview"],
  async run(words, { agent, note }) {
    if (PREVIEW.test(words)) return previewTold(agent);
    if (words.startsWith("--")) return mistake(`there is no ${words.split(/\s/)[0]} here; there is --preview`);
    // It waits for the moment between two requests; the run goes on afterwards.
    if (agent.isRunning && !isCompacting(agent)) note?.("compacting as soon as the request under way has its answer");
    const compacted = await agent.compact(words === "" ? undefined : words);
    if (compacted.type !== "nothing-to-do" || compacted.why !== "too-short") return compactionTold(compacted);
    const { tail } = agent.budget;
    const kept = `the newest ${amount(tail)} tokens are always kept ("compaction.keepRecentTokens")`;
    return told(`nothing was compacted: it is too short; ${kept}`, compacted);
  },
};

/** Wherever it stands: what was only to be looked at is not done. */
const PREVIEW = /(?:^|\s)--preview(?=\s|$)/;

export const autocompact: Command = {
  name: "autocompact",
  takes: "[on|off]",
  says: "whether anything is compacted by itself, and when; on and off change it while this program runs",
  examples: ["/autocompact", "/autocompact off"],
  async run(words, desk) {
    if (words !== "" && words !== "on" && words !== "off")
      return mistake(`/autocompact takes on or off, not "${words}"`);
    if (words !== "") desk.agent.setAutoCompactionEnabled(words === "on");
    return shown(desk, words !== "");
  },
};

function shown({ agent }: Desk, isChanged: boolean): Answer {
  const { limit, tail, limits } = agent.budget;
  const { enabled } = limits;
  const reserveTokens = limits.thresholds.find(({ reserve }) => reserve !== undefined)?.reserve ?? null;
  const keepRecentTokens = limits.tail.tokens;
  const lines = [
    `automatic compaction is ${enabled ? "on" : "off"}${isChanged ? " until this program ends" : ""}`,
    ...(isChanged ? [`to make it last: { "compaction": { "enabled": ${enabled} } } in ~/.pith/settings.json`] : []),
    enabled ? whenOf(limit) : "nothing is compacted unless you ask for it with /compact",
    `reserveTokens ${reserveTokens === null ? "(none)" : formatTokensOrShare(reserveTokens)}: so much of the window stays free, at most a quarter of it`,
    `keepRecentTokens ${formatTokensOrShare(keepRecentTokens)}: so much at the end stays as it was said; here ${amount(tail)}`,
  ];
  return told(lines.join("\n"), { enabled, limit: finite(limit), reserveTokens, keepRecentTokens, kept: tail });
}

function whenOf(limit: number): string {
  if (!Number.isFinite(limit))
    return "nobody knows this model's window: it happens when the provider refuses a request as too long";
  return `it happens when the context has more than ${amount(limit)} tokens`;
}

/** JSON knows no infinity. */
const finite = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);

export async function stepped(step: "undo" | "redo", agent: Agent): Promise<Answer> {
  const before = receiptAt(agent);
  const outcome = await agent.undoCompaction(step);
  switch (outcome.type) {
    case "refused":
      return failed(refusedBecause(outcome.why));
    case "nothing-to-do":
      return told(noUndo[outcome.why], outcome);
    case "failed":
      return failed(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED);
    case "undone":
      return told(`undone: ${sentence(before, agent)}; /redo brings it back. ${QUIET}`, outcome);
    case "redone":
      return told(`back again: ${sentence(receiptAt(agent), agent)}; /undo takes it back`, outcome);
  }
}

const QUIET =
  "Nothing is compacted by itself until the context has grown by a tenth of the window, or the provider refuses it";

const noUndo = {
  "no-compaction": "there is no compaction on this branch to undo",
  "no-undo": "no compaction was undone here, or another has come since",
} as const;

function receiptAt({ session: { branch: window } }: Agent): Receipt | null {
  const compaction = window.entries[window.compactionIndex];
  return compaction?.type === "compaction" ? readReceipt(compaction) : null;
}

function sentence(receipt: Receipt | null, agent: Agent): string {
  const { tokens } = agent.contextUsage();
  const now = `the context has about ${amount(tokens)} tokens now`;
  // What was found in its summary was told when it was made.
  return receipt
    ? `the compaction of ${receiptTold({ ...receipt, findings: [] })}; ${now}`
    : `the newest compaction; ${now}`;
}

export const undo: Command = {
  name: "undo",
  says: "take the newest compaction back; what was said since stays on a branch of its own",
  run: (_, { agent }) => stepped("undo", agent),
};

export const redo: Command = {
  name: "redo",
  says: "bring back the compaction that was undone last",
  run: (_, { agent }) => stepped("redo", agent),
};

export function compactionTold(compaction: CompactionOutcome | CompactionRefusal): Answer {
  switch (compaction.type) {
    case "refused":
      return failed(`nothing was compacted: ${refusedBecause(compaction.why)}`);
    case "compacted":
      return told(`compacted: ${receiptTold(compaction.receipt)}; /undo takes it back`, compaction.receipt);
    case "nothing-to-do":
      return told(`nothing was compacted: ${nothings[compaction.why]}`, compaction);
    case "postponed":
      return told("nothing was compacted: a hook has put it off", compaction);
    case "cancelled":
      return told("the compaction was cancelled; everything is as it was", compaction);
    case "failed":
      return failed(whyFailed(compaction));
  }
}

const nothings: Readonly<Record<NoCompaction["why"], string>> = {
  off: 'automatic compaction is off ("compaction.enabled" in the settings, --no-auto-compact, /autocompact)',
  empty: "nothing was said yet",
  "already-compacted": "nothing was said since the last one; /undo takes that back",
  "too-short": "it is too short; all of it would be kept as it is",
  "too-little": "a summary would be about as long as what it stands for",
};

function whyFailed(compaction: Extract<CompactionOutcome, { type: "failed" }>): string {
  if (compaction.why === "cannot-fit") {
    const { fills, tokens, limit } = compaction.breaker;
    const room = limit === null ? "" : ` (${amount(tokens)} tokens of ${amount(limit)})`;
    return `no compaction can help: ${breakerNotes[fills]}${room}`;
  }
  const why = compaction.why === "leaf-moved" ? LEAF_MOVED : refusalNotes[compaction.why];
  return `nothing was compacted: ${[why, ...compaction.findings.slice(0, MOST).map(({ note }) => note)].join("; ")}`;
}

export function previewTold({ session, budget }: Agent): Answer {
  const preview = previewCompaction(session.branch, budget);
  if (preview.type === "nothing-to-do") return compactionTold(preview);
  if (preview.type === "cannot-fit")
    return compactionTold({ type: "failed", why: "cannot-fit", breaker: preview.breaker });
  return told(textOf(preview), preview.receipt);
}

function textOf({ receipt, summaryText: front }: Extract<CompactionPreview, { type: "planned" }>): string {
  const { tokens, covered, kept } = receipt;
  return [
    `would cover ${covered.count} entries and keep ${kept.count}: ${amount(tokens.before)} → about ${amount(tokens.after)} tokens`,
    "What code alone would put in their place; a model's story would stand in it:",
    "",
    front.trim(),
  ].join("\n");
}

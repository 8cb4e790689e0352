/** Turns a plan and a candidate into one batch of entries, or a refusal if a check fails. Pure: nothing is written here. */

import { foldedSystem } from "../context/build-request.ts";
import { type ContextSize, calibrationAt, contextSize } from "../context/context-size.ts";
import { loadedReferences } from "../context/loaded-skills.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import { ledgerText } from "../ledger/render-ledger.ts";
import { entryReference } from "../references.ts";
import { extended, leafOf } from "../session/loaded-branch.ts";
import { asItIs, type Drafted, type Redaction } from "../session/session.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { notices, objection, sizeObjection } from "./checks.ts";
import { keptByCode } from "./kept-work.ts";
import { type Candidate, MODEL_FREE, type Paid, type Plan } from "./plan.ts";
import {
  type Finding,
  type Reason,
  type Receipt,
  receiptOf,
  spentAt,
  spentLately,
  stretch,
  summedUsage,
} from "./receipt.ts";
import { type Front, renderFront } from "./summary-message.ts";

export type Committed =
  | {
      readonly type: "ready";
      readonly drafts: readonly Drafted[];
      readonly receipt: Receipt;
      /** What the model sees first from then on. */
      readonly front: string;
    }
  | { readonly type: "refused"; readonly finding: Finding };

/** What a commit is told from outside. */
export interface Occasion {
  /** Of the compaction to be. */
  readonly id: string;
  readonly reason: Reason;
  readonly now: number;
  readonly durationMs: number;
  /** What came up before: writers that failed, a limit that was reached. */
  readonly findings?: readonly Finding[];
  /** For summaries that were not used. */
  readonly paid?: readonly Paid[];
  /** What the log will let pass. */
  readonly redaction?: Redaction;
}

export function commit(plan: Plan, written: Candidate, occasion: Occasion): Committed {
  const { redaction = asItIs } = occasion;
  const tooLong = sizeObjection(plan, written);
  if (tooLong) return { type: "refused", finding: tooLong };
  const candidate = { ...written, story: redaction.redacted(written.story), notes: redaction.redacted(written.notes) };
  const front = frontOf(plan, candidate, redaction);
  const draft = compactionOf(plan, candidate, { front, ...occasion });
  const after = sizeAfter(plan, draft);
  const wrong = objection({ plan, candidate, after });
  if (wrong) return { type: "refused", finding: wrong };
  const receipt = receiptFor(plan, candidate, { ...occasion, after });
  const { details } = draft;
  const marked = { ...draft, details: { ...details, pith: { ...details.pith, receipt } } };
  return { type: "ready", drafts: [marked, ...plan.reductions], receipt, front: front.text };
}

// A front is taken apart by the lengths of its parts: nothing in it may change once it is put together.
function frontOf(plan: Plan, { story, notes }: Candidate, redaction: Redaction): Front {
  const { covered } = plan;
  const { pins, request } = redaction.redacted({ pins: plan.pins, request: plan.requestText });
  const words = redaction.redacted(plan.words.blocks);
  const left = plan.checkpoint - textTokens(story) - textTokens(notes);
  const tokens = Math.max(left, plan.checkpoint * LEAST_LEDGER);
  const ledger = redaction.redacted(ledgerText(keptByCode(plan).ledger, { tokens }));
  return renderFront({ pins, words, story, notes, ledger, recall: recallText(covered), request });
}

/** Of the checkpoint: what a summary that is too long leaves to the ledger. */
const LEAST_LEDGER = 0.1;

function recallText(covered: readonly Entry[]): string {
  const last = covered.at(-1);
  return last
    ? `# Earlier entries\nUp to ${entryReference(last)}, not shown any more; each can be read by its number.`
    : "";
}

type CompactionDraft = Drafted &
  Pick<CompactionEntry, "type" | "summary" | "firstKeptEntryId"> & {
    readonly id: string;
    readonly details: Readonly<Record<string, unknown>> & { readonly pith: object };
  };

function compactionOf(
  plan: Plan,
  { route, details, fromHook, calls = [] }: Candidate,
  { front, id, now, paid = [] }: Occasion & { readonly front: Front },
): CompactionDraft {
  const { ledger, turns, files } = keptByCode(plan);
  const systemMessage = foldedSystem(plan.window);
  const references = loadedReferences(plan.window);
  return {
    type: "compaction",
    id,
    summary: front.text,
    firstKeptEntryId: plan.kept[0]?.id ?? id,
    tokensBefore: plan.before.tokens,
    details: {
      ...details,
      readFiles: files.read,
      modifiedFiles: files.modified,
      pith: {
        front: front.parts,
        ledger,
        turns,
        ...(plan.question && { question: plan.question }),
        ...(references.length > 0 && { references }),
        calibration: calibrationAt(plan.window),
        checked: route !== MODEL_FREE || plan.carried.isChecked,
        ...(calls.length > 1 && { ownCalls: calls.length }),
        spending: [
          ...spentLately(plan.window, now),
          ...paid.map(({ usage }) => spentAt(new Date(now).toISOString(), usage)),
        ],
      },
    },
    ...(calls.length > 0 && { usage: summedUsage(calls.map(({ usage }) => usage)) }),
    ...(fromHook && { fromHook }),
    ...(systemMessage && { systemMessage }),
  };
}

// What the one estimator will say once the batch is in the log.
function sizeAfter({ window, reductions, budget }: Plan, draft: CompactionDraft): ContextSize {
  const batch = [draft, ...reductions].map((each, at) => ({
    id: `${draft.id}-${at}`,
    ...each,
    parentId: leafOf(window),
    timestamp: "",
  }));
  return contextSize(extended(window, batch as readonly Entry[]), budget);
}

function receiptFor(
  plan: Plan,
  { route, by, calls = [], findings: own = [] }: Candidate,
  { reason, durationMs, findings = [], paid = [], after }: Occasion & { readonly after: ContextSize },
): Receipt {
  const { before, budget } = plan;
  const previous = plan.window.entries[plan.window.compactionAt];
  const rounds = previous?.type === "compaction" ? (receiptOf(previous)?.withoutProgress ?? 0) : 0;
  const spent = [...paid, ...calls];
  const helped = after.tokens <= before.tokens * (1 - budget.limits.progress);
  return {
    reason,
    route,
    by: by ? `${by.provider}/${by.model}` : null,
    rung: plan.rung.name,
    covered: stretch(plan.covered),
    kept: stretch(plan.kept),
    tokens: {
      before: before.tokens,
      after: after.tokens,
      limit: Number.isFinite(budget.limit) ? budget.limit : null,
    },
    bytes: { before: before.bytes, after: after.bytes },
    calls: spent.length,
    cost: spent.reduce((sum, { usage: { cost } }) => sum + cost.total, 0),
    durationMs,
    findings: [...findings, ...own, ...notices(plan)],
    withoutProgress: helped ? 0 : rounds + 1,
    undoTo: leafOf(plan.window),
  };
}

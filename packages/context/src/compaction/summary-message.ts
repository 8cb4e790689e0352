/** Defines the parts of a summary message, and collects, renders and stores them. It contains no code for a specific part. */

import { getOrCompute } from "../cache.ts";
import type { SummaryPartInfo } from "../context/read-summary-parts.ts";
import type { Entry } from "../entry.ts";
import { LONG_STEP, type Steps } from "../event-loop.ts";
import type { JsonObject } from "../json.ts";
import type { Redaction, Session } from "../session/session.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Budget } from "./budget.ts";
import type { CompactionPlan, SummaryCandidate } from "./plan.ts";
import type { Finding } from "./receipt.ts";
import type { DescribeImages } from "./shrink-tail.ts";

/** One part of the summary message: collected from a plan, and rendered within a token budget. */
export interface SummaryPart<Kept = unknown> {
  /** Names the part in `details.pith.front`. */
  readonly kind: string;
  /** The share of the checkpoint that the text may use. A longer text is cut after its first lines. Default: 0.1; `null` for a part that limits itself. */
  readonly share?: number | null;
  /** Collects the data of the part; called once per plan. The previous summary is `plan.previous`. */
  collect(plan: CompactionPlan): Kept;
  /** Does what `collect` does, but in steps, so that a long branch does not hold up other sessions. */
  collectInSteps?(plan: CompactionPlan): Steps<Kept>;
  /** Returns the text of the part, or blocks that are not changed; empty to omit the part. */
  render(kept: Kept, input: RenderPartInput): string | readonly SummaryBlock[];
  /** Returns fields to store in `details.pith`, which the next compaction reads. */
  details?(kept: Kept, plan: CompactionPlan, candidate: SummaryCandidate): JsonObject;
  /** Returns fields to store in `details`, which pi reads. */
  piDetails?(kept: Kept, plan: CompactionPlan, candidate: SummaryCandidate): JsonObject;
  /** Returns notices for the receipt. */
  findings?(kept: Kept, plan: CompactionPlan, candidate: SummaryCandidate): readonly Finding[];
  /** Returns whether the host adds this entry again after every compaction. Such entries alone do not justify another compaction. */
  isRepeated?(entry: Entry): boolean;
}

export interface RenderPartInput {
  readonly plan: CompactionPlan;
  readonly candidate: SummaryCandidate;
  /** The maximum number of tokens of the text. */
  readonly tokens: number;
}

/** A text that stays identical across compactions, so that providers can cache it. */
export interface SummaryBlock {
  readonly text: string;
  /** Default: estimated from the text. */
  readonly tokens?: number;
}

/** Defines how summaries are built: their parts, the fallback without a model, and the review of a model's summary. */
export interface SummaryDesign {
  /** The parts in the order of the summary message. Parts that change least come first. */
  readonly parts: readonly SummaryPart[];
  /** Writes a summary without a model. It must not fail. */
  fallback(plan: CompactionPlan): SummaryCandidate;
  /** Marks claims of a summary that the log does not support. */
  review(plan: CompactionPlan, candidate: SummaryCandidate): SummaryCandidate;
  /** Reads entries before the loaded branch that the parts need. */
  loadEarlier?(session: Pick<Session, "branch" | "store">, budget: Budget): Promise<readonly Entry[]>;
  /** Describes the images of a kept entry, in case they must be removed. */
  readonly describeImages: DescribeImages;
}

/** Returns the data of a part for a plan. Each part is collected once per plan, even if other parts read it. */
export function collectPart<Kept>(part: SummaryPart<Kept>, plan: CompactionPlan): Kept {
  const collected = collectedParts(plan);
  if (!collected.has(part)) collected.set(part, part.collect(plan));
  return collected.get(part) as Kept;
}

/** Collects the data of each part in steps of its own, before the parts are rendered at once. */
export function* collectPartsInSteps(parts: readonly SummaryPart[], plan: CompactionPlan): Steps<void> {
  const collected = collectedParts(plan);
  for (const part of parts) {
    if (part.collectInSteps && !collected.has(part)) collected.set(part, yield* part.collectInSteps(plan));
    collectPart(part, plan);
    yield LONG_STEP;
  }
}

function collectedParts(plan: CompactionPlan): Map<SummaryPart, unknown> {
  return getOrCompute(partCache, plan, () => new Map<SummaryPart, unknown>());
}

const partCache = new WeakMap<CompactionPlan, Map<SummaryPart, unknown>>();

export interface SummaryMessage {
  readonly text: string;
  readonly parts: readonly SummaryPartInfo[];
  readonly findings: readonly Finding[];
}

/** Renders all parts. The next compaction splits the text by the parts' lengths, so the text must not change afterwards. */
export function renderSummaryMessage(
  parts: readonly SummaryPart[],
  input: Omit<RenderPartInput, "tokens"> & { readonly redaction: Redaction },
): SummaryMessage {
  const rendered = parts.map((part) => renderPart(part, input)).filter(({ blocks }) => blocks.length > 0);
  const blocks = rendered.flatMap(({ kind, blocks, isText }, index) =>
    blocks.map(({ text, tokens }) => {
      const isFollowed = isText && index < rendered.length - 1;
      const shown = isFollowed ? `${text}\n\n` : text;
      return { text: shown, part: { kind, length: shown.length, tokens: tokens ?? textTokens(shown) } };
    }),
  );
  return {
    text: blocks.map(({ text }) => text).join(""),
    parts: blocks.map(({ part }) => part),
    findings: rendered.flatMap(({ findings }) => findings),
  };
}

interface PartRendering {
  readonly kind: string;
  /** Whether the part is a text. A blank line is added after a text; blocks contain their own. */
  readonly isText: boolean;
  readonly blocks: readonly SummaryBlock[];
  readonly findings: readonly Finding[];
}

function renderPart(
  part: SummaryPart,
  { plan, candidate, redaction }: Parameters<typeof renderSummaryMessage>[1],
): PartRendering {
  const { kind, share = DEFAULT_SHARE } = part;
  const tokens = Math.floor(plan.checkpoint * (share ?? 1));
  const result = redaction.redact(part.render(collectPart(part, plan), { plan, candidate, tokens }));
  if (typeof result !== "string") return { kind, isText: false, blocks: result, findings: [] };
  const text = share === null ? result : firstLines(result.trim(), tokens);
  const isShortened = share !== null && text !== result.trim();
  const note = `the part "${kind}" is longer than ${tokens} tokens; only its first lines are kept`;
  return {
    kind,
    isText: true,
    blocks: text === "" ? [] : [{ text }],
    findings: isShortened ? [{ code: "part-shortened", note }] : [],
  };
}

/** The share of the checkpoint that a part may use by default. */
const DEFAULT_SHARE = 0.1;

function firstLines(text: string, tokens: number): string {
  if (textTokens(text) <= tokens) return text;
  const lines = text.split("\n");
  const fits = (count: number): boolean => textTokens(lines.slice(0, count).join("\n")) <= tokens;
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return lines.slice(0, low).join("\n").trimEnd();
}

/** Merges the details of all parts, and throws if two parts use the same field or a part uses a reserved one. */
export function collectPartDetails(
  parts: readonly SummaryPart[],
  { plan, candidate }: Omit<RenderPartInput, "tokens">,
  field: "details" | "piDetails",
): JsonObject {
  const fields = parts.flatMap((part) =>
    Object.entries(part[field]?.(collectPart(part, plan), plan, candidate) ?? {}).map(([name, value]) => ({
      part,
      name,
      value,
    })),
  );
  const names = new Set<string>(PITH_FIELDS);
  for (const { part, name } of fields) {
    if (names.has(name)) throw new Error(`the summary part "${part.kind}" must not use the field "${name}" of details`);
    names.add(name);
  }
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

const PITH_FIELDS = ["pith", "front", "calibration", "checked", "ownCalls", "spending", "receipt", "carried"];

/** Returns the notices of all parts about an accepted plan. */
export function collectPartFindings(
  parts: readonly SummaryPart[],
  { plan, candidate }: Omit<RenderPartInput, "tokens">,
): readonly Finding[] {
  return parts.flatMap((part) => part.findings?.(collectPart(part, plan), plan, candidate) ?? []);
}

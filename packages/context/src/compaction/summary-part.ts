/** Defines the parts that a summary message consists of, and collects, renders and records them. No kind of part is known here. */

import type { SummaryPartInfo } from "../context/summary-parts.ts";
import type { Entry } from "../entry.ts";
import type { JsonObject } from "../json.ts";
import type { Redaction } from "../session/session.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { CompactionPlan, SummaryCandidate } from "./plan.ts";
import type { Finding } from "./receipt.ts";
import type { DescribeImages } from "./shrink-tail.ts";

/** One part of the summary message: collected from a plan, rendered within a budget, and collected again by the next compaction. */
export interface SummaryPart<Kept = unknown> {
  /** Names the part in `details.pith.front`. */
  readonly kind: string;
  /** The share of the checkpoint that the text may use, 0.1 by default; `null` for a part that limits itself. Of a longer text the first lines are kept. */
  readonly share?: number | null;
  /** Collects what the part keeps; called once per plan. The summary before is `plan.previous`. */
  collect(plan: CompactionPlan): Kept;
  /** Returns the text of the part, or blocks that stay as they are; empty for nothing. */
  render(kept: Kept, input: RenderPartInput): string | readonly SummaryBlock[];
  /** Returns fields of `details.pith` that the next compaction reads again. */
  details?(kept: Kept, plan: CompactionPlan): JsonObject;
  /** Returns fields of `details` that pi reads. */
  piDetails?(kept: Kept, plan: CompactionPlan): JsonObject;
  /** Returns notices for the receipt. */
  findings?(kept: Kept, plan: CompactionPlan): readonly Finding[];
  /** Whether the host adds this entry again after every compaction. Such entries alone are no reason for another one. */
  isRepeated?(entry: Entry): boolean;
}

export interface RenderPartInput {
  readonly plan: CompactionPlan;
  readonly candidate: SummaryCandidate;
  /** The tokens that the text may use. */
  readonly tokens: number;
}

/** A text that stays byte for byte from one compaction to the next, so that providers cache it. */
export interface SummaryBlock {
  readonly text: string;
  /** Counted by code if absent. */
  readonly tokens?: number;
}

/** What a compaction needs to know about summaries: their parts, and what to do without or after a model. */
export interface SummaryDesign {
  /** In the order of the summary message: what changes least comes first. */
  readonly parts: readonly SummaryPart[];
  /** Writes a summary without a model; it never fails. */
  fallback(plan: CompactionPlan): SummaryCandidate;
  /** Marks what a summary claims without support in the log. */
  review(plan: CompactionPlan, candidate: SummaryCandidate): SummaryCandidate;
  /** Describes the images of a kept entry, for when they must be left out of it. */
  readonly describeImages: DescribeImages;
}

/** Returns what a part keeps of a plan. A part is collected once per plan, also when other parts read it. */
export function collectPart<Kept>(part: SummaryPart<Kept>, plan: CompactionPlan): Kept {
  const collected = partCache.get(plan) ?? new Map<SummaryPart, unknown>();
  partCache.set(plan, collected);
  if (!collected.has(part)) collected.set(part, part.collect(plan));
  return collected.get(part) as Kept;
}

const partCache = new WeakMap<CompactionPlan, Map<SummaryPart, unknown>>();

export interface SummaryMessage {
  readonly text: string;
  readonly parts: readonly SummaryPartInfo[];
  readonly findings: readonly Finding[];
}

/** Renders all parts. The next compaction separates them by their lengths, so the text must not change afterwards. */
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
  /** A text that code separates from the next part by a blank line. Blocks end with their own. */
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
  const note = `the part "${kind}" is longer than ${tokens} tokens; its first lines are kept`;
  return {
    kind,
    isText: true,
    blocks: text === "" ? [] : [{ text }],
    findings: isShortened ? [{ code: "part-shortened", note }] : [],
  };
}

/** The share of the checkpoint that a part may use if it does not say. */
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

/** Merges the details of all parts. A name that another part or the compaction itself uses is an error of the host. */
export function collectPartDetails(
  parts: readonly SummaryPart[],
  plan: CompactionPlan,
  field: "details" | "piDetails",
): JsonObject {
  const fields = parts.flatMap((part) =>
    Object.entries(part[field]?.(collectPart(part, plan), plan) ?? {}).map(([name, value]) => ({ part, name, value })),
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
export function collectPartFindings(parts: readonly SummaryPart[], plan: CompactionPlan): readonly Finding[] {
  return parts.flatMap((part) => part.findings?.(collectPart(part, plan), plan) ?? []);
}

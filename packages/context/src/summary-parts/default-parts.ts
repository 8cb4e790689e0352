/** Defines the default parts of a summary message and the default summary design. */

import { type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "../compaction/plan.ts";
import type { SummaryDesign, SummaryPart } from "../compaction/summary-message.ts";
import { mergeSystemMessages } from "../context/build-request.ts";
import { collectLoadedSkills, readLoadedSkill, type SessionSkill, SKILL_LIST_TYPE } from "../context/loaded-skills.ts";
import { type Entry, entryReference } from "../entry.ts";
import { collectLedger } from "../ledger/collect-ledger.ts";
import { formatImageMark } from "../ledger/render-ledger.ts";
import { RECALL_TOOL } from "../settings.ts";
import { formatNarrativeTitle } from "../summary/parse-summary.ts";
import { createFallbackSummary } from "./fallback-summary.ts";
import { latestRequest } from "./latest-request.ts";
import { loadUncarriedMessages } from "./omitted-messages.ts";
import { pins } from "./pins.ts";
import { reviewSummary } from "./review-summary.ts";
import { omittedMessages, userMessages } from "./user-messages.ts";
import { workRecord } from "./work-record.ts";

/** The summary by a model or a hook; without a model, the narrative of the previous compaction. */
const narrative: SummaryPart<null> = {
  kind: "story",
  share: null,
  collect: () => null,
  render: (_, { plan, candidate }) =>
    candidate.narrative === "" ? "" : `${formatNarrativeTitle(findAsOf(plan, candidate))}${candidate.narrative}`,
};

// Without a model, the narrative of the previous compaction is kept.
function findAsOf({ covered, previous }: CompactionPlan, { route }: SummaryCandidate): string | null {
  const last = covered.at(-1);
  return route === MODEL_FREE_ROUTE || !last ? previous.asOf : entryReference(last);
}

/** The list of turns, which is created without a model. */
const turnNotes: SummaryPart<null> = {
  kind: "notes",
  share: null,
  collect: () => null,
  render: (_, { candidate }) => candidate.notes,
};

interface EarlierEntries {
  readonly last: Entry | undefined;
  /** Whether the agent has a tool that searches the session. */
  readonly canSearch: boolean;
}

/** A note to the model on how it can read the covered entries. */
const recall: SummaryPart<EarlierEntries> = {
  kind: "recall",
  share: null,
  collect: ({ covered, branch }) => ({
    last: covered.at(-1),
    canSearch: mergeSystemMessages(branch)?.toolsAdded?.some(({ name }) => name === RECALL_TOOL) ?? false,
  }),
  render: ({ last, canSearch }) => {
    if (!last) return "";
    const reference = entryReference(last);
    return canSearch
      ? `# Earlier entries\nThe entries up to ${reference} are no longer shown. Find anything in them with recall (words, file, tool or range), and open one by its number, such as read ${reference}.`
      : `# Earlier entries\nThe entries up to ${reference} are no longer shown; each can be read by its number.`;
  },
};

/** The loaded skills. They are not part of the summary message because the host attaches them again, word for word. */
const skills: SummaryPart<readonly SessionSkill[]> = {
  kind: "skills",
  share: null,
  collect: ({ branch }) => collectLoadedSkills(branch),
  render: () => "",
  details: (references) => (references.length > 0 ? { references } : {}),
  isRepeated: (entry) =>
    readLoadedSkill(entry) !== null || (entry.type === "custom_message" && entry.customType === SKILL_LIST_TYPE),
};

/** The default parts of a summary message, the most stable first, so that providers can cache them. */
export const defaultParts: readonly SummaryPart[] = [
  pins,
  userMessages,
  omittedMessages,
  narrative,
  turnNotes,
  workRecord,
  recall,
  latestRequest,
  skills,
];

/** Creates a summary design from these parts. */
export function createSummaryDesign(parts: readonly SummaryPart[] = defaultParts): SummaryDesign {
  const kinds = new Set(parts.map(({ kind }) => kind));
  if (kinds.size < parts.length) throw new Error("two summary parts have the same kind");
  return {
    parts,
    fallback: createFallbackSummary,
    review: reviewSummary,
    loadEarlier: loadUncarriedMessages,
    describeImages,
  };
}

/** Returns the marks of the images in a kept entry; the path of an image is in the tool call before its result. */
export function describeImages(entry: Entry, kept: readonly Entry[]): readonly string[] {
  const entryIndex = kept.indexOf(entry);
  const callIndex = kept.findLastIndex(
    (each, index) => index < entryIndex && each.type === "message" && each.message.role === "assistant",
  );
  return collectLedger(kept.slice(Math.max(0, callIndex), entryIndex + 1))
    .images.filter(({ entryId }) => entryId === entry.id)
    .map(formatImageMark);
}

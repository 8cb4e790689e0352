/** Shared by the summary tests: the sections of a summary, and the evidence of a session. */

import type { SummaryFormat } from "../../src/summary/check-summary.ts";
import { collectEvidence, type Evidence, type EvidenceOptions } from "../../src/summary/evidence.ts";
import { listHeadings } from "../../src/summary/prompts.ts";
import { story } from "../../src/testing/story.ts";

export const sections: readonly string[] = listHeadings("summary");

/** Of a summary with a part about a split turn. */
export const turnSections: readonly string[] = [...sections, ...listHeadings("turn")];

export const format: SummaryFormat = { sections, tokens: 4_000 };

/** A summary of any form. */
export const freeFormat: SummaryFormat = { sections: [], tokens: 4_000 };

export const noEvidence: EvidenceOptions = {
  covered: [],
  edits: [],
  previous: "",
  isChecked: false,
  userMessages: "",
  pins: [],
  ledger: "",
  request: null,
};

/** What a summary of a session is checked against; its lines are those of `story(...)`, and the third is cited as `[#3]`. */
export function evidenceFor(session: readonly string[], parts: Partial<EvidenceOptions> = {}): Evidence {
  return collectEvidence({ ...noEvidence, covered: story(...session), ...parts });
}

/** A summary with all sections; those that have no body are `- (none)`. */
export function summaryWith(bodies: Readonly<Record<string, string>>): string {
  return sections
    .map((heading) => (heading === "## Progress" ? heading : `${heading}\n${bodies[heading] ?? "- (none)"}`))
    .join("\n\n");
}

/** A small session, and the summary that a good model would write of it. */
export interface HonestSummary {
  readonly title: string;
  /** Lines for `story(...)`. */
  readonly session: readonly string[];
  readonly summary: string;
}

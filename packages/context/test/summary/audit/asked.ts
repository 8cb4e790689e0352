/** What the tests ask with: the shape of a summary, and a log told in a few lines. */

import type { StoryFormat } from "../../../src/summary/audit.ts";
import { type Evidence, type EvidenceParts, evidenceOf } from "../../../src/summary/evidence.ts";
import { story } from "../../../src/testing/story.ts";

export const sections: readonly string[] = [
  "## Goal",
  "## Constraints & Preferences",
  "## Progress",
  "### Done",
  "### In Progress",
  "### Blocked",
  "## Key Decisions",
  "## Next Steps",
  "## Critical Context",
];

export const sectionsOfTurn: readonly string[] = [
  ...sections,
  "## Original Request",
  "## Early Progress",
  "## Context for Suffix",
];

export const format: StoryFormat = { sections, tokens: 4000 };

export const nothing: EvidenceParts = {
  covered: [],
  edits: [],
  previous: "",
  isOurs: false,
  words: "",
  pins: [],
  ledger: "",
  request: null,
};

/** The evidence of a session, told as `story(...)` tells it. */
export function evidenceFor(session: readonly string[], parts: Partial<EvidenceParts> = {}): Evidence {
  return evidenceOf({ ...nothing, covered: story(...session), ...parts });
}

/** A summary with all sections: empty ones say so. */
export function summaryWith(bodies: Readonly<Record<string, string>>): string {
  return sections
    .flatMap((heading) => (heading === "## Progress" ? [heading] : [heading, bodies[heading] ?? "- (none)"]))
    .join("\n");
}

/** What of a line is put into the user's mouth. */

import { bare, saysNothing } from "../story/bare.ts";
import type { StoryLine } from "../story/place-lines.ts";
import { attributed } from "../wording/attribution.ts";
import { clausesOf } from "../wording/clauses.ts";
import { unitsOf, weightOf } from "../wording/units.ts";

/** Null where nothing is. */
export function claimOf({ text, heading, passes }: StoryLine): string | null {
  const words = bare(text);
  if (saysNothing(words)) return null;
  if (passes && !heading) return isLead(words) ? null : words;
  const parts = attributed(words);
  if (parts.length === 0) return null;
  const said = parts.join(". ");
  // "Force push, as the user asked": the attribution stands beside what it is about.
  const whole = weightOf(unitsOf(said)) < SUBSTANCE ? words : said;
  return isLead(whole) ? null : whole;
}

/** One word. */
const SUBSTANCE = 1;

/** A line that only says that something follows claims nothing by itself. */
function isLead(words: string): boolean {
  return (
    /[:：]$/u.test(words) &&
    clausesOf(words).every(({ units, grave, tellsConsent }) => units.length + grave.size === 0 && !tellsConsent)
  );
}

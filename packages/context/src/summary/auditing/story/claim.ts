/** What of a line is put into the user's mouth. */

import { attributed } from "../wording/attribution.ts";
import { clausesOf } from "../wording/clauses.ts";
import { unitsOf, weightOf } from "../wording/units.ts";
import { bare, saysNothing } from "./bare.ts";
import { isOfUser } from "./headings.ts";
import type { StoryLine } from "./place-lines.ts";

/** Null where nothing is. */
export function claimOf({ text, heading, passes }: StoryLine): string | null {
  const words = bare(text);
  if (saysNothing(words)) return null;
  if (heading && isOfUser(heading.name)) return claimOfTitle(words);
  const claim = passes ? words : attributedClaim(words);
  return claim === null || isLead(claim) ? null : claim;
}

/** A title says where the user speaks, as a rule; it may go on and say what. */
function claimOfTitle(words: string): string | null {
  const said = words.slice(words.search(/[:：]|$/u) + 1).trim();
  if (!saysNothing(said)) return said;
  return clausesOf(words).some(({ grave }) => grave.size > 0) ? words : null;
}

function attributedClaim(words: string): string | null {
  const parts = attributed(words);
  if (parts.length === 0) return null;
  const said = parts.join(". ");
  // "Force push, as the user asked": the attribution stands beside what it is about.
  return weightOf(unitsOf(said)) < SUBSTANCE ? words : said;
}

/** One word. */
const SUBSTANCE = 1;

/** A line that only says that something follows claims nothing by itself. */
function isLead(words: string): boolean {
  if (!/[:：]$/u.test(words)) return false;
  return clausesOf(words).every(({ units, grave, tellsConsent }) => units.length + grave.size === 0 && !tellsConsent);
}

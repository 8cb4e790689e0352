/** AUD4: what a summary says that the user wants, decided or allowed rests on what a person typed, and names it. */

import { isCarriedOn } from "../evidence/carried-on.ts";
import type { Evidence } from "../evidence.ts";
import { shown } from "../flaw.ts";
import { citedIds } from "../story/citations.ts";
import { claimOf } from "../story/claim.ts";
import type { Heard } from "../wording/heard.ts";
import { restsOn } from "../wording/rests-on.ts";
import type { LineCheck } from "./check.ts";

export const unfounded: LineCheck = (line, evidence) => {
  const claim = claimOf(line);
  if (claim === null || isCarriedOn(line, evidence)) return null;
  const people = peopleIn(line.text, evidence);
  const subject = `line ${line.number} gives as the user's word`;
  if (people.length === 0) {
    return {
      code: "unfounded",
      note: `${subject} what it cites no message of the user for: ${shown(claim)}`,
      line: line.number,
    };
  }
  if (restsOn(claim, people)) return null;
  return {
    code: "unfounded",
    note: `${subject} what the cited messages do not say: ${shown(claim)}`,
    line: line.number,
  };
};

function peopleIn(text: string, evidence: Evidence): readonly Heard[] {
  const ids = new Set(citedIds(text).map((id) => evidence.knownId(id)));
  return [...ids].flatMap((id) => (id === null ? [] : (evidence.heardUnder(id) ?? []))).slice(0, MOST);
}

/** A line that needs more messages than this rests on none. */
const MOST = 12;

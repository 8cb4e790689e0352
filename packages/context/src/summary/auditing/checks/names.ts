/** AUD5: what a summary calls by a name occurs in what was covered. */

import type { Evidence } from "../evidence.ts";
import { shown } from "../flaw.ts";
import { isKnownName } from "../naming/is-known.ts";
import { type Name, namesIn } from "../naming/names-in.ts";
import { maskedCitations } from "../story/citations.ts";
import { isOfPlan } from "../story/headings.ts";
import type { LineCheck } from "./check.ts";

export const unknownName: LineCheck = ({ text, number, heading, section }, evidence) => {
  const names = heading || isOfPlan(section) ? [] : unknownNames(text, evidence);
  if (names.length === 0) return null;
  const list = names
    .slice(0, MOST)
    .map((name) => shown(name.text))
    .join(", ");
  return { code: "unknown-name", note: `line ${number} names what does not occur in the log: ${list}`, line: number };
};

const MOST = 5;

export function unknownNames(text: string, evidence: Evidence): readonly Name[] {
  return namesIn(maskedCitations(text)).filter((name) => !isKnownName(name, evidence.names()));
}

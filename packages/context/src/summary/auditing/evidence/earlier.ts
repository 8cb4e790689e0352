/** Lines of an earlier summary that nobody has checked: they may be carried on, but only as what they are. */

import { bare, saysNothing } from "../story/bare.ts";
import { headingOf } from "../story/headings.ts";
import { linesOf } from "../story/lines-of.ts";
import { type Heard, heard } from "../wording/heard.ts";

/** What a line begins with that is carried on without being verified. */
export const EARLIER = "earlier summary, not verified:";

export const isMarked = (text: string): boolean => bare(text).startsWith(EARLIER);

/** The line without its mark. */
export const unmarked = (text: string): string => bare(text).replace(EARLIER, "").trim();

export interface EarlierParts {
  readonly previous: string;
  /** Then only the lines with the mark are not verified. */
  readonly isOurs: boolean;
}

export function earlierLines({ previous, isOurs }: EarlierParts): ReadonlyMap<string, Heard> {
  const lines = linesOf(previous).filter((text) => !headingOf(text) && !saysNothing(text));
  const open = isOurs ? lines.filter(isMarked) : lines;
  return new Map(open.map((text) => [text, heard(unmarked(text))]));
}

/** Places each line among the lines that are kept, and remembers what removed lines attributed. */

import { afterForgery, beforeAll, lineAt, type Place, placeAfter, type StoryLine } from "../summary-lines.ts";

export interface Judging {
  /** By the lines that are kept. */
  readonly place: Place;
  /** By a line that went, for as long as others belong to it: without it they would look like nobody's word. */
  readonly gone: Place | null;
}

export const atFirst: Judging = { place: beforeAll, gone: null };

export function judged({ place, gone }: Judging, text: Pick<StoryLine, "text" | "number">): StoryLine {
  const line = lineAt(place, text);
  const passes = gone && line.heading === null ? lineAt(gone, text).passes : null;
  return { ...line, passes: line.passes ?? passes };
}

export function afterKept({ place, gone }: Judging, line: StoryLine): Judging {
  return { place: placeAfter(place, line), gone: gone && stillGone(gone, line) };
}

export function afterGone({ place, gone }: Judging, line: StoryLine): Judging {
  const after = placeAfter(place, line);
  const isSpeaking = after.lead !== null || after.userLevel > 0;
  return { place: afterForgery(place, line), gone: isSpeaking ? after : gone && stillGone(gone, line) };
}

function stillGone(gone: Place, line: StoryLine): Place | null {
  if (line.heading) return null;
  const belongs = line.text.trim() === "" || lineAt(gone, line).passes !== null;
  return belongs ? placeAfter(gone, line) : null;
}

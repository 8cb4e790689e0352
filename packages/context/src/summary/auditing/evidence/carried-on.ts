/** A line that says of itself that it comes from an earlier summary and is not verified, and does: only the user's own sections are closed to it. */

import type { Evidence } from "../evidence.ts";
import type { StoryLine } from "../story/place-lines.ts";
import { isMarked } from "./earlier.ts";

export function isCarriedOn({ text, passes }: StoryLine, evidence: Evidence): boolean {
  return passes !== "by-section" && isMarked(text) && evidence.isEarlier(text);
}

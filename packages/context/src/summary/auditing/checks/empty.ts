/** AUD1: a summary that says nothing replaces nothing. */

import { saysNothing } from "../story/bare.ts";
import type { StoryLine } from "../story/place-lines.ts";
import type { Check } from "./check.ts";

export const empty: Check = ({ lines }) =>
  isEmpty(lines)
    ? [{ code: "empty", note: "the summary says nothing: write what happened under its headings", line: null }]
    : [];

export function isEmpty(lines: readonly StoryLine[]): boolean {
  return lines.every(({ heading, text }) => heading !== null || saysNothing(text));
}

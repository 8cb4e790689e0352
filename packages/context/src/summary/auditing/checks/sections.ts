/** AUD1: every required heading stands in a summary once, and in its order. */

import type { Flaw } from "../flaw.ts";
import { headingOf } from "../story/headings.ts";
import type { StoryLine } from "../story/place-lines.ts";
import type { Check } from "./check.ts";

export const sections: Check = ({ lines, format }) => sectionFlaws(lines, format.sections);

export function sectionFlaws(lines: readonly StoryLine[], required: readonly string[]): readonly Flaw[] {
  const places = required.map((heading) => ({ heading, at: placesOf(heading, lines) }));
  let last = 0;
  return places.flatMap(({ heading, at: [first, second] }): readonly Flaw[] => {
    if (first === undefined) return [flaw(`the heading "${heading}" is missing`, null)];
    const isLate = first < last;
    last = Math.max(first, last);
    return [
      ...(second === undefined ? [] : [flaw(`the heading "${heading}" stands twice, again in line ${second}`, second)]),
      ...(isLate ? [flaw(`the heading "${heading}" in line ${first} stands behind one that follows it`, first)] : []),
    ];
  });
}

function placesOf(heading: string, lines: readonly StoryLine[]): readonly number[] {
  const name = headingOf(heading)?.name;
  return lines.filter((line) => line.heading?.name === name).map(({ number }) => number);
}

const flaw = (note: string, line: number | null): Flaw => ({ code: "sections", note, line });

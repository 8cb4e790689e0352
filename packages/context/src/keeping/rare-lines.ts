/** The lines of an output that are worth keeping: how it begins, how it ends, what went wrong, and what stands out from the rest. */

import { plainText } from "../session/plain-text.ts";
import { type Ranked, ranked } from "./telling/ranking.ts";

/** In the order of the text, each on one line of at most 300 letters. Time is linear, whatever the text is like. */
export function rareLines(text: string, { lines: most }: { readonly lines: number }): readonly string[] {
  const lines = (text.match(/[^\r\n]+/g) ?? []).filter((line) => /\S/.test(line)).map((line, at) => ({ line, at }));
  const share = Math.ceil(most / 4);
  const wanted = lines.length <= most ? lines : [...lines.slice(0, share), ...lines.slice(-share), ...telling(lines)];
  const kept = new Map(wanted.map((line) => [line.at, line]));
  return [...kept.values()]
    .slice(0, most)
    .sort((one, other) => one.at - other.at)
    .map(({ line }) => plainText(line, LETTERS))
    .filter((line) => line !== "");
}

const LETTERS = 300;

interface PlacedLine {
  readonly line: string;
  readonly at: number;
}

/** Trouble first, then what tells most; each kind of it once. */
function telling(lines: readonly PlacedLine[]): readonly PlacedLine[] {
  const kinds = new Map<number, PlacedLine & Ranked>();
  for (let from = 0; from < lines.length; from += NEIGHBOURS)
    for (const line of outstanding(lines.slice(from, from + NEIGHBOURS)))
      if (!kinds.has(line.template)) kinds.set(line.template, line);
  return [...kinds.values()].sort(
    (one, other) => Number(other.trouble) - Number(one.trouble) || other.tells - one.tells || one.at - other.at,
  );
}

/** Lines that are ranked against each other, so that memory stays bounded. */
const NEIGHBOURS = 5_000;

function outstanding(lines: readonly PlacedLine[]): readonly (PlacedLine & Ranked)[] {
  const told = ranked(lines.map(({ line }) => line.slice(0, LETTERS)));
  const usual = told.map(({ tells }) => tells).sort((one, other) => one - other)[Math.floor(told.length / 2)] ?? 0;
  return lines.flatMap((line, at) => {
    const { tells, trouble, template } = told[at] as Ranked;
    return trouble || tells >= OUTSTANDING * usual ? [{ ...line, tells, trouble, template }] : [];
  });
}

/** Times as much as a line tells as a rule. */
const OUTSTANDING = 2;

/** The lines of an output that are worth keeping: how it begins, how it ends, what went wrong, and what stands out from the rest. */

import { plainText } from "../session/plain-text.ts";
import { lineTemplate } from "./line-template.ts";

/** In the order of the text, each on one line of at most 300 letters. One pass, whatever the text is like. */
export function rareLines(text: string, { lines: most }: { readonly lines: number }): readonly string[] {
  const { head, tail, kinds, count } = survey(text, most);
  const share = Math.ceil(most / 4);
  const wanted = count <= most ? head : [...head.slice(0, share), ...tail.slice(-share), ...telling(kinds, count)];
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

/** Lines with one template, told by the first of them. */
interface Kind extends PlacedLine {
  readonly template: string;
  count: number;
}

interface Survey {
  /** The first and the last lines that are not blank. */
  readonly head: readonly PlacedLine[];
  readonly tail: readonly PlacedLine[];
  readonly kinds: readonly Kind[];
  readonly count: number;
}

function survey(text: string, most: number): Survey {
  const lines = (text.match(/[^\r\n]+/g) ?? []).filter((line) => /\S/.test(line));
  const placed = (line: string, at: number): PlacedLine => ({ line, at });
  const tailAt = Math.max(0, lines.length - most);
  return {
    head: lines.slice(0, most).map(placed),
    tail: lines.slice(tailAt).map((line, at) => placed(line, tailAt + at)),
    kinds: kindsOf(lines),
    count: lines.length,
  };
}

function kindsOf(lines: readonly string[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  lines.forEach((line, at) => {
    const template = lineTemplate(line);
    const known = kinds.get(template);
    if (known) known.count += 1;
    // Where so many differ none stands out, and memory stays bounded.
    else if (kinds.size < MOST_KINDS) kinds.set(template, { template, line, at, count: 1 });
  });
  return [...kinds.values()];
}

const MOST_KINDS = 50_000;

/** Trouble first, then the rarest. */
function telling(kinds: readonly Kind[], count: number): readonly Kind[] {
  const trouble = kinds.filter(({ template }) => TROUBLE.test(template));
  return [...byRarity(trouble), ...byRarity(rare(kinds, count))];
}

const TROUBLE = /error|fail|warn|exception|assert|panic|fatal|traceback/i;

/** One line in a hundred; none where every tenth line is like that. */
function rare(kinds: readonly Kind[], count: number): readonly Kind[] {
  const few = kinds.filter((kind) => kind.count <= Math.max(1, count / 100));
  return few.reduce((sum, kind) => sum + kind.count, 0) <= count / 10 ? few : [];
}

function byRarity(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.toSorted((one, other) => one.count - other.count || one.at - other.at);
}

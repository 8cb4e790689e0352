/** Builds a unified diff of a text and its splices; the changes are known, so none are searched for. */

import { linesAt } from "./apply-edits.ts";
import { alike } from "./find-match.ts";
import type { Splice } from "./text-file.ts";

export interface Diffed {
  readonly path: string;
  readonly text: string;
  /** In order and apart. */
  readonly splices: readonly Splice[];
}

/** Lines that went and lines that came, at a line counted from 0. */
export interface Change {
  readonly at: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

export function unifiedDiff({ path, text, splices }: Diffed): string {
  const lines = linesOf(text);
  let shift = 0;
  const hunks = inHunks(changesOf(text, splices)).map((changes) => {
    const hunk = shown(changes, lines, shift);
    shift += changes.reduce((sum, change) => sum + change.new.length - change.old.length, 0);
    return hunk;
  });
  return bounded([`--- ${path}\n+++ ${path}\n`, ...hunks.flat()]);
}

const AROUND = 3;
/** It is kept in the log; a screen shows no more either. */
const MOST_LETTERS = 16_384;

/** Splices widened to whole lines, those on the same lines together. */
export function changesOf(text: string, splices: readonly Splice[]): readonly Change[] {
  const blocks: { readonly start: number; readonly end: number; readonly inside: readonly Splice[] }[] = [];
  for (const splice of splices) {
    const start = splice.start === 0 ? 0 : text.lastIndexOf("\n", splice.start - 1) + 1;
    const end = text.indexOf("\n", splice.end) + 1 || text.length;
    const before = blocks.at(-1);
    if (before && start < before.end)
      blocks.splice(-1, 1, { start: before.start, end, inside: [...before.inside, splice] });
    else blocks.push({ start, end, inside: [splice] });
  }
  const numbers = linesAt(
    text,
    blocks.map(({ start }) => start),
  );
  return blocks.map(({ start, end, inside }, at) => {
    const old = linesOf(text.slice(start, end));
    const fresh = linesOf(spliced(text, inside, { start, end }));
    const { head, tail } = alike(old, fresh);
    const first = (numbers[at] ?? 1) - 1 + head;
    return { at: first, old: old.slice(head, old.length - tail), new: fresh.slice(head, fresh.length - tail) };
  });
}

function spliced(text: string, splices: readonly Splice[], { start, end }: Omit<Splice, "text">): string {
  let done = start;
  const pieces = splices.flatMap((splice) => {
    const before = text.slice(done, splice.start);
    done = splice.end;
    return [before, splice.text];
  });
  return [...pieces, text.slice(done, end)].join("");
}

/** Each with its line end, so that a missing one at the end shows. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function inHunks(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const before = hunk?.at(-1);
    if (hunk && before && change.at - before.at - before.old.length <= 2 * AROUND) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function shown(changes: readonly Change[], lines: readonly string[], shift: number): readonly string[] {
  const start = Math.max(0, (changes[0]?.at ?? 0) - AROUND);
  let done = start;
  const body = changes.flatMap((change) => {
    const before = lines.slice(done, change.at);
    done = change.at + change.old.length;
    return [...signed(" ", before), ...signed("-", change.old), ...signed("+", change.new)];
  });
  const after = lines.slice(done, done + AROUND);
  const size = done + after.length - start;
  const grown = changes.reduce((sum, change) => sum + change.new.length - change.old.length, 0);
  return [`@@ -${range(start, size)} +${range(start + shift, size + grown)} @@\n`, ...body, ...signed(" ", after)];
}

function range(start: number, size: number): string {
  return `${size === 0 ? start : start + 1},${size}`;
}

function signed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${sign}${line}${line.endsWith("\n") ? "" : "\n\\ No newline at end of file\n"}`);
}

function bounded(lines: readonly string[]): string {
  let letters = 0;
  const over = lines.findIndex((line) => {
    letters += line.length;
    return letters > MOST_LETTERS;
  });
  if (over < 0) return lines.join("");
  return `${lines.slice(0, over).join("")}[… ${lines.length - over} more lines of the diff]\n`;
}

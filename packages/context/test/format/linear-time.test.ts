/** Tests that reading takes time in proportion to the size of the file, for any content. */

import { describe, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { assignParents, compactionsWithoutKeptEntry, type LinkInput } from "../../src/format/link-entries.ts";
import { expectLinearTime } from "../support/expect-speed.ts";
import { compaction, each, manyLines, oneLine, placings, type Shape } from "./hostile-shapes.ts";
import { read } from "./specimen.ts";

// Sizes at which the work takes some tens of milliseconds.
const LINES = 1_000;
const LETTERS = 600_000;
// The tree alone takes many more lines in that time: here even a fast loop in a loop shows.
const PLACES = 5_000;

describe("D10 D12 time is linear in size", () => {
  test.each(Object.entries(manyLines))("D10 many lines: %s", (_, shape) => expectLinearIn(LINES, reading(shape)));
  test.each(Object.entries(oneLine))("D12 one long line: %s", (_, shape) => expectLinearIn(LETTERS, reading(shape)));
  test.each(Object.entries(placings))("D10 placing entries in the tree: %s", (_, line) =>
    expectLinearIn(PLACES, placing(line)),
  );
  test.each(["e0", "lost"])("D10 compactions in a chain, all keeping %s", (id) => expectLinearIn(PLACES, keeping(id)));
});

/** Something of a size, ready to be done. */
type Work = (size: number) => () => void;

function expectLinearIn(size: number, work: Work): void {
  expectLinearTime(work(size), work(4 * size));
}

function reading(shape: Shape): Work {
  return (size) => {
    const bytes = shape(size);
    return () => read(bytes).lines.forEach((line) => void line.text());
  };
}

function placing(line: (at: number, count: number) => LinkInput): Work {
  return (size) => {
    const lines = each(size, line);
    return () => void assignParents(lines);
  };
}

function keeping(id: string): Work {
  return (size) => {
    const entries = each(size, (at) => JSON.parse(compaction(at, id)) as Entry);
    return () => void compactionsWithoutKeptEntry(entries);
  };
}

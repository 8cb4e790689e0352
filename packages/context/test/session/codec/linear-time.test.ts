/** Proves that reading takes time in proportion to the size of the file, whatever the file was made to do to us. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import { keptNobody } from "../../../src/session/codec/kept-nobody.ts";
import { place, type Unplaced } from "../../../src/session/codec/place.ts";
import { compaction, each, manyLines, oneLine, placings, type Shape } from "./hostile-shapes.ts";
import { read } from "./specimen.ts";

// Sizes at which the work takes some tens of milliseconds.
const LINES = 1_000;
const LETTERS = 600_000;
// The tree alone takes many more lines in that time: here even a fast loop in a loop shows.
const PLACES = 5_000;

describe("D10 D12 time is linear in size", () => {
  test.each(Object.entries(manyLines))("D10 many lines: %s", (_, shape) => expectLinear(reading(shape), LINES));
  test.each(Object.entries(oneLine))("D12 one long line: %s", (_, shape) => expectLinear(reading(shape), LETTERS));
  test.each(Object.entries(placings))("D10 placing: %s", (_, line) => expectLinear(placing(line), PLACES));
  test.each(["e0", "lost"])("D10 compactions in a chain, all keeping %s", (id) => expectLinear(keeping(id), PLACES));
});

/** Something of a size, ready to be done. */
type Work = (size: number) => () => void;

// The best of a few tries counts, since others use the machine too; whatever is quadratic fails all of them.
function expectLinear(work: Work, size: number): void {
  const [small, large] = [work(size), work(4 * size)];
  let [one, four] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const patience = performance.now() + 3_000;
  do {
    one = Math.min(one, milliseconds(small), milliseconds(small));
    four = Math.min(four, milliseconds(large));
  } while (four > 8 * one + 20 && performance.now() < patience);
  expect(four).toBeLessThanOrEqual(8 * one + 20);
}

function milliseconds(run: () => void): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}

function reading(shape: Shape): Work {
  return (size) => {
    const bytes = shape(size);
    return () => read(bytes).lines.forEach((line) => void line.text());
  };
}

function placing(line: (at: number, count: number) => Unplaced): Work {
  return (size) => {
    const lines = each(size, line);
    return () => void place(lines);
  };
}

function keeping(id: string): Work {
  return (size) => {
    const entries = each(size, (at) => JSON.parse(compaction(at, id)) as Entry);
    return () => void keptNobody(entries);
  };
}

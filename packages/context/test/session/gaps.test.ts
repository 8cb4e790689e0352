/** How a tree is made of lines that contradict each other; the many ways are in codec/, here are the promises. */

import { expect, test } from "vitest";
import { assignParents, type LinkInput } from "../../src/format/link-entries.ts";

const line = (id: string, parent: string | null): Omit<LinkInput, "offset"> => ({ id, parent, isLost: false });
const placed = (...lines: readonly Omit<LinkInput, "offset">[]): readonly string[] =>
  assignParents(lines.map((each, offset) => ({ ...each, offset }))).map(
    ({ id, parentId, gap }) => `${gap ? `${gap.parentId} <- [${gap.id}] <- ` : ""}${parentId} <- ${id}`,
  );

test("TREE3 of two entries with one id the later gets its own, and what follows it follows it", () => {
  expect(placed(line("a", null), line("b", "a"), line("b", "a"), line("c", "b"))).toEqual([
    "null <- a",
    "a <- b",
    "a <- b~2",
    "b~2 <- c",
  ]);
});

test("TREE4 a circle is opened at a gap under the line before", () => {
  expect(placed(line("a", null), line("b", "c"), line("c", "b"))).toEqual([
    "null <- a",
    "c <- b",
    "a <- [gap-before-2] <- gap-before-2 <- c",
  ]);
  expect(placed(line("a", "a"))).toEqual(["null <- [gap-before-0] <- gap-before-0 <- a"]);
});

test("LOG4 a missing parent becomes a gap in its place, one for all its children", () => {
  expect(placed(line("a", null), line("c", "b"), line("d", "b"))).toEqual([
    "null <- a",
    "a <- [b] <- b <- c",
    "b <- d",
  ]);
});

test("LOG4 a damaged line is the missing parent of the line behind it", () => {
  const lost = { id: null, parent: undefined, isLost: true };
  expect(placed(line("a", null), lost, line("c", "b"))).toEqual(["null <- a", "a <- b", "b <- c"]);
});

/** Tests how lines with contradictory ids and parents become a tree; test/format has more cases. */

import { expect, test } from "vitest";
import { assignParents, type LinkInput } from "../../src/format/link-entries.ts";

const line = (id: string, parent: string | null): Omit<LinkInput, "offset"> => ({ id, parent, isLost: false });
const linkLines = (...lines: readonly Omit<LinkInput, "offset">[]): readonly string[] =>
  assignParents(lines.map((each, offset) => ({ ...each, offset }))).map(
    ({ id, parentId, gap }) => `${gap ? `${gap.parentId} <- [${gap.id}] <- ` : ""}${parentId} <- ${id}`,
  );

test("TREE3 the second entry with the same id gets a new id, and later children belong to it", () => {
  expect(linkLines(line("a", null), line("b", "a"), line("b", "a"), line("c", "b"))).toEqual([
    "null <- a",
    "a <- b",
    "a <- b~2",
    "b~2 <- c",
  ]);
});

test("TREE4 a cycle is broken by a gap under the line before", () => {
  expect(linkLines(line("a", null), line("b", "c"), line("c", "b"))).toEqual([
    "null <- a",
    "c <- b",
    "a <- [gap-before-2] <- gap-before-2 <- c",
  ]);
  expect(linkLines(line("a", "a"))).toEqual(["null <- [gap-before-0] <- gap-before-0 <- a"]);
});

test("LOG4 a missing parent becomes one gap for all its children", () => {
  expect(linkLines(line("a", null), line("c", "b"), line("d", "b"))).toEqual([
    "null <- a",
    "a <- [b] <- b <- c",
    "b <- d",
  ]);
});

test("LOG4 a damaged line becomes the missing parent of the line after it", () => {
  const lost = { id: null, parent: undefined, isLost: true };
  expect(linkLines(line("a", null), lost, line("c", "b"))).toEqual(["null <- a", "a <- b", "b <- c"]);
});

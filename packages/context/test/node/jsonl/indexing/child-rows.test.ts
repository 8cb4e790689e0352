/** The children of a row are found in file order, however the rows came. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { ChildRows } from "../../../../src/node/jsonl/indexing/child-rows.ts";

test("DISK9 the children of every row are those that name it, also of rows that came later", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 1_200 }),
      fc.nat(1_200),
      (shares, early) => {
        const parents = shares.map((share, at) => Math.floor(share * (at + 1)) - 1);
        const upTo = (rows: number) => ({ rows, parent: (row: number) => parents[row] ?? -1 });
        const children = new ChildRows();
        const asked = [-1, 0, 1, 7, 300];
        for (const rows of [Math.min(early, parents.length), parents.length])
          for (const parent of asked)
            expect(children.of(parent, upTo(rows))).toEqual(
              parents.slice(0, rows).flatMap((each, at) => (each === parent ? [at] : [])),
            );
      },
    ),
  );
});

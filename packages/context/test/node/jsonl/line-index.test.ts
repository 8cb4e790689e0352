/** Tests the line index and its child index. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChildIndex, LineIndex, lineKinds, ROOT_ROW } from "../../../src/node/jsonl/line-index.ts";

describe("children", () => {
  test("DISK9 finds the children of every row, including rows added later", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 1_200 }),
        fc.nat(1_200),
        (shares, early) => {
          const parents = shares.map((share, at) => Math.floor(share * (at + 1)) - 1);
          const upTo = (rows: number) => ({ rows, parent: (row: number) => parents[row] ?? -1 });
          const children = new ChildIndex();
          const indexes = [-1, 0, 1, 7, 300];
          for (const rows of [Math.min(early, parents.length), parents.length])
            for (const parent of indexes)
              expect(children.findChildren(parent, upTo(rows))).toEqual(
                parents.slice(0, rows).flatMap((each, at) => (each === parent ? [at] : [])),
              );
        },
      ),
    );
  });
});

describe("line index", () => {
  const row = fc.record({
    length: fc.nat(2 ** 31 - 1),
    offset: fc.integer({ min: 0, max: 2 ** 50 }),
    kind: fc.constantFrom(...lineKinds),
    parent: fc.double({ min: 0, max: 1, noNaN: true }),
    step: fc.nat(1000),
  });

  test("DISK9 returns the rows that were added, also when loaded from bytes", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 300 }), (rows) => {
        const index = new LineIndex();
        let last = 0;
        const put = rows.map(({ parent, step, ...rest }, at) => {
          last += step;
          return { ...rest, id: `id-${at}`, parent: parentOf(parent, at), number: step === 0 ? 0 : last };
        });
        for (const line of put) index.add(line);
        const copy = new LineIndex(Uint8Array.from(index.bytes()));
        for (const each of [index, copy]) {
          expect(each.rows).toBe(rows.length);
          put.forEach(({ id, offset, length, parent, kind, number }, at) => {
            expect([each.offset(at), each.length(at), each.parent(at), each.kind(at)]).toEqual([
              offset,
              length,
              parent,
              kind,
            ]);
            expect(each.find(id, (found) => found === at)).toBe(at);
            expect(each.number(at)).toBe(number);
            if (number > 0) expect(each.findNumber(number)).toBe(at);
          });
          expect(each.lastNumber).toBe(last);
          for (const unused of [0, last + 1]) expect(each.findNumber(unused)).toBe(-1);
          expect(each.find("nobody", () => false)).toBe(-1);
          expect(each.children(ROOT_ROW)).toEqual(put.flatMap(({ parent }, at) => (parent === ROOT_ROW ? [at] : [])));
          expect(each.rowsOfKind("label")).toEqual(put.flatMap(({ kind }, at) => (kind === "label" ? [at] : [])));
        }
      }),
    );
  });

  test("DISK9 distinguishes two ids with the same hash by their lines", () => {
    // FNV-1a gives both the same 32 bits.
    const [one, other] = ["costarring", "liquid"];
    const index = new LineIndex();
    const ids = [one, other];
    for (const [at, id] of ids.entries())
      index.add({ id, offset: at, length: 1, parent: ROOT_ROW, kind: "other", number: 0 });
    const isIt = (wanted: string) => (at: number) => ids[at] === wanted;
    expect([index.find(one, isIt(one)), index.find(other, isIt(other))]).toEqual([0, 1]);
  });

  function parentOf(share: number, at: number): number {
    return at === 0 ? ROOT_ROW : Math.floor(share * (at + 1)) - 1;
  }
});

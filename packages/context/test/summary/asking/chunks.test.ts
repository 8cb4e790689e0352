/** Proves that groups leave nothing out, part nothing and keep the order. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { chunksOf, tokensOf } from "../../../src/summary/asking/chunks.ts";

const sized = (...sizes: readonly number[]) => sizes.map((tokens) => ({ tokens }));

test.each<[readonly number[], number, readonly (readonly number[])[]]>([
  [[], 10, []],
  [[3, 3, 3], 10, [[3, 3, 3]]],
  [[5, 5, 1], 10, [[5, 5], [1]]],
  [[4, 20, 4], 10, [[4], [20], [4]]],
  [[20], 10, [[20]]],
  [[0, 10, 0, 1], 10, [[0, 10, 0], [1]]],
])("SUM5 %j with room for %i is %j", (sizes, room, groups) => {
  expect(chunksOf(sized(...sizes), room)).toStrictEqual(groups.map((group) => sized(...group)));
});

test("SUM5 any list: all of it, in order, within the room unless one alone is bigger, and no two groups that would go together", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), fc.integer({ min: 1, max: 60 }), (sizes, room) => {
      const list = sizes.map((tokens, at) => ({ tokens, at }));
      const groups = chunksOf(list, room);
      expect(groups.flat()).toStrictEqual(list);
      for (const [at, group] of groups.entries()) {
        expect(tokensOf(group) <= room || group.length === 1).toBe(true);
        expect(tokensOf(group) + (groups[at + 1]?.[0]?.tokens ?? room + 1)).toBeGreaterThan(room);
      }
    }),
  );
});

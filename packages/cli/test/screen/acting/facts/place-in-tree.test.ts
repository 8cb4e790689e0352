/** Where one stands in a tree. */

import { expect, test } from "vitest";
import { placeInTree } from "../../../../src/screen/acting/facts/place-in-tree.ts";
import { deskOf } from "../../../commands/desks.ts";

const placeAfter = async (...lines: readonly string[]): Promise<string | null> =>
  placeInTree((await deskOf(lines)).agent.session);

test("MET5 the branches are counted, and who has gone back to where others went on is told so", async () => {
  expect(await placeAfter("user: one", "says: two")).toBeNull();
  expect(await placeAfter("user: one", "says: two", "moves: e1", "says: three")).toBe("2 branches");
  expect(await placeAfter("user: one", "says: two", "moves: e1", "says: three", "user: four", "moves: e1")).toMatch(
    /^between \d branches$/,
  );
});

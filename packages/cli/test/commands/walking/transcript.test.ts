/** `/transcript` where nothing is drawn. */

import { expect, test } from "vitest";
import { deskOf, toldBy } from "../desks.ts";

test("RES23 /transcript tells all of the branch, also what a compaction covers", async () => {
  const desk = await deskOf([
    "user: the first words",
    "says: yes",
    "compacts: in short, keeps nothing",
    "user: and then?",
  ]);
  const told = await toldBy("/transcript", desk);
  expect(told).toContain("the first words");
  expect(told).toContain("in short");
  expect(told).toContain("and then?");
  expect(await toldBy("/transcript", await deskOf([]))).toBe("nothing was said yet");
});

/** Tests events that are emitted faster than they are read. */

import { expect, test } from "vitest";
import { runWithEvents } from "../src/async.ts";

test("EVT6 an event may replace an unread one; the others wait in order", async () => {
  const told = runWithEvents<string, string>(
    async (tell) => {
      for (const each of ["a1", "b1", "a2", "c", "b2", "a3"]) tell(each);
      return "end";
    },
    { shouldReplace: (earlier, later) => earlier[0] === later[0] },
  );
  const heard: string[] = [];
  for (let next = await told.next(); !next.done; next = await told.next()) heard.push(next.value);
  expect(heard).toEqual(["a3", "b2", "c"]);
});

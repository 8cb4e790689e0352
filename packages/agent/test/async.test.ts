/** Tests events that are emitted faster than they are read. */

import { expect, test } from "vitest";
import { runWithEvents } from "../src/async.ts";

test("EVT6 an event may replace an unread one, and all other events are delivered in order", async () => {
  const events = runWithEvents<string, string>(
    async (tell) => {
      for (const each of ["a1", "b1", "a2", "c", "b2", "a3"]) tell(each);
      return "end";
    },
    { shouldReplace: (earlier, later) => earlier[0] === later[0] },
  );
  const received: string[] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) received.push(next.value);
  expect(received).toEqual(["a3", "b2", "c"]);
});

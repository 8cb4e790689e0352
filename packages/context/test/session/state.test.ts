/** Messages that wait, as the entries of a branch say it. */

import { expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { parseQueue, QUEUE_TYPE, reduceQueue, UNQUEUE_TYPE } from "../../src/session/state.ts";

const place = { parentId: null, timestamp: "" };
const first = { id: "m1", kind: "steer", content: "first" } as const;
const second = { id: "m2", kind: "followUp", content: [{ type: "text", text: "second" }] } as const;
const queued = (data: unknown): Entry => ({ type: "custom", customType: QUEUE_TYPE, data, id: "q", ...place });
const said = (id: string): Entry => ({
  type: "message",
  message: { role: "user", content: "first", timestamp: 0 },
  id,
  ...place,
});

test("WAIT1 a message waits from the moment it is said until it is on the branch, in the order it was said", () => {
  const both = [queued(first), queued(second)].reduce(reduceQueue, []);
  expect(both).toEqual([first, second]);
  expect(reduceQueue(both, said("m1"))).toEqual([second]);
  expect(reduceQueue(both, said("m9"))).toBe(both);
});

test("WAIT1 one that was taken away no longer waits; nonsense changes nothing", () => {
  const taken = (data: unknown): Entry => ({ type: "custom", customType: UNQUEUE_TYPE, data, id: "u", ...place });
  expect(reduceQueue([first, second], taken({ ids: ["m2"] }))).toEqual([first]);
  expect(reduceQueue([first], taken({ ids: "m1" }))).toEqual([first]);
  expect(reduceQueue([first], queued({ id: "m3", kind: "shout", content: "x" }))).toEqual([first]);
});

test.each([
  null,
  7,
  {},
  [null],
  [{ id: 1, kind: "steer", content: "" }],
  [{ id: "a", kind: "steer", content: [{ type: "x" }] }],
])("WAIT1 what is no queue is read as none: %j", (value) => expect(parseQueue(value)).toEqual([]));

/** Tests the message queue as reduced from the entries of a branch. */

import { expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { parseQueue, QUEUE_TYPE, reduceQueue, UNQUEUE_TYPE } from "../../src/session/state.ts";

const position = { parentId: null, timestamp: "" };
const first = { id: "m1", kind: "steer", content: "first" } as const;
const second = { id: "m2", kind: "followUp", content: [{ type: "text", text: "second" }] } as const;
const queued = (data: unknown): Entry => ({ type: "custom", customType: QUEUE_TYPE, data, id: "q", ...position });
const userMessage = (id: string): Entry => ({
  type: "message",
  message: { role: "user", content: "first", timestamp: 0 },
  id,
  ...position,
});

test("WAIT1 a message is in the queue until it is on the branch, in the order of sending", () => {
  const both = [queued(first), queued(second)].reduce(reduceQueue, []);
  expect(both).toEqual([first, second]);
  expect(reduceQueue(both, userMessage("m1"))).toEqual([second]);
  expect(reduceQueue(both, userMessage("m9"))).toBe(both);
});

test("WAIT1 a removed message leaves the queue; invalid data changes nothing", () => {
  const unqueue = (data: unknown): Entry => ({ type: "custom", customType: UNQUEUE_TYPE, data, id: "u", ...position });
  expect(reduceQueue([first, second], unqueue({ ids: ["m2"] }))).toEqual([first]);
  expect(reduceQueue([first], unqueue({ ids: "m1" }))).toEqual([first]);
  expect(reduceQueue([first], queued({ id: "m3", kind: "shout", content: "x" }))).toEqual([first]);
});

test.each([
  null,
  7,
  {},
  [null],
  [{ id: 1, kind: "steer", content: "" }],
  [{ id: "a", kind: "steer", content: [{ type: "x" }] }],
])("WAIT1 an invalid queue is read as empty: %j", (value) => expect(parseQueue(value)).toEqual([]));

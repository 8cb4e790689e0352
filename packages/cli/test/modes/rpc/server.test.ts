/** In which order commands begin. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { CommandOrder } from "../../../src/modes/rpc/server.ts";

/** Acts that end when they are told to. */
function acts() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const act = (name: string) => (): Promise<void> => {
    started.push(name);
    return new Promise((resolve) => ends.set(name, resolve));
  };
  return { started, act, end: (name: string): void => ends.get(name)?.() };
}

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("RPC6 prompts start one after the other, and other commands at once", async () => {
  const lanes = new CommandOrder();
  const { started, act, end } = acts();
  for (const name of ["one", "two"]) void lanes.run("prompt", act(name));
  void lanes.run(undefined, act("look"));
  await moment();
  assert.deepEqual(started, ["look", "one"]);
  end("one");
  await moment();
  assert.deepEqual(started, ["look", "one", "two"]);
});

test("RPC6 commands after a session switch wait for it", async () => {
  const lanes = new CommandOrder();
  const { started, act, end } = acts();
  void lanes.run("switch", act("leave"));
  void lanes.run(undefined, act("look"));
  void lanes.run("prompt", act("speak"));
  await moment();
  assert.deepEqual(started, ["leave"]);
  end("leave");
  await moment();
  assert.deepEqual(started.toSorted(), ["leave", "look", "speak"]);
});

test("RPC6 an abort starts at once, and again for the commands sent before it", async () => {
  const lanes = new CommandOrder();
  const { started, act, end } = acts();
  void lanes.run("prompt", act("speak"));
  let stops = 0;
  const stopped = lanes.run("urgent", async () => ++stops);
  await moment();
  assert.deepEqual([started, stops], [["speak"], 1]);
  end("speak");
  assert.equal(await stopped, 2);
});

test("RPC6 an abort ends even if a command before it never does", async () => {
  const lanes = new CommandOrder();
  const { act } = acts();
  void lanes.run("prompt", act("hang"));
  let stops = 0;
  assert.equal(await lanes.run("urgent", async () => ++stops), 2);
});

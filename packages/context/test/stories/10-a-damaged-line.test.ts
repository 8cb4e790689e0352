/** Story 10: one line in the middle of a file has rotted. It is named, a gap stands in its place, and both sides stay connected. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show, story } from "../../src/testing/story.ts";

test("HARM2 LOG2 LOG4 a damaged line becomes a gap, and the context before it is kept", async () => {
  const ports = testRuntime();
  const whole = MemoryStore.create(ports);
  for (const entry of story("user: one", "calls: read", "result: the file", "says: two", "user: three"))
    await whole.append([entry], { expectedLeaf: await whole.leaf() });
  const rotten = new TextDecoder().decode(whole.bytes()).replace("the file", "the fi1e");

  const store = MemoryStore.open(new TextEncoder().encode(rotten), ports);
  const window = await store.loadBranch(await store.leaf());
  expect(store.damage.map(({ kind, line }) => `line ${line}: ${kind}`)).toEqual(["line 4: wrong-checksum"]);
  expect(window.gaps.map(({ id, why }) => `${id}: ${why}`)).toEqual([
    "e3: the checksum does not match: the line has changed since it was written",
  ]);
  expect(show(convertToLlm(buildSessionContext(window).messages)).split("\n")).toEqual([
    "0 user      one",
    "1 assistant [c1: read]",
    "2 tool      c1 -> (error) There is no result for this call: it was interrupted or its output was lost.",
    "3 user      [Pith: entry #3 in this session is damaged and cannot be read. It was the result of a tool call. Do not guess its content. If you need it, ask the user, or get it again with a tool.]",
    "4 assistant two",
    "5 user      three",
  ]);
});

/** A look into sessions of every size. */

import { statSync } from "node:fs";
import { createSession } from "@pith/context/node";
import { nothingUsed, story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { lookInto } from "../../../../../src/screen/acting/sessions/choosing/look-into.ts";
import { folder } from "../../../../commands/desks.ts";

async function kept(words: readonly string[], filling = 0) {
  const made = await createSession({ cwd: folder("pith-look-"), env: { PITH_HOME: folder("pith-home-") } });
  if (made.type !== "opened") throw new Error("no session could be made");
  const { store } = made;
  let parentId: string | null = null;
  const before = Array.from({ length: filling }, (_, at) => filler(at));
  for (const [at, entry] of [...before, ...story(...words)].entries()) {
    const id: string = at < filling ? `x${at}` : `e${at - filling + 1}`;
    const placed = [{ ...entry, id, parentId }] as never;
    await store.append(placed, { expectedLeaf: await store.leaf(), isReplaceable: true });
    parentId = id;
  }
  await store.close();
  const { size } = statSync(store.path);
  return { path: store.path, id: "x", cwd: "", created: "", modified: 0, size, firstMessage: "" };
}

function filler(at: number): object {
  const content = [{ type: "text", text: `${at} ${"many words ".repeat(5_000)}` }];
  const model = { api: "x", provider: "p", model: "m", usage: nothingUsed, stopReason: "stop" };
  return { type: "message", timestamp: "", message: { role: "assistant", content, ...model, timestamp: 1 } };
}

const talk = [
  "user: build it",
  "says: built",
  "compacts: ## Goal\n- build the house, keeps nothing",
  "user: paint it",
  "says: red",
];

test("RES10 a look tells what a session is about and what was said last", async () => {
  const about = await lookInto(await kept(talk));
  expect(about).toMatchObject({ lastSaid: "paint it", lastAnswer: "red", isForeign: false, branches: 1, entries: 5 });
  expect(about.gist).toMatch(/^build the house/);
});

test("RES10 of a long session only the end is read, and it tells the same", async () => {
  const long = await kept(talk, 50);
  expect(long.size).toBeGreaterThan(2 * 1024 * 1024);
  const about = await lookInto(long);
  expect(about).toMatchObject({ lastSaid: "paint it", lastAnswer: "red" });
  expect(about.gist).toMatch(/^build the house/);
});

test("RES13 what is no session tells nothing", async () => {
  const item = { path: "/nowhere.jsonl", id: "", cwd: "", created: "", modified: 0, firstMessage: "" };
  for (const size of [10, 10_000_000])
    expect(await lookInto({ ...item, size })).toMatchObject({ gist: null, lastSaid: "", lastAnswer: "" });
});

/** The totals of a file: one pass, whatever is in it. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSession } from "../../../src/node/sessions/create-session.ts";
import { totalsOf } from "../../../src/node/sessions/totals-of.ts";
import { story } from "../../../src/testing/story.ts";
import { appended, storeIn } from "./ground.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-totals-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function written(): Promise<string> {
  const store = storeIn(await createSession({ cwd: "/code/one", env: { PITH_HOME: folder } }));
  await appended(store, story("user: one", "says: two", "user: three", "says: four"));
  await store.close();
  return store.path;
}

test("EVT8 a file is counted in one pass, also where its end is torn", async () => {
  const path = await written();
  const whole = await totalsOf(path);
  expect(whole).toMatchObject({
    type: "counted",
    header: { cwd: "/code/one" },
    totals: { entries: 4, userMessages: 2, assistantMessages: 2 },
  });
  appendFileSync(path, '{"type":"message","id":"half');
  expect(await totalsOf(path)).toEqual(whole);
});

test("EVT8 what is damaged or old counts as far as it can be read; what is not there says so", async () => {
  const old = join(folder, "old.jsonl");
  const lines = [
    { type: "session", id: "s", timestamp: "", cwd: "/" },
    { type: "message", timestamp: "", message: { role: "user", content: "hi", timestamp: 0 } },
  ];
  writeFileSync(old, `${lines.map((line) => JSON.stringify(line)).join("\n")}\nno json\n`);
  expect(await totalsOf(old)).toMatchObject({ type: "counted", totals: { userMessages: 1 } });
  expect(await totalsOf(join(folder, "gone.jsonl"))).toMatchObject({ type: "unavailable", code: "ENOENT" });
});

/** What a move would do to the files, before anything is done. */

import { expect, test } from "vitest";
import { hashOf } from "../../src/bytes/hash-of.ts";
import { planRewind } from "../../src/rewind/plan-rewind.ts";
import { changeEntry, writingSession } from "./session-of-writes.ts";

const hash = (text: string): Promise<string> => hashOf(new TextEncoder().encode(text));

test("BACK1 a plan says what each file should be, what it is, and what would be done, and touches nothing", async () => {
  const { files, originals, write } = writingSession();
  files.put("/old", "as it was");
  const left = [await write("/old", "changed"), await write("/old", "again"), await write("/new", "created")];
  const plan = await planRewind({ left, reached: [] }, { files, originals });
  expect(plan).toEqual([
    {
      type: "restore",
      path: "/old",
      expected: await hash("again"),
      target: await hash("as it was"),
      now: await hash("again"),
      hasOthersWork: false,
    },
    {
      type: "remove",
      path: "/new",
      expected: await hash("created"),
      target: null,
      now: await hash("created"),
      hasOthersWork: false,
    },
  ]);
  expect(files.texts()).toEqual({ "/old": "again", "/new": "created" });
});

test("BACK3 what is there and cannot be read is a conflict", async () => {
  const { files, originals } = writingSession();
  const left = [changeEntry({ path: "/folder/", before: null, after: await hash("x") })];
  expect(await planRewind({ left, reached: [] }, { files, originals })).toMatchObject([
    { type: "conflict", now: "unreadable" },
  ]);
});

test("BACK3 work of others between two changes of the session is pointed out", async () => {
  const { files, originals, write } = writingSession();
  const first = await write("/file", "one");
  files.put("/file", "one, formatted");
  const left = [first, await write("/file", "two")];
  expect(await planRewind({ left, reached: [] }, { files, originals })).toMatchObject([
    { type: "remove", hasOthersWork: true },
  ]);
});

test("BACK4 a session from elsewhere cannot have a file removed by claiming that it made it", async () => {
  const { files, originals } = writingSession();
  files.put("/precious", "known to all");
  const left = [changeEntry({ path: "/precious", before: null, after: await hash("known to all") })];
  expect(await planRewind({ left, reached: [] }, { files, originals })).toMatchObject([{ type: "lost" }]);
});

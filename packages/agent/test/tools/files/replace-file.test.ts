/** What write and edit keep of what they replace. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { hashOf } from "../../../src/bytes/hash-of.ts";
import type { Originals } from "../../../src/rewind/originals.ts";
import { memoryOriginals } from "../../rewind/memory-originals.ts";
import { newGround } from "./ground.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const edits = [{ oldText: "one", newText: "two" }];

test("FILE21 write and edit keep the true bytes of what they replace and of what they wrote", async () => {
  const originals = memoryOriginals();
  const { root, put, run } = newGround({ originals });
  put("file", "\ufeffone\r\n");
  const [before, after] = await Promise.all([hashOf(bytes("\ufeffone\r\n")), hashOf(bytes("\ufefftwo\r\n"))]);
  const edited = await run("edit", { path: "file", edits });
  expect(edited.details).toMatchObject({ pith: { path: join(root, "file"), before, after } });
  const written = await run("write", { path: "file", content: "three" });
  const last = await hashOf(bytes("three"));
  expect(written.details).toEqual({ pith: { path: join(root, "file"), before: after, after: last } });
  const texts = await Promise.all([before, after, last].map((hash) => originals.read(hash)));
  expect(texts.map((text) => text && Buffer.from(text).toString())).toEqual([
    "\ufeffone\r\n",
    "\ufefftwo\r\n",
    "three",
  ]);
});

test("FILE21 they are kept before the file is touched", async () => {
  const seen: string[] = [];
  const ground = newGround({
    originals: {
      keep: async (content) => {
        seen.push(`${Buffer.from(content)} while the file is ${ground.text("file")}`);
        return await hashOf(content);
      },
      read: async () => null,
    },
  });
  ground.put("file", "one");
  await ground.run("edit", { path: "file", edits });
  expect(seen).toEqual(["one while the file is one", "two while the file is one"]);
});

test("FILE21 what could not be kept is said in the details, and the work is done all the same", async () => {
  const none: Originals = { keep: async () => null, read: async () => null };
  const { put, text, run } = newGround({ originals: none });
  put("file", "one");
  const hash = expect.stringMatching(/^\w{64}$/);
  const path = expect.any(String);
  const edited = await run("edit", { path: "file", edits });
  expect(edited.details).toMatchObject({ pith: { path, before: hash, after: hash, unkept: ["before", "after"] } });
  const created = await run("write", { path: "new", content: "x" });
  expect(created.details).toEqual({ pith: { path, before: null, after: hash, unkept: ["after"] } });
  expect(text("file")).toBe("two");
});

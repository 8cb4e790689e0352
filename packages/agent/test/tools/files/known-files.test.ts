/** What a model knows of files after a restart. */

import type { Entry } from "@pith/context";
import { expect, test } from "vitest";
import { knownFiles } from "../../../src/tools/files/known-files.ts";
import { newGround, wordsOf } from "./ground.ts";
import { resultEntry } from "./results.ts";

const asIs = (path: string): string => path;

test("FILE20 after a restart what was read, written and edited need not be read again", async () => {
  const { put, text, run, reads } = newGround();
  const entries: Entry[] = [];
  const logged = async (name: "read" | "write" | "edit", asked: Readonly<Record<string, unknown>>): Promise<string> => {
    const output = await run(name, asked);
    entries.push(resultEntry(name, output));
    return wordsOf(output);
  };
  for (const name of ["read", "edited", "changed", "unread"]) put(name, "a\n");
  await logged("read", { path: "read" });
  await logged("write", { path: "written", content: "a\n" });
  await logged("read", { path: "edited" });
  await logged("edit", { path: "edited", edits: [{ oldText: "a", newText: "b" }] });
  await logged("read", { path: "changed" });
  await logged("write", { path: "unread", content: "b\n" });
  put("changed", "by hand\n");

  reads.relearn(knownFiles(entries, asIs));
  const words = [];
  for (const path of ["read", "written", "edited", "changed", "unread"])
    words.push(await logged("write", { path, content: `new ${path}` }));
  expect(words).toEqual([
    "Replaced read: 1 line, 8 bytes (before: 2 bytes).",
    "Replaced written: 1 line, 11 bytes (before: 2 bytes).",
    "Replaced edited: 1 line, 10 bytes (before: 2 bytes).",
    "changed was changed since it was read; read it again before writing it",
    "unread exists (2 bytes) and was not read; read it first, then write it, or use edit",
  ]);
  expect(text("read")).toBe("new read");
});

test("FILE20 what was seen on a branch that was left is not known on another", async () => {
  const { put, run, reads } = newGround();
  put("file", "a\n");
  await run("read", { path: "file" });
  reads.relearn(knownFiles([], asIs));
  expect(wordsOf(await run("write", { path: "file", content: "b" }))).toMatch(/was not read/);
});

test("FILE20 only what the file tools say of themselves counts, and only where it has the right shape", () => {
  const hash = "a".repeat(64);
  const entries = [
    resultEntry("read", { details: { pith: { path: "/a", hash } } }),
    resultEntry("other", { details: { pith: { path: "/b", hash } } }),
    resultEntry("read", { isError: true, details: { pith: { path: "/c", hash } } }),
    resultEntry("read", { details: { pith: { path: 7, hash } } }),
    resultEntry("read", { details: { pith: { path: "/d", hash: "short" } } }),
    resultEntry("read", { details: { pith: null } }),
    resultEntry("read", { details: "text" }),
    resultEntry("edit", {}),
    { type: "message", id: "e", parentId: null, timestamp: "", message: { role: "user", content: "", timestamp: 0 } },
  ] as const;
  expect([...knownFiles(entries, asIs)]).toEqual([["/a", hash]]);
});

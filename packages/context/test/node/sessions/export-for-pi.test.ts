/** What is exported is a file of pi's own kind: pi opens it and sees what we see. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Pi, startPi } from "../../../../../bench/src/peers/pi.ts";
import type { Entry } from "../../../src/entry.ts";
import { keepBlob } from "../../../src/node/blobs/blob-folder.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { blobFolder } from "../../../src/node/jsonl/side-folder.ts";
import { createSession } from "../../../src/node/sessions/create-session.ts";
import { exportForPi } from "../../../src/node/sessions/export-for-pi.ts";
import { rebindSession } from "../../../src/node/sessions/rebind-session.ts";
import { buildSessionContext, type SessionContext } from "../../../src/reading/build-context.ts";
import { blobBlock } from "../../../src/session/blob-block.ts";
import { story } from "../../../src/testing/story.ts";
import { appended, ground, PICTURE, session, sessionWithBlob, storeIn } from "./ground.ts";

let pi: Pi;
let folder: string;
beforeAll(() => {
  pi = startPi();
  folder = mkdtempSync(join(tmpdir(), "pith-export-"));
});
afterAll(() => {
  // Where pi could not be started there is nothing to end.
  (pi as Pi | undefined)?.end();
  rmSync(folder, { recursive: true });
});

const picture = { type: "image", data: Buffer.from(PICTURE).toString("base64"), mimeType: "image/png" } as const;
const output = "all the output\n".repeat(50);

test("HOME4 BLOB2 pi opens an export and has our context at every entry, with every blob in its place", async () => {
  const env = { PITH_HOME: folder };
  const store = storeIn(await createSession({ cwd: "/code/one", env }));
  const entries = await withBlobs(store.path);
  await appended(store, entries);
  await store.close();
  const to = join(folder, "for-pi.jsonl");
  expect(await exportForPi(store.path, to, { env })).toEqual({ type: "exported", missing: [] });
  expect(statSync(to).mode & 0o777).toBe(0o600);

  expect(await pi.ask({ op: "open", file: to })).toEqual({ entries: entries.length });
  const leaves = entries.map((_, at) => at);
  const theirs = (await pi.ask({ op: "contexts", file: to, leaves })) as readonly SessionContext[];
  const exported = storeIn(await openStore(to, { as: "follower" }));
  expect(await exported.leaf()).toBe(entries.at(-1)?.id);
  expect(await exported.check()).toEqual([]);
  for (const [at, entry] of entries.entries()) {
    const ours = buildSessionContext(await exported.window(entry.id));
    const context = theirs[at];
    expect([ours.messages, ours.thinkingLevel, ours.model]).toEqual([
      context?.messages,
      context?.thinkingLevel,
      context?.model,
    ]);
  }
  const shown = JSON.stringify(theirs.at(-1)?.messages);
  expect([
    shown.includes(picture.data),
    shown.includes(JSON.stringify(output).slice(1, -1)),
    shown.includes("blob:"),
  ]).toEqual([true, true, false]);
  await exported.close();
});

/** Two branches; an image in a message, a text in an edit. */
async function withBlobs(path: string): Promise<readonly Entry[]> {
  const hashes = [];
  for (const content of [PICTURE, Buffer.from(output)]) {
    const kept = await keepBlob(path, content);
    if (kept.type !== "kept") throw new Error(kept.why);
    hashes.push(kept.hash);
  }
  const [image = "", text = ""] = hashes;
  const told = story(
    "user: look",
    "calls: read path=a",
    "result: short",
    "says: seen",
    "moves: e1",
    "user: again",
    "moves: e4",
    "edits e3: ?",
    "names: pictures",
    "user: end",
  );
  const content = [blobBlock({ hash: image, mimeType: "image/png", bytes: PICTURE.length, tokens: 9 })];
  const edited = [blobBlock({ hash: text, mimeType: "text/plain", bytes: output.length, tokens: 9 })];
  return told.map((entry): Entry => {
    if (entry.id === "e1") return { ...entry, type: "message", message: { role: "user", content, timestamp: 1 } };
    return entry.type === "context_edit" ? { ...entry, replacement: { content: edited } } : entry;
  });
}

test("an export is plain: no seal, no mark of ours, every other byte of a line as it was", async () => {
  const { files, parts } = ground();
  const { path } = await sessionWithBlob(parts);
  const moved = await rebindSession(path, "/code/two", parts);
  const from = moved.type === "rebound" ? moved.path : "";
  await exportForPi(from, "/out.jsonl", parts);
  const source = storeIn(await openStore(from, { ...parts, as: "follower" }));
  const [header = "", ...lines] = Buffer.from(files.contents("/out.jsonl")).toString().trimEnd().split("\n");
  expect(JSON.parse(header)).toEqual({
    type: "session",
    version: 3,
    id: "pictured",
    timestamp: source.header.timestamp,
    cwd: "/code/two",
  });
  expect(lines[0]).toBe((await source.line("e1"))?.replace(/\[\{"type":"text".*\}\}\]/, JSON.stringify([picture])));
  for (const line of lines.slice(1)) expect(line).toBe(await source.line((JSON.parse(line) as Entry).id));
});

test("a blob that is lost or changed is named, and the words about it stay", async () => {
  const { files, parts } = ground();
  const { path, hash } = await sessionWithBlob(parts);
  files.write(`${blobFolder(path)}/${hash}`, Buffer.from("something else"));
  expect(await exportForPi(path, "/one.jsonl", parts)).toEqual({ type: "exported", missing: [hash] });
  files.remove(`${blobFolder(path)}/${hash}`);
  expect(await exportForPi(path, "/two.jsonl", parts)).toEqual({ type: "exported", missing: [hash] });
  expect(Buffer.from(files.contents("/two.jsonl")).toString()).toContain(`blob:${hash}`);
});

test("a lost line becomes a note in its place, so that pi's branch does not break", async () => {
  const { files, parts } = ground();
  const path = await session(parts, { entries: story("user: one", "says: two", "user: three") });
  const text = Buffer.from(files.contents(path)).toString().replace('"text":"two"', '"text":"tw\u0001"');
  files.write(path, Buffer.from(text));
  expect(await exportForPi(path, "/out.jsonl", parts)).toMatchObject({ type: "exported" });
  const lines = Buffer.from(files.contents("/out.jsonl")).toString().trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as Entry).id).slice(1)).toEqual(["e1", "e2", "e3"]);
});

test("nothing is written over, and a full disk leaves nothing behind", async () => {
  const { files, parts } = ground();
  const path = await session(parts);
  files.write("/there.jsonl", Buffer.from("mine"));
  expect(await exportForPi(path, "/there.jsonl", parts)).toMatchObject({ type: "unavailable", code: "EEXIST" });
  expect(await exportForPi(path, "/no/such/folder.jsonl", parts)).toMatchObject({
    type: "unavailable",
    code: "ENOENT",
  });
  files.room = 100;
  expect(await exportForPi(path, "/full.jsonl", parts)).toMatchObject({ type: "unavailable", code: "ENOSPC" });
  expect(files.paths().filter((each) => !each.startsWith("/pith/"))).toEqual(["/there.jsonl"]);
});

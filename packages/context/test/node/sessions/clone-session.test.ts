/** A clone: every branch, every line, the same leaf. */

import { expect, test } from "vitest";
import { readBlob } from "../../../src/node/blobs/blob-folder.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { type Cloning, cloneSession } from "../../../src/node/sessions/clone-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { sealOf } from "../../../src/session/codec/line/seal.ts";
import { decodeSession } from "../../../src/session/codec/session-file.ts";
import { story } from "../../../src/testing/story.ts";
import { testPorts } from "../../../src/testing/test-ports.ts";
import { appended, atEveryEnd, expectWhole, type Ground, ground, session, sessionWithBlob, storeIn } from "./ground.ts";

const branches = story(
  "user: one",
  "says: two",
  "user: three",
  "moves: e1",
  "user: other",
  "moves: e3",
  "says: back",
  "labels e2: here",
  "moves: e5",
  "user: end",
);
const pathOf = (cloning: Cloning): string => {
  if (cloning.type !== "cloned") throw new Error(cloning.why);
  return cloning.path;
};
const decoded = ({ files }: Ground, path: string) => decodeSession(files.contents(path), testPorts());
const linesOf = ({ files }: Ground, path: string): readonly Buffer[] => {
  const text = Buffer.from(files.contents(path)).toString("latin1").split("\n");
  return text.slice(0, -1).map((line) => Buffer.from(line, "latin1"));
};

test("HOME4 a clone has every line of every branch, as it was written, and stands where the source stands", async () => {
  const on = ground();
  const { parts } = on;
  const path = await session(parts, { entries: branches });
  const clone = pathOf(await cloneSession(path, { ...parts, id: "twin", cwd: "/a/much/longer/directory/than/before" }));
  const [source, copy] = [decoded(on, path), decoded(on, clone)];
  expect(copy.damage).toEqual([]);
  expect(copy.lines.map((line) => line.text())).toEqual(source.lines.map((line) => line.text()));
  expect(copy.header).toMatchObject({ id: "twin", cwd: "/a/much/longer/directory/than/before", parentSession: path });
  const store = storeIn(await openStore(clone, parts));
  expect(await store.leaf()).toBe("e10");
  await appended(store, [{ ...branches[0], id: "e11", parentId: "e10" } as (typeof branches)[number]]);
});

test("MOVE2 the marks of a clone say where the parents stand now", async () => {
  const on = ground();
  // Long enough that the places get more digits on the way.
  const many = story(
    ...Array.from({ length: 120 }, (_, at) => (at % 7 === 6 ? `moves: e${at - 4}` : `user: ${"x".repeat(at)}`)),
  );
  const path = await session(on.parts, { entries: many });
  const clone = pathOf(await cloneSession(path, { ...on.parts, cwd: "/another" }));
  const lines = linesOf(on, clone);
  const starts = new Map<number, string>();
  let at = 0;
  for (const line of lines) {
    starts.set(at, (JSON.parse(line.toString()) as { id: string }).id);
    at += line.length + 1;
  }
  const marked = lines.filter((line) => sealOf(line)?.marks.up !== undefined);
  expect(marked.length).toBeGreaterThan(10);
  for (const line of marked)
    expect(starts.get(sealOf(line)?.marks.up ?? -1)).toBe(
      (JSON.parse(line.toString()) as { parentId: string }).parentId,
    );
});

test("a session of pi becomes one of ours, and what its header says besides is kept", async () => {
  const on = ground();
  const header =
    '{"type":"session","version":3,"id":"p","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x","extra":{"kept": true}}';
  const entry = '{ "type":"custom", "id":"a", "parentId":null, "timestamp":"", "customType":"n", "odd":  1e2 }';
  on.files.write("/pi/p.jsonl", Buffer.from(`${header}\n\n${entry}`));
  const clone = pathOf(await cloneSession("/pi/p.jsonl", on.parts));
  const { header: found, ours, lines } = decoded(on, clone);
  expect([ours, lines.map((line) => line.text())]).toEqual([true, [entry]]);
  expect(found).toMatchObject({ cwd: "/x", extra: { kept: true }, parentSession: "/pi/p.jsonl", pith: { format: 1 } });
});

test("what is damaged in the source is noted in the clone, and what is old is in today's spelling", async () => {
  const on = ground();
  const path = await session(on.parts, { entries: branches });
  const bytes = on.files.contents(path);
  bytes[bytes.indexOf(Buffer.from("three")[0] ?? 0, 700)] = 0x01;
  on.files.write(path, bytes);
  const source = decoded(on, path);
  expect(source.damage.length).toBeGreaterThan(0);
  const clone = decoded(on, pathOf(await cloneSession(path, on.parts)));
  expect(clone.damage).toEqual([]);
  expect(clone.lines.map(({ entry }) => [entry.id, entry.parentId, entry.type])).toEqual(
    source.lines.map(({ entry }) => [entry.id, entry.parentId, entry.type]),
  );
});

test("a source that is being written is cloned up to its last whole line", async () => {
  const on = ground();
  const { path, hash } = await sessionWithBlob(on.parts);
  const store = storeIn(await openStore(path, on.parts));
  on.files.write(path, Buffer.concat([on.files.contents(path), Buffer.from('{"type":"mess')]));
  const clone = pathOf(await cloneSession(path, on.parts));
  expect(decoded(on, clone).lines.map(({ entry }) => entry.id)).toEqual(["e1", "e2", "e3", "e4", "e5"]);
  expect(await readBlob(clone, hash, on.parts)).toMatchObject({ type: "read" });
  expect(store.isWriter).toBe(true);
});

test("a full disk leaves no half clone behind, and a long session is never held whole", async () => {
  const on = ground();
  const path = await session(on.parts, {
    entries: story(...Array.from({ length: 60 }, () => `user: ${"x".repeat(50_000)}`)),
  });
  const { size = 0 } = on.files.stat(path) ?? {};
  for (const room of [200, 100_000, size - 10]) {
    on.files.room = room;
    expect(await cloneSession(path, on.parts)).toMatchObject({ type: "unavailable", code: "ENOSPC" });
    expect(on.files.room).toBeGreaterThanOrEqual(room - 100);
  }
  on.files.room = undefined;
  const before = on.files.log.length;
  expect(await cloneSession(path, on.parts)).toMatchObject({ type: "cloned" });
  const pieces = on.files.log
    .slice(before)
    .filter((call) => call.startsWith("append ") && /\.jsonl\.\d+\.new/.test(call));
  expect(pieces.length).toBeGreaterThan(2);
});

test("whenever the process or the power ends, the source is untouched and the clone whole or not there", async () => {
  const ends = await atEveryEnd(
    ({ parts }) => sessionWithBlob(parts),
    ({ parts }, { path }) => cloneSession(path, { ...parts, id: "twin" }),
    async ({ parts }, { path, hash }) => {
      expect(await expectWhole("pictured", hash, parts)).toBe(path);
      const [copy] = (await listSessions(parts)).filter(({ id }) => id === "twin");
      if (copy) await expectWhole("twin", hash, parts);
      else expect(await cloneSession(path, { ...parts, id: "twin" })).toMatchObject({ type: "cloned" });
    },
  );
  expect(ends).toBeGreaterThan(20);
});

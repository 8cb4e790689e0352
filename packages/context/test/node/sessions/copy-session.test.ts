/** Tests node/sessions/copy-session.ts: clone session, export for pi, fork session. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Pi, startPi } from "../../../../../bench/src/peers/pi.ts";
import { buildSessionContext, type SessionContext } from "../../../src/context/build-context.ts";
import type { Entry } from "../../../src/entry.ts";
import { readTrailer } from "../../../src/format/line-checksum.ts";
import { decodeSession } from "../../../src/format/session-file.ts";
import { keepBlob, readBlob } from "../../../src/node/blobs.ts";
import { blobFolder } from "../../../src/node/files.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import {
  type CloneResult,
  cloneSession,
  exportForPi,
  type ForkResult,
  forkSession,
} from "../../../src/node/sessions/copy-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { rebindSession } from "../../../src/node/sessions/move-session.ts";
import { sessionFolderName } from "../../../src/node/sessions/paths.ts";
import { createSession } from "../../../src/node/sessions/sessions.ts";
import { createBlobBlock } from "../../../src/session/blobs.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { requireStore } from "../jsonl/simulate-processes.ts";
import {
  appendEntries,
  crashAtEveryStep,
  createTestHome,
  createTestSession,
  expectIntactSession,
  PICTURE,
  readEntries,
  readIds,
  sessionWithBlob,
  type TestHome,
} from "./test-home.ts";

describe("clone session", () => {
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
  const pathOf = (cloning: CloneResult): string => {
    if (cloning.type !== "cloned") throw new Error(cloning.why);
    return cloning.path;
  };
  const decoded = ({ files }: TestHome, path: string) => decodeSession(files.readBytes(path), testRuntime());
  const linesOf = ({ files }: TestHome, path: string): readonly Buffer[] => {
    const text = Buffer.from(files.readBytes(path)).toString("latin1").split("\n");
    return text.slice(0, -1).map((line) => Buffer.from(line, "latin1"));
  };

  test("HOME4 a clone has every line of every branch as written, and the same leaf", async () => {
    const on = createTestHome();
    const { parts } = on;
    const path = await createTestSession(parts, { entries: branches });
    const clone = pathOf(
      await cloneSession(path, { ...parts, id: "twin", cwd: "/a/much/longer/directory/than/before" }),
    );
    const [source, copy] = [decoded(on, path), decoded(on, clone)];
    expect(copy.damage).toEqual([]);
    expect(copy.lines.map((line) => line.text())).toEqual(source.lines.map((line) => line.text()));
    expect(copy.header).toMatchObject({ id: "twin", cwd: "/a/much/longer/directory/than/before", parentSession: path });
    const store = requireStore(await openStore(clone, parts));
    expect(await store.leaf()).toBe("e10");
    await appendEntries(store, [
      { ...branches[0], id: "e11", parentId: "e10", number: 11 } as (typeof branches)[number],
    ]);
  });

  test("MOVE2 the parent offsets of a clone are updated", async () => {
    const on = createTestHome();
    // Long enough that the places get more digits on the way.
    const many = story(
      ...Array.from({ length: 120 }, (_, at) => (at % 7 === 6 ? `moves: e${at - 4}` : `user: ${"x".repeat(at)}`)),
    );
    const path = await createTestSession(on.parts, { entries: many });
    const clone = pathOf(await cloneSession(path, { ...on.parts, cwd: "/another" }));
    const lines = linesOf(on, clone);
    const starts = new Map<number, string>();
    let at = 0;
    for (const line of lines) {
      starts.set(at, (JSON.parse(line.toString()) as { id: string }).id);
      at += line.length + 1;
    }
    const marked = lines.filter((line) => readTrailer(line)?.marks.up !== undefined);
    expect(marked.length).toBeGreaterThan(10);
    for (const line of marked)
      expect(starts.get(readTrailer(line)?.marks.up ?? -1)).toBe(
        (JSON.parse(line.toString()) as { parentId: string }).parentId,
      );
  });

  test("a clone of a pi session has Pith's format and keeps the other header fields", async () => {
    const on = createTestHome();
    const header =
      '{"type":"session","version":3,"id":"p","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x","extra":{"kept": true}}';
    const entry = '{ "type":"custom", "id":"a", "parentId":null, "timestamp":"", "customType":"n", "odd":  1e2 }';
    on.files.addFile("/pi/p.jsonl", Buffer.from(`${header}\n\n${entry}`));
    const clone = pathOf(await cloneSession("/pi/p.jsonl", on.parts));
    const { header: found, isPithFormat: ours, lines } = decoded(on, clone);
    expect([ours, lines.map((line) => line.text())]).toEqual([true, [entry.replace("{", '{"number":1,')]]);
    expect(found).toMatchObject({
      cwd: "/x",
      extra: { kept: true },
      parentSession: "/pi/p.jsonl",
      pith: { format: 1 },
    });
  });

  test("damage in the source is noted in the clone, and old versions are migrated", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, { entries: branches });
    const bytes = on.files.readBytes(path);
    bytes[bytes.indexOf(Buffer.from("three")[0] ?? 0, 700)] = 0x01;
    on.files.addFile(path, bytes);
    const source = decoded(on, path);
    expect(source.damage.length).toBeGreaterThan(0);
    const clone = decoded(on, pathOf(await cloneSession(path, on.parts)));
    expect(new Set(clone.damage.map(({ kind }) => kind))).toEqual(new Set(["lost-entry"]));
    expect(clone.lines.map(({ entry }) => [entry.id, entry.parentId, entry.type])).toEqual(
      source.lines.map(({ entry }) => [entry.id, entry.parentId, entry.type]),
    );
  });

  test("a source that is being written is cloned up to its last complete line", async () => {
    const on = createTestHome();
    const { path, hash } = await sessionWithBlob(on.parts);
    const store = requireStore(await openStore(path, on.parts));
    on.files.addFile(path, Buffer.concat([on.files.readBytes(path), Buffer.from('{"type":"mess')]));
    const clone = pathOf(await cloneSession(path, on.parts));
    expect(decoded(on, clone).lines.map(({ entry }) => entry.id)).toEqual(["e1", "e2", "e3", "e4", "e5"]);
    expect(await readBlob(clone, hash, on.parts)).toMatchObject({ type: "read" });
    expect(store.isWriter).toBe(true);
  });

  test("a full disk leaves no partial clone, and a long session is streamed", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, {
      entries: story(...Array.from({ length: 60 }, () => `user: ${"x".repeat(50_000)}`)),
    });
    const { size = 0 } = on.files.stat(path) ?? {};
    for (const room of [200, 100_000, size - 10]) {
      on.files.freeBytes = room;
      expect(await cloneSession(path, on.parts)).toMatchObject({ type: "unavailable", code: "ENOSPC" });
      expect(on.files.freeBytes).toBeGreaterThanOrEqual(room - 100);
    }
    on.files.freeBytes = undefined;
    const before = on.files.log.length;
    expect(await cloneSession(path, on.parts)).toMatchObject({ type: "cloned" });
    const pieces = on.files.log
      .slice(before)
      .filter((call) => call.startsWith("append ") && /\.jsonl\.\d+\.new/.test(call));
    expect(pieces.length).toBeGreaterThan(2);
  });

  test("after a crash or power cut at any step, the source is unchanged and the clone complete or absent", async () => {
    const ends = await crashAtEveryStep(
      ({ parts }) => sessionWithBlob(parts),
      ({ parts }, { path }) => cloneSession(path, { ...parts, id: "twin" }),
      async ({ parts }, { path, hash }) => {
        expect(await expectIntactSession("pictured", hash, parts)).toBe(path);
        const [copy] = (await listSessions(parts)).filter(({ id }) => id === "twin");
        if (copy) await expectIntactSession("twin", hash, parts);
        else expect(await cloneSession(path, { ...parts, id: "twin" })).toMatchObject({ type: "cloned" });
      },
    );
    expect(ends).toBeGreaterThan(20);
  });
});

describe("export for pi", () => {
  let pi: Pi;
  let folder: string;
  beforeAll(() => {
    pi = startPi();
    folder = mkdtempSync(join(tmpdir(), "pith-export-"));
  });
  afterAll(() => {
    // Where pi could not be started there is nothing to end.
    (pi as Pi | undefined)?.stop();
    rmSync(folder, { recursive: true });
  });

  const picture = { type: "image", data: Buffer.from(PICTURE).toString("base64"), mimeType: "image/png" } as const;
  const output = "all the output\n".repeat(50);

  test("HOME4 BLOB2 pi opens an export with the same context at every entry, blobs included", async () => {
    const env = { PITH_HOME: folder };
    const store = requireStore(await createSession({ cwd: "/code/one", env }));
    const entries = await withBlobs(store.path);
    await appendEntries(store, entries);
    await store.close();
    const to = join(folder, "for-pi.jsonl");
    expect(await exportForPi(store.path, to, { env })).toEqual({ type: "exported", missing: [] });
    expect(statSync(to).mode & 0o777).toBe(0o600);

    expect(await pi.request({ op: "open", file: to })).toEqual({ entries: entries.length });
    const leaves = entries.map((_, at) => at);
    const theirs = (await pi.request({ op: "contexts", file: to, leaves })) as readonly SessionContext[];
    const exported = requireStore(await openStore(to, { mode: "follower" }));
    expect(await exported.leaf()).toBe(entries.at(-1)?.id);
    expect(await exported.check()).toEqual([]);
    for (const [at, entry] of entries.entries()) {
      const ours = buildSessionContext(await exported.loadBranch(entry.id));
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
    const entries = story(
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
    const content = [createBlobBlock({ hash: image, mimeType: "image/png", bytes: PICTURE.length, tokens: 9 })];
    const edited = [createBlobBlock({ hash: text, mimeType: "text/plain", bytes: output.length, tokens: 9 })];
    return entries.map((entry): Entry => {
      if (entry.id === "e1") return { ...entry, type: "message", message: { role: "user", content, timestamp: 1 } };
      return entry.type === "context_edit" ? { ...entry, replacement: { content: edited } } : entry;
    });
  }

  test("an export has no trailers and no fields of Pith; every other byte of a line is unchanged", async () => {
    const { files, parts } = createTestHome();
    const { path } = await sessionWithBlob(parts);
    const moved = await rebindSession(path, "/code/two", parts);
    const from = moved.type === "rebound" ? moved.path : "";
    await exportForPi(from, "/out.jsonl", parts);
    const source = requireStore(await openStore(from, { ...parts, mode: "follower" }));
    const [header = "", ...lines] = Buffer.from(files.readBytes("/out.jsonl")).toString().trimEnd().split("\n");
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

  test("a lost or changed blob is reported, and its placeholder text stays", async () => {
    const { files, parts } = createTestHome();
    const { path, hash } = await sessionWithBlob(parts);
    files.addFile(`${blobFolder(path)}/${hash}`, Buffer.from("something else"));
    expect(await exportForPi(path, "/one.jsonl", parts)).toEqual({ type: "exported", missing: [hash] });
    files.remove(`${blobFolder(path)}/${hash}`);
    expect(await exportForPi(path, "/two.jsonl", parts)).toEqual({ type: "exported", missing: [hash] });
    expect(Buffer.from(files.readBytes("/two.jsonl")).toString()).toContain(`blob:${hash.slice(0, 8)}`);
  });

  test("a lost line becomes a note, so that the branch stays connected in pi", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts, { entries: story("user: one", "says: two", "user: three") });
    const text = Buffer.from(files.readBytes(path)).toString().replace('"text":"two"', '"text":"tw\u0001"');
    files.addFile(path, Buffer.from(text));
    expect(await exportForPi(path, "/out.jsonl", parts)).toMatchObject({ type: "exported" });
    const lines = Buffer.from(files.readBytes("/out.jsonl")).toString().trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as Entry).id).slice(1)).toEqual(["e1", "e2", "e3"]);
  });

  test("an existing file is not overwritten, and a full disk leaves no file", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts);
    files.addFile("/there.jsonl", Buffer.from("mine"));
    expect(await exportForPi(path, "/there.jsonl", parts)).toMatchObject({ type: "unavailable", code: "EEXIST" });
    expect(await exportForPi(path, "/no/such/folder.jsonl", parts)).toMatchObject({
      type: "unavailable",
      code: "ENOENT",
    });
    files.freeBytes = 100;
    expect(await exportForPi(path, "/full.jsonl", parts)).toMatchObject({ type: "unavailable", code: "ENOSPC" });
    expect(files.listPaths().filter((each) => !each.startsWith("/pith/"))).toEqual(["/there.jsonl"]);
  });
});

describe("fork session", () => {
  const pathOf = (forking: ForkResult): string => {
    if (forking.type !== "forked") throw new Error(JSON.stringify(forking));
    return forking.path;
  };

  test("FORK1 FORK2 a fork contains one branch, its blobs and its origin, and is named as a fork", async () => {
    const { parts } = createTestHome();
    const { path, hash } = await sessionWithBlob(parts);
    const fork = pathOf(await forkSession(path, { ...parts, id: "copy" }));
    const store = requireStore(await openStore(fork, parts));
    const source = requireStore(await openStore(path, parts));
    expect(store.header).toMatchObject({ id: "copy", cwd: "/code/one", parentSession: path });
    expect(await store.name()).toBe("pictures (fork)");
    expect((await readIds(fork, parts)).slice(0, 4)).toEqual(["e1", "e3", "e4", "e5"]);
    const context = async (of: typeof store) => buildSessionContext(await of.loadBranch(await of.leaf())).messages;
    expect(await context(store)).toEqual(await context(source));
    expect(await readBlob(fork, hash, parts)).toMatchObject({ type: "read" });
    expect(await store.check()).toEqual([]);
    expect(await listSessions(parts)).toMatchObject([{ id: "copy", parentSession: path }, { id: "pictured" }]);
  });

  test("a fork at an earlier entry for another directory has the same bytes", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts, { entries: story("user: one", "says: two", "user: three") });
    const fork = pathOf(await forkSession(path, { ...parts, leaf: "e2", cwd: "/code/two" }));
    expect(fork).toContain(`/${sessionFolderName("/code/two")}/`);
    const [source, copy] = [requireStore(await openStore(path, parts)), requireStore(await openStore(fork, parts))];
    expect(await readIds(fork, parts)).toEqual(["e1", "e2"]);
    for (const id of ["e1", "e2"]) expect(await copy.line(id)).toBe(await source.line(id));
  });

  test("a source that another process writes can be forked, and the writer continues", async () => {
    const { parts } = createTestHome();
    const store = requireStore(await openStore(await createTestSession(parts), parts));
    const fork = pathOf(await forkSession(store.path, parts));
    await appendEntries(
      store,
      story("user: a", "user: b", "user: more")
        .slice(2)
        .map((entry) => ({ ...entry, parentId: "e2" })),
    );
    expect(await readIds(fork, parts)).toEqual(["e1", "e2"]);
    expect(await readIds(pathOf(await forkSession(store, parts)), parts)).toEqual(["e1", "e2", "e3"]);
    expect(store.isWriter).toBe(true);
  });

  test("a fork of a fork gets the next number in its name; a fork of an unnamed session has no name", async () => {
    const { parts } = createTestHome();
    const named = await createTestSession(parts, { entries: story("user: one", "names: tests") });
    const names: (string | undefined)[] = [];
    for (let path = named, round = 0; round < 3; round++) {
      path = pathOf(await forkSession(path, parts));
      names.push(await requireStore(await openStore(path, { ...parts, mode: "follower" })).name());
    }
    expect(names).toEqual(["tests (fork)", "tests (fork 2)", "tests (fork 3)"]);
    const copy = pathOf(await forkSession(named, { ...parts, nameSuffix: "copy" }));
    const copyAgain = pathOf(await forkSession(copy, { ...parts, nameSuffix: "copy" }));
    const copyNames = [copy, copyAgain].map(async (path) =>
      requireStore(await openStore(path, { ...parts, mode: "follower" })).name(),
    );
    expect(await Promise.all(copyNames)).toEqual(["tests (copy)", "tests (copy 2)"]);
    const plain = await createTestSession(parts);
    expect((await readEntries(pathOf(await forkSession(plain, parts)), parts)).map(({ type }) => type)).toEqual([
      "message",
      "message",
    ]);
  });

  test("a fork may be empty; an unknown entry, a used id and a missing source give results", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts, { id: "a" });
    expect(await readIds(pathOf(await forkSession(path, { ...parts, leaf: null })), parts)).toEqual([]);
    expect(await forkSession(path, { ...parts, leaf: "e9" })).toMatchObject({ type: "no-entry" });
    expect(await forkSession(path, { ...parts, id: "a" })).toMatchObject({ type: "unavailable", code: "EINVAL" });
    expect(await forkSession("/gone.jsonl", parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
  });

  test("a lost blob is reported, and the fork is created anyway", async () => {
    const { files, parts } = createTestHome();
    const { path, hash } = await sessionWithBlob(parts);
    files.remove(`${blobFolder(path)}/${hash}`);
    expect(await forkSession(path, parts)).toMatchObject({ type: "forked", missing: [hash] });
  });

  test("after a crash or power cut at any step, the source is unchanged and the fork complete or absent", async () => {
    await crashAtEveryStep(
      ({ parts }) => sessionWithBlob(parts),
      ({ parts }, { path }) => forkSession(path, { ...parts, id: "copy" }),
      async ({ parts }, { path, hash }) => {
        expect(await expectIntactSession("pictured", hash, parts)).toBe(path);
        const [copy] = (await listSessions(parts)).filter(({ id }) => id === "copy");
        if (copy) await expectIntactSession("copy", hash, parts);
        else expect(await forkSession(path, { ...parts, id: "copy" })).toMatchObject({ type: "forked", missing: [] });
      },
    );
  });
});

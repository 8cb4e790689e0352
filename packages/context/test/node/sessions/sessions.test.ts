/** Tests node/sessions/sessions.ts: create session, find session, rename session, totals. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { sessionFolderName } from "../../../src/node/sessions/paths.ts";
import {
  createSession,
  findSession,
  labelEntry,
  readSessionTotals,
  renameSession,
} from "../../../src/node/sessions/sessions.ts";
import { Session } from "../../../src/session/session.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { requireStore } from "../jsonl/simulate-processes.ts";
import { appendEntries, createTestHome, createTestSession, readEntries } from "./test-home.ts";

describe("create session", () => {
  test("a session is created in the folder of its directory, named by time and id, and can be written", async () => {
    const { files, parts } = createTestHome();
    const store = requireStore(await createSession({ cwd: "/code/one", parentSession: "/old.jsonl", ...parts }));
    expect(dirname(store.path)).toBe(`/pith/sessions/${sessionFolderName("/code/one")}`);
    const { id, timestamp } = store.header;
    expect(basename(store.path)).toBe(`${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`);
    expect(store.header).toMatchObject({ cwd: "/code/one", version: 3, parentSession: "/old.jsonl" });
    expect(Buffer.from(files.readBytes(join(dirname(store.path), "folder.json"))).toString()).toBe(
      '{"cwd":"/code/one"}\n',
    );
    await appendEntries(store, story("user: hello"));
  });

  test("S5 files and folders are readable only by their owner, whatever the umask", async () => {
    const home = mkdtempSync(join(tmpdir(), "pith-create-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const before = process.umask(0);
    const store = requireStore(await createSession({ cwd: "/code", env: { PITH_HOME: home } }));
    process.umask(before);
    const mode = (path: string): number => statSync(path).mode & 0o777;
    expect(mode(store.path)).toBe(0o600);
    expect(mode(join(dirname(store.path), "folder.json"))).toBe(0o600);
    expect([mode(dirname(store.path)), mode(join(home, "sessions"))]).toEqual([0o700, 0o700]);
    expect(readFileSync(store.path, "utf8")).toContain('"pith":{"format":1}');
    await store.close();
  });

  test("a full disk and a forbidden folder give results with a next step", async () => {
    const full = createTestHome();
    full.files.freeBytes = 0;
    expect(await createSession({ cwd: "/w", ...full.parts })).toMatchObject({
      type: "unavailable",
      code: "ENOSPC",
      why: expect.stringContaining("free some space"),
    });
    const closed = createTestHome();
    closed.files.failEvery("EACCES", ["makeFolder"]);
    expect(await createSession({ cwd: "/w", ...closed.parts })).toMatchObject({
      type: "unavailable",
      code: "EACCES",
      why: expect.stringContaining("permissions"),
    });
  });

  test("a created session survives a power cut", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts);
    files.cutPower(() => 0);
    expect(files.listPaths()).toContain(path);
  });
});

describe("find session", () => {
  test("HOME2 an id finds its session in any folder, whatever the working directory", async () => {
    const { parts } = createTestHome();
    const one = await createTestSession(parts, { cwd: "/one", id: "alpha" });
    const two = await createTestSession(parts, { cwd: "/two", id: "beta" });
    expect(await findSession("alpha", parts)).toEqual({ type: "found", path: one, id: "alpha" });
    expect(await findSession("be", parts)).toEqual({ type: "found", path: two, id: "beta" });
  });

  test("several matches are returned, no match gives a result, and an exact id wins over a prefix", async () => {
    const { parts } = createTestHome();
    const one = await createTestSession(parts, { cwd: "/one", id: "fix" });
    const two = await createTestSession(parts, { cwd: "/two", id: "fix-2" });
    expect(await findSession("fi", parts)).toMatchObject({
      type: "several",
      candidates: [
        { path: one, id: "fix" },
        { path: two, id: "fix-2" },
      ],
    });
    expect(await findSession("fix", parts)).toEqual({ type: "found", path: one, id: "fix" });
    for (const unknownId of ["gone", "", "../fix", "fix/..", "*"])
      expect(await findSession(unknownId, parts)).toMatchObject({ type: "none" });
  });

  test("a session is found by its file name without opening files", async () => {
    const { files, parts } = createTestHome();
    await createTestSession(parts, { id: "alpha" });
    const before = files.log.length;
    await findSession("alpha", parts);
    expect(files.log.slice(before).filter((call) => call.startsWith("open"))).toEqual([]);
  });

  test("a file with another name is found by its header", async () => {
    const { files, parts } = createTestHome();
    files.addFile(
      "/pi/notes.jsonl",
      Buffer.from('{"type":"session","version":3,"id":"from-pi","timestamp":"","cwd":"/x"}\n'),
    );
    expect(await findSession("from", { ...parts, folders: ["/pi"] })).toEqual({
      type: "found",
      path: "/pi/notes.jsonl",
      id: "from-pi",
    });
  });

  test("two sessions with one id are both returned", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts, { id: "twin" });
    files.addFile(path.replace("_twin", "").replace(/(\d{3})Z/, "999Z_twin"), files.readBytes(path));
    expect(await findSession("twin", parts)).toMatchObject({ type: "several", candidates: [{}, {}] });
  });
});

describe("rename session", () => {
  test("a session is named by its path, and the name becomes its leaf", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts);
    expect(await renameSession(path, " the login\nbug ", parts)).toMatchObject({ type: "appended" });
    expect((await readEntries(path, parts)).at(-1)).toMatchObject({ type: "session_info", name: "the login bug" });
    expect(await listSessions(parts)).toMatchObject([{ name: "the login bug" }]);
    await renameSession(path, "", parts);
    expect((await listSessions(parts))[0]).not.toHaveProperty("name");
  });

  test("an open session appends the name itself and continues after it", async () => {
    const { parts } = createTestHome();
    const store = requireStore(await openStore(await createTestSession(parts), parts));
    const open = await Session.open(store, testRuntime("later"));
    expect(await renameSession(open, "one", parts)).toMatchObject({ type: "appended" });
    expect(await labelEntry(open, { entryId: "e1", label: "start", ...parts })).toMatchObject({ type: "appended" });
    expect(await open.append({ type: "custom", customType: "x" })).toMatchObject({ type: "appended" });
    expect([await store.name(), [...(await store.labels())]]).toEqual(["one", [["e1", "start"]]]);
    expect(await renameSession(store, "two", parts)).toMatchObject({ type: "appended" });
  });

  test("a label is added and removed, and an unknown entry gives a result", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts);
    const labels = async () => [
      ...(await requireStore(await openStore(path, { ...parts, mode: "follower" })).labels()),
    ];
    await labelEntry(path, { entryId: "e2", label: "good\u001b[2J", ...parts });
    expect(await labels()).toEqual([["e2", "good"]]);
    await labelEntry(path, { entryId: "e2", ...parts });
    expect(await labels()).toEqual([]);
    expect(await labelEntry(path, { entryId: "e9", label: "x", ...parts })).toMatchObject({ type: "no-entry" });
  });

  test("a session in use, a missing session and a full disk give results", async () => {
    const { files, parts } = createTestHome();
    const path = await createTestSession(parts);
    const store = requireStore(await openStore(path, parts));
    expect(await renameSession(path, "x", parts)).toMatchObject({ type: "held" });
    await store.close();
    expect(await renameSession("/pith/gone.jsonl", "x", parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
    files.failEvery("ENOSPC", ["append"]);
    expect(["unavailable", "refused"]).toContain((await renameSession(path, "x", parts)).type);
  });

  test("SEC11 names of sessions and labels of entries contain no secret", async () => {
    const { parts } = createTestHome();
    const path = await createTestSession(parts);
    const redaction = {
      redact: <Value>(value: Value) => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "P")),
    };
    await renameSession(path, "the s3cret one", { ...parts, redaction });
    await labelEntry(path, { entryId: "e2", label: "a s3cret", ...parts, redaction });
    expect(JSON.stringify(await readEntries(path, parts))).not.toContain("s3cret");
    expect(await listSessions(parts)).toMatchObject([{ name: "the P one" }]);
  });
});

describe("totals", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pith-totals-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function written(): Promise<string> {
    const store = requireStore(await createSession({ cwd: "/code/one", env: { PITH_HOME: folder } }));
    await appendEntries(store, story("user: one", "says: two", "user: three", "says: four"));
    await store.close();
    return store.path;
  }

  test("EVT8 a file is counted in one pass, also with a torn end", async () => {
    const path = await written();
    const whole = await readSessionTotals(path);
    expect(whole).toMatchObject({
      type: "counted",
      header: { cwd: "/code/one" },
      totals: { entries: 4, userMessages: 2, assistantMessages: 2 },
    });
    appendFileSync(path, '{"type":"message","id":"half');
    expect(await readSessionTotals(path)).toEqual(whole);
  });

  test("EVT8 a damaged or old file is counted as far as it is readable; a missing file gives a result", async () => {
    const old = join(folder, "old.jsonl");
    const lines = [
      { type: "session", id: "s", timestamp: "", cwd: "/" },
      { type: "message", timestamp: "", message: { role: "user", content: "hi", timestamp: 0 } },
    ];
    writeFileSync(old, `${lines.map((line) => JSON.stringify(line)).join("\n")}\nno json\n`);
    expect(await readSessionTotals(old)).toMatchObject({ type: "counted", totals: { userMessages: 1 } });
    expect(await readSessionTotals(join(folder, "gone.jsonl"))).toMatchObject({ type: "unavailable", code: "ENOENT" });
  });
});

/** Secrets out of a history: every line, every blob, what lies beside; and a session that is whole afterwards. */

import { expect, test } from "vitest";
import { readSummaryPartTexts } from "../../../src/context/read-summary-parts.ts";
import type { CompactionEntry, Entry } from "../../../src/entry.ts";
import { decodeSession } from "../../../src/format/session-file.ts";
import { blobPath, keepBlob } from "../../../src/node/blobs.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { exportForPi } from "../../../src/node/sessions/copy-session.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { type PurgeResult, purgeSession } from "../../../src/node/sessions/purge-session.ts";
import { createSession } from "../../../src/node/sessions/sessions.ts";
import { createBlobBlock } from "../../../src/session/blobs.ts";
import type { Redaction } from "../../../src/session/session.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { requireStore } from "../jsonl/simulate-processes.ts";
import { appendEntries, crashAtEveryStep, createTestHome, createTestSession, type TestHome } from "./test-home.ts";

const SECRET = "hunter2hunter2";
/** Of one value, wherever it stands. */
const redaction: Redaction = {
  redact: <Value>(value: Value): Value => {
    const text = JSON.stringify(value);
    return text.includes(SECRET) ? (JSON.parse(text.replaceAll(SECRET, "GONE")) as Value) : value;
  },
};

const entries = story(
  "user: hello",
  `says: it is ${SECRET}`,
  "moves: e1",
  `user: ${SECRET} and ${SECRET}`,
  "says: noted",
  "labels e2: here",
);

const contents = ({ files }: TestHome): string =>
  files
    .listPaths()
    .map((path) => Buffer.from(files.readBytes(path)).toString("latin1"))
    .join("\n");
const done = (lines: number, blobs = 0, removed: readonly string[] = []): PurgeResult => ({
  type: "purged",
  lines,
  blobs,
  removed,
});

test("PUR1 a purged secret occurs nowhere, and every other line is unchanged", async () => {
  const on = createTestHome();
  const path = await createTestSession(on.parts, { entries: entries });
  const before = decodeSession(on.files.readBytes(path), testRuntime());
  expect(await purgeSession(path, { ...on.parts, redaction })).toEqual(done(2));
  expect(contents(on)).not.toContain(SECRET);
  const after = decodeSession(on.files.readBytes(path), testRuntime());
  expect(after.damage).toEqual([]);
  expect(after.lines.map((line) => line.text())).toEqual(
    before.lines.map((line) => line.text()?.replaceAll(SECRET, "GONE")),
  );
  const store = requireStore(await openStore(path, on.parts));
  expect(await store.leaf()).toBe("e6");
  await appendEntries(store, [{ ...entries[0], id: "e7", parentId: "e6", number: 7 } as Entry]);
});

test("PUR2 a dry run changes nothing, and a session without secrets keeps every byte", async () => {
  const on = createTestHome();
  const path = await createTestSession(on.parts, { entries: entries });
  const before = Buffer.from(on.files.readBytes(path));
  expect(await purgeSession(path, { ...on.parts, redaction, isDryRun: true })).toEqual(done(2));
  expect(Buffer.from(on.files.readBytes(path))).toEqual(before);
  const clean = await createTestSession(on.parts, { id: "clean" });
  const bytes = Buffer.from(on.files.readBytes(clean));
  expect(await purgeSession(clean, { ...on.parts, redaction })).toEqual(done(0));
  expect(Buffer.from(on.files.readBytes(clean))).toEqual(bytes);
});

test("PUR3 redacted blobs get the hash of their new content, and lines refer to it", async () => {
  const on = createTestHome();
  const store = requireStore(await createSession({ cwd: "/code", ...on.parts }));
  const kept = await keepBlob(store.path, Buffer.from(`long output with ${SECRET}`), on.parts);
  if (kept.type !== "kept") throw new Error(kept.why);
  const content = [createBlobBlock({ ...kept, mimeType: "text/plain", tokens: 9 })];
  const [first] = story("user: look");
  await appendEntries(store, [
    { ...first, type: "message", message: { role: "user", content, timestamp: 1 } } as Entry,
  ]);
  await store.close();
  expect(await purgeSession(store.path, { ...on.parts, redaction })).toEqual(done(1, 1));
  expect(contents(on)).not.toContain(SECRET);
  expect(contents(on)).not.toContain(kept.hash);
  const exported = await exportForPi(store.path, "/out.jsonl", on.parts);
  expect(exported).toEqual({ type: "exported", missing: [] });
});

test("PUR4 files beside the session with the secret are removed and reported by name", async () => {
  const on = createTestHome();
  const path = await createTestSession(on.parts);
  const file = on.files.create(`${path}.damaged`);
  file.append(Buffer.from(`torn ${SECRET}`));
  file.close();
  expect(await purgeSession(path, { ...on.parts, redaction })).toEqual(
    done(0, 0, [`${path.split("/").at(-1)}.damaged`]),
  );
  expect(contents(on)).not.toContain(SECRET);
});

/** The file has other bytes from now on. */
function overwrite({ files }: TestHome, path: string, change: (text: string) => string): void {
  const text = change(Buffer.from(files.readBytes(path)).toString());
  files.remove(path);
  const file = files.create(path);
  file.append(Buffer.from(text));
  file.close();
}

test.each([
  ["an unreadable line", (text: string) => text.replace(`it is ${SECRET}`, `it was ${SECRET}`)],
  ["what was torn off at the end", (text: string) => `${text.replaceAll(SECRET, "hidden")}{"type":"mess ${SECRET}`],
])("PUR1 %s no longer has the secret", async (_, change) => {
  const on = createTestHome();
  const path = await createTestSession(on.parts, { entries: entries.slice(0, 2) });
  overwrite(on, path, change);
  expect(await purgeSession(path, { ...on.parts, redaction, isDryRun: true })).toEqual(done(1));
  expect(await purgeSession(path, { ...on.parts, redaction })).toEqual(done(1));
  expect(contents(on)).not.toContain(SECRET);
  expect(contents(on)).toContain("hello");
});

test("PUR3 secrets in binary output are redacted, and its other bytes stay", async () => {
  const on = createTestHome();
  const path = await createTestSession(on.parts);
  const before = Buffer.from(`PATH=/bin\0PASS=${SECRET}\0\xff\xfe`, "latin1");
  expect(await keepBlob(path, before, on.parts)).toMatchObject({ type: "kept" });
  expect(await purgeSession(path, { ...on.parts, redaction })).toEqual(done(0, 1));
  expect(contents(on)).not.toContain(SECRET);
  expect(contents(on)).toContain("PATH=/bin\0PASS=GONE\0\xff\xfe");
});

test("PUR4 a leftover or damaged blob with a secret is removed", async () => {
  const on = createTestHome();
  const path = await createTestSession(on.parts);
  const kept = await keepBlob(path, Buffer.from("other words"), on.parts);
  if (kept.type !== "kept") throw new Error(kept.why);
  overwrite(on, blobPath(path, kept.hash), () => SECRET);
  const half = on.files.create(blobPath(path, "f00.7.new"));
  half.append(Buffer.from(SECRET));
  half.close();
  const purged = await purgeSession(path, { ...on.parts, redaction });
  expect(purged).toEqual(done(0, 0, expect.arrayContaining([kept.hash, "f00.7.new"])));
  expect(contents(on)).not.toContain(SECRET);
});

test("PUR5 a session in use is not purged", async () => {
  const on = createTestHome();
  const store = requireStore(await createSession({ cwd: "/code", ...on.parts }));
  expect(await purgeSession(store.path, { ...on.parts, redaction })).toMatchObject({ type: "held" });
});

test("PUR1 EXP1 a purged or exported summary keeps its parts with their new lengths", async () => {
  const on = createTestHome();
  const parts = [`my pin ${SECRET}`, "a story"];
  const front = [
    { kind: "pins", length: parts[0]?.length, tokens: 3 },
    { kind: "story", length: parts[1]?.length, tokens: 2 },
  ];
  const [hello] = story("user: hello");
  const compaction = {
    type: "compaction",
    id: "e2",
    parentId: "e1",
    timestamp: "2026-01-01T00:00:00.000Z",
    summary: parts.join(""),
    firstKeptEntryId: "e1",
    tokensBefore: 10,
    details: { pith: { front } },
  } as Entry;
  const path = await createTestSession(on.parts, { entries: [hello as Entry, compaction] });
  expect(await exportForPi(path, "/out.jsonl", { ...on.parts, redaction })).toMatchObject({ type: "exported" });
  expect(await purgeSession(path, { ...on.parts, redaction })).toEqual(done(1));
  for (const file of [path, "/out.jsonl"]) {
    const [, line] = decodeSession(on.files.readBytes(file), testRuntime()).lines;
    const texts = readSummaryPartTexts(line?.entry as CompactionEntry).map(({ text }) => text);
    expect(texts).toEqual(["my pin GONE", "a story"]);
  }
});

test("PUR6 after a crash or power cut at any step, the session is complete, and a second purge removes the rest", async () => {
  // What begins a session is quoted by the list of its folder.
  const quoted = story(`user: ${SECRET}`, "says: noted");
  const ends = await crashAtEveryStep(
    async ({ parts }) => {
      const path = await createTestSession(parts, { entries: quoted });
      await listSessions(parts);
      return path;
    },
    ({ parts }, path) => purgeSession(path, { ...parts, redaction }),
    async (on, path) => {
      const { damage, lines } = decodeSession(on.files.readBytes(path), testRuntime());
      expect(damage).toEqual([]);
      expect(lines).toHaveLength(quoted.length);
      expect(await purgeSession(path, { ...on.parts, redaction })).toMatchObject({ type: "purged" });
      expect(contents(on)).not.toContain(SECRET);
    },
  );
  expect(ends).toBeGreaterThan(10);
});

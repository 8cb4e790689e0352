/** Names of sessions and of entries: entries like any other. */

import { expect, test } from "vitest";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { labelEntry } from "../../../src/node/sessions/label-entry.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { renameSession } from "../../../src/node/sessions/rename-session.ts";
import { Session } from "../../../src/session/session.ts";
import { testPorts } from "../../../src/testing/test-ports.ts";
import { entriesAt, ground, session, storeIn } from "./ground.ts";

test("a session is named by its path, and the name is its leaf", async () => {
  const { parts } = ground();
  const path = await session(parts);
  expect(await renameSession(path, " the login\nbug ", parts)).toMatchObject({ type: "appended" });
  expect((await entriesAt(path, parts)).at(-1)).toMatchObject({ type: "session_info", name: "the login bug" });
  expect(await listSessions(parts)).toMatchObject([{ name: "the login bug" }]);
  await renameSession(path, "", parts);
  expect((await listSessions(parts))[0]).not.toHaveProperty("name");
});

test("an open session takes the name itself and goes on from there", async () => {
  const { parts } = ground();
  const store = storeIn(await openStore(await session(parts), parts));
  const open = await Session.open(store, testPorts("later"));
  expect(await renameSession(open, "one", parts)).toMatchObject({ type: "appended" });
  expect(await labelEntry(open, { entryId: "e1", label: "start", ...parts })).toMatchObject({ type: "appended" });
  expect(await open.append({ type: "custom", customType: "x" })).toMatchObject({ type: "appended" });
  expect([await store.name(), [...(await store.labels())]]).toEqual(["one", [["e1", "start"]]]);
  expect(await renameSession(store, "two", parts)).toMatchObject({ type: "appended" });
});

test("a label is given and taken away; an entry that is not there is an outcome", async () => {
  const { parts } = ground();
  const path = await session(parts);
  const labels = async () => [...(await storeIn(await openStore(path, { ...parts, as: "follower" })).labels())];
  await labelEntry(path, { entryId: "e2", label: "good\u001b[2J", ...parts });
  expect(await labels()).toEqual([["e2", "good"]]);
  await labelEntry(path, { entryId: "e2", ...parts });
  expect(await labels()).toEqual([]);
  expect(await labelEntry(path, { entryId: "e9", label: "x", ...parts })).toMatchObject({ type: "no-entry" });
});

test("a session that another process writes, or that is gone, is an outcome; so is a full disk", async () => {
  const { files, parts } = ground();
  const path = await session(parts);
  const store = storeIn(await openStore(path, parts));
  expect(await renameSession(path, "x", parts)).toMatchObject({ type: "held" });
  await store.close();
  expect(await renameSession("/pith/gone.jsonl", "x", parts)).toMatchObject({ type: "unavailable", code: "ENOENT" });
  files.failEvery("ENOSPC", ["append"]);
  expect(["unavailable", "refused"]).toContain((await renameSession(path, "x", parts)).type);
});

test("SEC11 no name of a session or an entry holds a secret", async () => {
  const { parts } = ground();
  const path = await session(parts);
  const redaction = { redacted: <Value>(value: Value) => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "P")) };
  await renameSession(path, "the s3cret one", { ...parts, redaction });
  await labelEntry(path, { entryId: "e2", label: "a s3cret", ...parts, redaction });
  expect(JSON.stringify(await entriesAt(path, parts))).not.toContain("s3cret");
  expect(await listSessions(parts)).toMatchObject([{ name: "the P one" }]);
});

/** Tests that a reference opens the same content in every copy of a session. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Redaction, Session } from "@pith/context";
import { blobReference } from "@pith/context/host";
import {
  cloneSession,
  createSession,
  exportForPi,
  forkSession,
  keepBlob,
  nodeRuntime,
  openStore,
  purgeSession,
} from "@pith/context/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionBlobs } from "../../../src/node/blobs.ts";
import { createFileTools, outputText } from "../../support/file-tools.ts";

const SECRET = "hunter2-hunter2";
const redaction: Redaction = {
  redact: (value) => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "GONE")) as typeof value,
};
const home = mkdtempSync(join(tmpdir(), "pith-copies-"));
const parts = { env: { PITH_HOME: home } };
const log = "a long output\n".repeat(100);
let path = "";
let blob = "";

const storeIn = (opened: Awaited<ReturnType<typeof openStore>>) => {
  if (opened.type !== "opened") throw new Error(JSON.stringify(opened));
  return opened.store;
};

// Four entries on one branch, then two on another, which names the blob.
beforeAll(async () => {
  const store = storeIn(await createSession({ cwd: home, ...parts }));
  path = store.path;
  const kept = await keepBlob(path, new TextEncoder().encode(log));
  if (kept.type !== "kept") throw new Error(kept.why);
  blob = blobReference(kept.hash);
  const session = await Session.open(store, nodeRuntime);
  const say = (text: string) => ({
    type: "message" as const,
    message: { role: "user" as const, content: text, timestamp: 1 },
  });
  await session.append(say("first"), say("second"));
  const second = session.leaf;
  await session.append(say(`left behind ${SECRET}`), say("left behind too"));
  await session.move(second);
  await session.append(say(`read ${blob} for all of it`));
  await store.close();
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

async function reads(at: string): Promise<(reference: string) => Promise<string>> {
  const store = storeIn(await openStore(at, { mode: "follower" }));
  const { run } = createFileTools({ entries: store, blobs: sessionBlobs(at) });
  return async (reference) => outputText(await run("read", { path: reference }));
}

async function pathOf(copying: Promise<{ readonly type: string; readonly path?: string }>): Promise<string> {
  const outcome = await copying;
  if (outcome.path === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.path;
}

const exported = async (): Promise<string> => {
  const to = join(home, "exported.jsonl");
  expect(await exportForPi(path, to, parts)).toMatchObject({ type: "exported" });
  return to;
};

test.each([
  ["a restart", async () => path],
  ["a fork", () => pathOf(forkSession(path, parts))],
  ["a clone", () => pathOf(cloneSession(path, parts))],
  ["the fork of a clone", async () => pathOf(forkSession(await pathOf(cloneSession(path, parts)), parts))],
  ["an export", exported],
  ["an export that is cloned", () => pathOf(cloneSession(join(home, "exported.jsonl"), parts))],
])("FILE18 NUM3 read #6 opens the same entry after %s", async (_, copy) => {
  const [before, after] = [await reads(path), await reads(await copy())];
  for (const reference of ["#1", "#2", "[#6]"]) expect(await after(reference)).toBe(await before(reference));
  expect(await after("#6")).toBe(`[#6: user]\nread ${blob} for all of it`);
});

test("FILE25 a fork and a clone contain the blobs that their entries name", async () => {
  for (const copy of [forkSession(path, parts), cloneSession(path, parts)])
    expect(await (await reads(await pathOf(copy)))(blob)).toBe(log);
});

test("NUM4 a fork does not open entries that were not copied, also after it has grown", async () => {
  const fork = await pathOf(forkSession(path, parts));
  const store = storeIn(await openStore(fork));
  await (await Session.open(store, nodeRuntime)).append({ type: "custom", customType: "more" });
  await store.close();
  const read = await reads(fork);
  for (const reference of ["#3", "#4"]) expect(await read(reference)).toContain("is not in this session");
  expect(await read("#7")).toBe("[#7: custom, without text]\n");
});

test("FILE18 NUM3 PUR3 read #6 and the blob it names open after a purge", async () => {
  const clone = await pathOf(cloneSession(path, parts));
  const secret = await keepBlob(clone, new TextEncoder().encode(`${SECRET}\n`));
  if (secret.type !== "kept") throw new Error(secret.why);
  const store = storeIn(await openStore(clone));
  const session = await Session.open(store, nodeRuntime);
  const text = `read ${blobReference(secret.hash)} for all of it`;
  await session.append({ type: "message", message: { role: "user", content: text, timestamp: 1 } });
  await store.close();
  expect(await purgeSession(clone, { ...parts, redaction })).toMatchObject({ type: "purged", lines: 2, blobs: 1 });
  const read = await reads(clone);
  expect([await read("#3"), await read("#6"), await read(blob)]).toEqual([
    "[#3: user]\nleft behind GONE",
    `[#6: user]\nread ${blob} for all of it`,
    log,
  ]);
  const [renamed = ""] = /blob:[0-9a-f]{8}(?![0-9a-f])/.exec(await read("#7")) ?? [];
  expect([renamed === blobReference(secret.hash), await read(renamed)]).toEqual([false, "GONE\n"]);
});

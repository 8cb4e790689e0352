/** Creates a home for sessions on a disk in memory that can fail, and processes that end one after the other. */

import { expect } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import { keepBlob, readBlob } from "../../../src/node/blobs.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import type { SessionFileOptions } from "../../../src/node/sessions/paths.ts";
import { createSession, findSession } from "../../../src/node/sessions/sessions.ts";
import { createBlobBlock } from "../../../src/session/blobs.ts";
import type { Store } from "../../../src/session/store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { CrashError } from "../../support/faulty-files/errors.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { requireStore } from "../jsonl/simulate-processes.ts";

export interface TestHome {
  readonly files: FaultyFiles;
  readonly parts: SessionFileOptions & { readonly files: FaultyFiles };
  /** The process that was here ends; what it leased is free. */
  ends(): void;
}

export function createTestHome(): TestHome {
  const files = new FaultyFiles();
  let pid = 1;
  const owner = (): number => pid;
  const processes = {
    self: () => ({ pid: owner(), started: "1", host: "here", machine: "", since: 0 }),
    isAlive: ({ pid: of }: { readonly pid: number }) => of === pid,
  };
  const parts = { files, runtime: testRuntime("n"), env: { PITH_HOME: "/pith" }, processes };
  return { files, parts, ends: () => void pid++ };
}

/** A session with these entries, closed again; its path. */
export async function createTestSession(
  parts: SessionFileOptions,
  { cwd = "/code/one", id, entries = story("user: hello", "says: hi") }: Partial<TestSessionOptions> = {},
): Promise<string> {
  const store = requireStore(await createSession({ cwd, ...(id !== undefined && { id }), ...parts }));
  await appendEntries(store, entries);
  await store.close();
  return store.path;
}

interface TestSessionOptions {
  readonly cwd: string;
  readonly id: string;
  readonly entries: readonly Entry[];
}

/** One by one, so that moves say where their parents stand. */
export async function appendEntries(store: Store, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    const done = await store.append([entry], { expectedLeaf: await store.leaf() });
    expect(done).toMatchObject({ type: "appended" });
  }
}

/** A session whose second entry names a blob. */
export async function sessionWithBlob(
  parts: SessionFileOptions,
  id = "pictured",
): Promise<{ path: string; hash: string }> {
  const store = requireStore(await createSession({ cwd: "/code/one", id, ...parts }));
  const kept = await keepBlob(store.path, PICTURE, parts);
  if (kept.type !== "kept") throw new Error(kept.why);
  const [hello, ...more] = story("user: look", "says: nice", "moves: e1", "user: again", "names: pictures");
  const message = {
    role: "user" as const,
    content: [createBlobBlock({ ...kept, mimeType: "image/png", tokens: 9 })],
    timestamp: 1,
  };
  await appendEntries(store, [{ ...hello, type: "message", message } as Entry, ...more]);
  await store.close();
  return { path: store.path, hash: kept.hash };
}

export const PICTURE: Uint8Array = Buffer.from("not really a picture ".repeat(20));

export async function readEntries(path: string, parts: SessionFileOptions): Promise<readonly Entry[]> {
  const store = requireStore(await openStore(path, { ...parts, mode: "follower" }));
  const entries = await store.branchEntries(await store.leaf());
  await store.close();
  return entries;
}

export async function readIds(path: string, parts: SessionFileOptions): Promise<readonly string[]> {
  return (await readEntries(path, parts)).map(({ id }) => id);
}

/** The session of this id, wherever it lies: one place, sound, with its blob. */
export async function expectIntactSession(id: string, hash: string, parts: SessionFileOptions): Promise<string> {
  const found = await findSession(id, parts);
  if (found.type !== "found") throw new Error(JSON.stringify(found));
  const store = requireStore(await openStore(found.path, parts));
  // An entry that was on its way may be torn: it was never said to be there.
  const damage = (await store.check()).filter(({ kind }) => !["torn-tail", "nul-bytes"].includes(kind));
  expect(damage).toEqual([]);
  await store.close();
  expect(await readBlob(found.path, hash, parts)).toMatchObject({ type: "read", bytes: new Uint8Array(PICTURE) });
  return found.path;
}

export interface Ending {
  readonly how: "killed" | "without power";
  /** The operation that did not happen any more. */
  readonly at: number;
}

/** Does it with the process ending at its first operation, at its second and so on, until it gets through. */
export async function crashAtEveryStep<Scene>(
  scene: (on: TestHome) => Promise<Scene>,
  act: (on: TestHome, scene: Scene) => Promise<unknown>,
  look: (on: TestHome, scene: Scene, ending: Ending) => Promise<void>,
): Promise<number> {
  let at = 1;
  for (const how of ["killed", "without power"] as const)
    for (at = 1; ; at++) {
      const on = createTestHome();
      const set = await scene(on);
      on.files.crashAt(at);
      await act(on, set).catch((error: unknown) => expect(error).toBeInstanceOf(CrashError));
      if (!on.files.isCrashed) break;
      if (how === "killed") on.files.restart();
      else on.files.cutPower(createSeededRandom(at));
      on.ends();
      await look(on, set, { how, at });
    }
  return at;
}

/** Does it with the disk refusing its first operation, its second and so on, until it gets through without. */
export async function refuseAtEveryStep<Scene, Outcome>(
  scene: (on: TestHome) => Promise<Scene>,
  act: (on: TestHome, scene: Scene) => Promise<Outcome>,
  look: (on: TestHome, scene: Scene, outcome: Outcome) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const on = createTestHome();
    const set = await scene(on);
    const before = on.files.operations;
    on.files.failAt(at, at % 2 ? "ENOSPC" : "EIO");
    const outcome = await act(on, set);
    if (on.files.operations < before + at) return at;
    on.files.clearFaults();
    on.ends();
    await look(on, set, outcome);
  }
}
